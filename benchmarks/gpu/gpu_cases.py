# SPDX-License-Identifier: Apache-2.0
"""The cases of a part: functions that each run in a process of their own."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import nexus

# The order of the parts: those that all else depends on come first, those that may harm the GPU
# come last but one, and those that need it undisturbed before them.
PARTS = (
    "conformance",
    "hip",
    "gallery",
    "readme",
    "benchmarks",
    "interoperability",
    "processes",
    "managed",
    "bad_sizes",
    "bad_binaries",
    "bad_use",
    "exhausted",
    "faults",
    "sanitizer",
)


class NotThere(Exception):
    """A case needs something that is not installed, or that Nexus does not have yet."""


@dataclass
class Bench:
    """The arguments of a case.

    Attributes:
        selector: the device, such as `cuda:0`.
        output: a folder for files that the report keeps.
        data: further data for the report, beside the sentence that the case returns.
    """

    selector: str
    output: Path
    data: dict[str, Any] = field(default_factory=dict)

    @property
    def device(self) -> nexus.Device:
        import nexus

        return nexus.get_device(self.selector)


Work = Callable[[Bench], "str | None"]


@dataclass(frozen=True)
class Case:
    """A case.

    Attributes:
        module: the module that has it, such as `parts.gallery`.
        name: in words, and unique in the module.
        limit: the seconds after which it is killed, and has failed.
        endangers: whether a fresh process checks the GPU's state after it.
        ended: whether it is killed as soon as it has a result.
        work: runs it; returns a sentence for the report, raises an error if it fails.
    """

    module: str
    name: str
    limit: float
    endangers: bool
    ended: bool
    work: Work

    @property
    def part(self) -> str:
        """The part's name."""
        return self.module.rpartition(".")[2]

    @property
    def key(self) -> str:
        """A name for files."""
        words = "".join(each if each.isalnum() else "-" for each in self.name)
        return f"{self.part}.{words}"


_CASES: dict[str, list[Case]] = {}


def add_case(
    module: str,
    name: str,
    work: Work,
    *,
    limit: float = 120,
    endangers: bool = False,
    ended: bool = False,
) -> None:
    """Adds a case to a module's."""
    _CASES.setdefault(module, []).append(Case(module, name, limit, endangers, ended, work))


def case(
    *, limit: float = 120, endangers: bool = False, ended: bool = False
) -> Callable[[Work], Work]:
    """Makes a function a case, with the function's name in words."""

    def add(work: Work) -> Work:
        name = work.__name__.replace("_", " ")
        add_case(work.__module__, name, work, limit=limit, endangers=endangers, ended=ended)
        return work

    return add


def cases_of(module: str) -> Sequence[Case]:
    """Returns the cases of a module, in the order in which they were added."""
    importlib.import_module(module)
    return _CASES.get(module, [])
