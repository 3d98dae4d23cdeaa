# SPDX-License-Identifier: Apache-2.0
"""Reads the functions, structs and numbers of the C-API from the installed headers.

So the suite does not duplicate the interface and can't differ from the headers.
"""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass
from pathlib import Path

import nexus

_BEFORE = r"(/\*(?:(?!\*/).)*\*/)?\s*"
_ENTRY = r"NXS_FUNCTION\((REQUIRED|OPTIONAL),\s*(\d+),\s*(\w+),\s*\((.*?)\)\)\n"
_FUNCTION = re.compile(_BEFORE + _ENTRY, re.DOTALL)
_PARAMETER = re.compile(r"^(.*?)(\w+)$", re.DOTALL)
_CALLBACK = re.compile(r"^\s*(\w+(?:\s*\*)?)\s*\(\*(\w+)\)\s*\((.*)\)\s*$", re.DOTALL)
_STRUCT = re.compile(r"typedef struct (\w+) \{(.*?)\} \1;", re.DOTALL)
_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)


@dataclass(frozen=True)
class Parameter:
    """A parameter or a field of a struct, with its C type such as 'const nxs_string*'."""

    type: str
    name: str
    callback: tuple[Parameter, ...] | None = None  # of a function pointer, whose result is `type`
    length: int = 1  # of an array


@dataclass(frozen=True)
class Function:
    """An entry of nxs_functions.def."""

    name: str
    required: bool
    parameters: tuple[Parameter, ...]
    comment: str

    @property
    def ids(self) -> tuple[int, ...]:
        """The positions of the parameters that are ids."""
        return tuple(at for at, each in enumerate(self.parameters) if each.type == "nxs_id")


def folder() -> Path:
    """Returns the folder of nxs.h."""
    return Path(nexus.get_include()) / "nexus-api"


def _text(name: str) -> str:
    return (folder() / name).read_text("utf-8")


@functools.cache
def functions() -> dict[str, Function]:
    """Returns all functions, in the order of the table."""
    text = _text("nxs_functions.def").partition("#endif")[2]
    return {
        name: Function(name, need == "REQUIRED", _parameters(parameters), comment or "")
        for comment, need, _, name, parameters in _FUNCTION.findall(text)
    }


@functools.cache
def structs() -> dict[str, tuple[Parameter, ...]]:
    """Returns the fields of each struct of the interface."""
    found: dict[str, tuple[Parameter, ...]] = {}
    for name in ("nxs.h", "nxs_functions.h"):
        text = _COMMENT.sub("", _text(name))
        for struct, body in _STRUCT.findall(text):
            if struct != "nxs_functions":  # made from the list of functions
                found[struct] = tuple(
                    _parameter(field) for field in body.split(";") if field.strip()
                )
    return found


@functools.cache
def scalars() -> dict[str, str]:
    """Returns the integer type of each typedef: nxs_status is int32_t."""
    text = "".join(_text(name) for name in ("nxs.h", "nxs_enums.h", "nxs_propertys.h"))
    return {name: kind for kind, name in re.findall(r"typedef (u?int\d+_t) (\w+);", text)}


@functools.cache
def constants() -> dict[str, int]:
    """Returns the value of each NXS_ and NP_ name."""
    text = "".join(_text(name) for name in ("nxs.h", "nxs_enums.h", "nxs_propertys.h"))
    found = {
        name: int(number)
        for name, number in re.findall(r"^\s+((?:NXS|NP)_\w+) = (-?\d+)[,\s]", text, re.MULTILINE)
    }
    for name, number in re.findall(r"#define (NXS_\w+) (\d+)\s", text):
        found[name] = int(number)
    for name, shift in re.findall(r"#define (NXS_\w+) \(UINT64_C\(1\) << (\d+)\)", text):
        found[name] = 1 << int(shift)
    return found


@functools.cache
def statuses() -> dict[int, str]:
    """Returns the name of each status: -81 is 'NXS_InvalidBuffer'."""
    return {
        int(number): f"NXS_{name}"
        for name, number in re.findall(r"X\((\w+), (-?\d+)\)", _list_of_statuses())
    }


def _list_of_statuses() -> str:
    return _text("nxs_enums.h").partition("NXS_FOR_EACH_STATUS(X)")[2].partition("/* end */")[0]


def _parameters(text: str) -> tuple[Parameter, ...]:
    parts: list[str] = [""]
    depth = 0
    for letter in text:
        depth += (letter == "(") - (letter == ")")
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return tuple(_parameter(part) for part in parts)


def _parameter(text: str) -> Parameter:
    callback = _CALLBACK.match(text.strip())
    if callback:
        result, name, inner = callback.groups()
        return Parameter(_compact(result), name, _parameters(inner))
    declared, _, length = text.strip().partition("[")
    match = _PARAMETER.match(declared)
    if match is None:
        raise ValueError(f"{text!r} is not a declaration that this reader understands")
    return Parameter(_compact(match.group(1)), match.group(2), length=int(length.rstrip("]") or 1))


def _compact(text: str) -> str:
    return re.sub(r"\s*\*\s*", "*", " ".join(text.split()))
