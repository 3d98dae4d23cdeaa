# SPDX-License-Identifier: Apache-2.0
"""Makes the ctypes types of the C-API from the headers."""

from __future__ import annotations

import ctypes
import functools
from typing import Any

from nexus.conformance import _headers
from nexus.conformance._headers import Parameter

_BASE: dict[str, Any] = {
    "int32_t": ctypes.c_int32,
    "uint32_t": ctypes.c_uint32,
    "int64_t": ctypes.c_int64,
    "uint64_t": ctypes.c_uint64,
    "double": ctypes.c_double,
    "void": None,
}


def scalar(name: str) -> Any:
    """Returns the type of a number, such as 'nxs_status' or 'uint64_t'."""
    return _BASE[_headers.scalars().get(name, name)]


@functools.cache
def struct(name: str) -> Any:
    """Returns the class of a struct."""
    if name == "nxs_functions":
        fields: list[tuple[str, Any]] = [("struct_size", ctypes.c_uint64)]
        fields += [(each, ctypes.c_void_p) for each in _headers.functions()]
    else:
        fields = [(field.name, of(field)) for field in _headers.structs()[name]]
    return type(name, (ctypes.Structure,), {"_fields_": fields})


def of(parameter: Parameter) -> Any:
    """Returns the type of a parameter or field."""
    if parameter.callback is not None:
        inner = [of(each) for each in parameter.callback]
        return ctypes.CFUNCTYPE(_result(parameter.type), *inner)
    declared = parameter.type
    if declared.endswith("*"):
        return _pointer(declared[:-1].removeprefix("const "))
    base = struct(declared) if is_struct(declared) else scalar(declared)
    return base * parameter.length if parameter.length > 1 else base


def is_struct(declared: str) -> bool:
    """Returns whether the name is the name of a struct."""
    return declared in _headers.structs() or declared == "nxs_functions"


def _result(declared: str) -> Any:
    return ctypes.c_void_p if declared.endswith("*") else scalar(declared)


def _pointer(target: str) -> Any:
    if target in ("void", "char"):
        return ctypes.c_void_p
    if target.endswith("*"):
        return ctypes.POINTER(ctypes.c_void_p)
    return ctypes.POINTER(struct(target) if is_struct(target) else scalar(target))


def make(name: str, /, **values: Any) -> Any:
    """Makes a struct with struct_size set, which keeps the Python objects of its pointers alive."""
    made = struct(name)()
    if hasattr(made, "struct_size"):
        made.struct_size = ctypes.sizeof(made)
    made.kept = list(values.values())
    for field, value in values.items():
        if isinstance(value, (str, bytes)):
            value = text(value)
            made.kept.append(value)
        if isinstance(value, (tuple, list)):
            value = (type(getattr(made, field)))(*value)
        setattr(made, field, value)
    return made


def text(words: str | bytes | None, size: int | None = None) -> Any:
    """Makes an nxs_string; its data is NULL for None."""
    data = words.encode() if isinstance(words, str) else words
    made = struct("nxs_string")()
    made.size = (0 if data is None else len(data)) if size is None else size
    if data is not None:
        made.kept = ctypes.create_string_buffer(data, len(data) + 1)
        made.data = ctypes.addressof(made.kept)
    return made


def string_of(value: Any) -> str:
    """Returns the text of an nxs_string that a plug-in returned."""
    return ctypes.string_at(value.data, value.size).decode() if value.size else ""


def function_type(function: _headers.Function) -> Any:
    """Returns the type of a pointer to a function of the table."""
    return ctypes.CFUNCTYPE(ctypes.c_int32, *(of(each) for each in function.parameters))
