# SPDX-License-Identifier: Apache-2.0
"""Generates nexus/_core.pyi from the docstrings of the extension.

The first line of each docstring is the typed signature. ``python tools/gen_stubs.py`` writes the
stub; with ``--check`` it writes nothing and fails if the committed file differs. Both need
nexus-core to be installed or on PYTHONPATH.
"""

from __future__ import annotations

import argparse
import inspect
import re
import sys
import textwrap
from pathlib import Path
from types import ModuleType
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
STUB = ROOT / "packages" / "nexus-core" / "nexus" / "_core.pyi"
COMMAND = "nox -s gen"
WIDTH = 100

HEAD = f'''# SPDX-License-Identifier: Apache-2.0
# Generated from the docstrings in bindings/*/*.cpp by `{COMMAND}`. Do not edit.
"""{{doc}}"""

from __future__ import annotations

import os
from collections.abc import (
    Callable,
    ItemsView,
    Iterable,
    Iterator,
    KeysView,
    Mapping,
    Sequence,
    ValuesView,
)
from contextlib import AbstractContextManager
from typing import Any, SupportsIndex, final, overload

from numpy import ndarray
from typing_extensions import Self

from nexus._arrays._dtype import DType
from nexus._arrays._memory import MemoryResource
from nexus._catalog._catalog import Catalog
from nexus._collections import (
    Argument,
    Backend,
    KernelAttributes,
    KernelDescription,
    ObjectList,
    Occupancy,
    PropertySource,
)
from nexus._compile._options import ProgramOptions, Settings
from nexus._compile._program import Program
from nexus._errors import NexusError
from nexus._property_view import PropertyView
from nexus._types import (
    Array,
    BufferSource,
    ByArgument,
    CudaStream,
    Define,
    DTypeLike,
    KernelArgument,
    Memory,
    Number,
    Path,
    PropertyKey,
    Size,
    SliceKey,
    WritableArray,
)
from nexus.command_type import CommandType
from nexus.event_type import EventType
from nexus.status import Status
'''


def split(doc: str | None, where: str) -> tuple[str, str]:
    """Returns the signature and the text of a docstring."""
    if not doc or "\n\n" not in doc:
        raise SystemExit(
            f"{where}: the docstring has to be a typed signature, a blank line, a text"
        )
    signature, text = doc.split("\n\n", 1)
    return signature, inspect.cleandoc(text)


# The special members of our own.
SPECIAL = {
    *("__eq__", "__hash__", "__repr__", "__enter__", "__exit__", "__getitem__", "__call__"),
    *("__iter__", "__reversed__", "__contains__", "__len__"),
    *("__setitem__", "__len__", "__iter__", "__bool__", "__int__", "__float__", "__str__"),
    *("__array__", "__array_interface__", "__array_struct__", "__dlpack__", "__dlpack_device__"),
    *("__cuda_array_interface__", "__cuda_stream__", "__jax_array__", "__nexus_object__"),
}

# The special methods that C slots add.
SLOTS = {
    "Buffer": [
        "",
        "    def __buffer__(self, flags: int, /) -> memoryview:",
        '        """memoryview(buffer): shares the memory where the host sees it."""',
    ]
}


def docstring(text: str, indent: str) -> list[str]:
    """Returns the lines of a docstring, filled by paragraph."""
    room = WIDTH - len(indent) - len('"""') * 2
    if "\n" not in text and len(text) <= room:
        return [f'{indent}"""{text}"""']
    lines: list[str] = []
    for paragraph in text.split("\n\n"):
        lines += [*textwrap.wrap(paragraph, room, break_on_hyphens=False), ""]
    first, *rest = lines[:-1]
    body = [f"{indent}{line}" if line else "" for line in rest]
    return [f'{indent}"""{first}', *body, f'{indent}"""']


def function(name: str, doc: str | None, indent: str, where: str) -> list[str]:
    """Returns a function or method; two overloads if an argument has the default `...`."""
    signature, text = split(doc, where)
    if not signature.startswith(f"{name}("):
        raise SystemExit(f"{where}: the docstring begins with {signature!r}, not with {name}(")
    if choice := re.fullmatch(r"(.+), (\w+: .+?) = \.\.\.(.*)\) -> (.+) \| (.+)", signature):
        before, argument, after, without, given = choice.groups()
        return [f"{indent}@overload", f"{indent}def {before}) -> {without}: ...",
                f"{indent}@overload",
                *declaration(f"{before}, {argument}{after}) -> {given}", text, indent)]  # fmt: skip
    return declaration(signature, text, indent)


def declaration(signature: str, text: str, indent: str) -> list[str]:
    """Returns a signature with its docstring."""
    line = f"{indent}def {signature}:"
    if len(line) > WIDTH:
        head, rest = signature.split("(", 1)
        parameters, result = rest.rsplit(") -> ", 1)
        line = "\n".join(
            [
                f"{indent}def {head}(",
                *(f"{indent}    {each}," for each in top_level(parameters)),
                f"{indent}) -> {result}:",
            ]
        )
    return [line, *docstring(text, indent + "    ")]


def top_level(parameters: str) -> list[str]:
    """Splits parameters at the commas outside brackets."""
    parts, depth, start = [], 0, 0
    for at, letter in enumerate(parameters):
        depth += (letter in "([") - (letter in ")]")
        if letter == "," and depth == 0:
            parts.append(parameters[start:at].strip())
            start = at + 1
    return [*parts, parameters[start:].strip()]


def member(name: str, value: Any, where: str) -> list[str]:
    """Returns a method or property of a class; None if the class says that it has none."""
    if value is None:
        return [f"    {name}: None"]
    if isinstance(value, property):
        signature, text = split(value.__doc__, where)
        declared, kind = signature.split(": ", 1)
        if declared != name:
            raise SystemExit(f"{where}: the docstring begins with {declared!r}")
        lines = [
            "    @property",
            f"    def {name}(self) -> {kind}:",
            *docstring(text, " " * 8),
        ]
        if value.fset is not None:
            setter = value.fset.__doc__
            lines += ["", f"    @{name}.setter", f"    def {setter}: ..."]
        return lines
    lines = function(name, value.__doc__, "    ", where)
    return ["    @staticmethod", *lines] if isinstance(value, staticmethod) else lines


def is_shown(name: str) -> bool:
    """Returns whether a member of a class is ours, not the interpreter's."""
    return name in SPECIAL or not name.startswith("_")


def cls(name: str, value: type) -> list[str]:
    """Returns a class."""
    lines = ["@final", f"class {name}:", *docstring(inspect.cleandoc(value.__doc__ or ""), "    ")]
    for attribute, entry in vars(value).items():
        if is_shown(attribute):
            apart = [] if lines[-1].endswith(": ...") else [""]  # as the formatter does
            lines += [*apart, *member(attribute, entry, f"{name}.{attribute}")]
    return lines + SLOTS.get(name, [])


def stub(core: ModuleType) -> str:
    """Returns the whole file."""
    blocks = [HEAD.format(doc=core.__doc__).rstrip()]
    for name, value in vars(core).items():
        if isinstance(value, type) and not name.startswith("_"):
            blocks.append("\n".join(cls(name, value)))
        elif inspect.isroutine(value) and not name.startswith("_"):
            blocks.append("\n".join(function(name, value.__doc__, "", name)))
    return "\n\n".join(blocks) + "\n"


def main() -> int:
    """Reads the command line; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--check", action="store_true", help="write nothing; fail where not current"
    )
    check = parser.parse_args().check
    from nexus import _core

    text = stub(_core)
    if STUB.exists() and STUB.read_text(encoding="utf-8") == text:
        return 0
    if check:
        print(f"not current: {STUB.relative_to(ROOT)}. Run `{COMMAND}` and commit what it writes.")
        return 1
    STUB.write_text(text, encoding="utf-8")
    print(f"written: {STUB.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
