# SPDX-License-Identifier: Apache-2.0
"""What a part consists of: cases, each a function that runs in a process of its own."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import nexus

# In the order in which they run: what everything else stands on comes first, what may harm the
# GPU last but one, and what needs it undisturbed before that.
PARTS = (
    "conformance",
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
    """Something that a case needs is not here, or Nexus has no such function yet; says what."""


@dataclass
class Bench:
    """What a case is given.

    Attributes:
        selector: the device, such as `cuda:0`.
        output: a folder for files that the report keeps.
        data: what the report shows beside the sentence that the case returns.
    """

    selector: str
    output: Path
    data: dict[str, Any] = field(default_factory=dict)

    @property
    def device(self) -> nexus.Device:
        """The device."""
        import nexus

        return nexus.get_device(self.selector)


Work = Callable[[Bench], "str | None"]


@dataclass(frozen=True)
class Case:
    """One thing that is tried.

    Attributes:
        module: where it is, such as `parts.gallery`.
        name: in words, and unique in the module.
        limit: the seconds after which it is ended, and has failed.
        endangers: whether the GPU's state is checked after it, by a fresh process.
        ended: whether it is ended as soon as it has told its result, without being let go.
        work: does it, and returns what the report should say; raises where it fails.
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
    """Makes a function a case, whose name is the function's in words."""

    def add(work: Work) -> Work:
        name = work.__name__.replace("_", " ")
        add_case(work.__module__, name, work, limit=limit, endangers=endangers, ended=ended)
        return work

    return add


def cases_of(module: str) -> Sequence[Case]:
    """The cases of a module, in the order in which they were added."""
    importlib.import_module(module)
    return _CASES.get(module, [])
