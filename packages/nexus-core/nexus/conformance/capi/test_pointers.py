# SPDX-License-Identifier: Apache-2.0
"""Pointers, structs and strings: what is missing or too small is refused, without a crash."""

from __future__ import annotations

import ctypes
from typing import Any

import pytest

from nexus.conformance import _c_types, _headers
from nexus.conformance._native import out_memory
from nexus.conformance.capi import calls
from nexus.conformance.capi.bench import Bench, part

# NULL is allowed there, or has a status of its own.
_MAY_BE_NULL = {("CreateBuffer", "host_ptr"), ("EnqueueHostCallback", "context")}
_STATUS_OF_NULL = {"host_ptr": "NXS_InvalidHostPtr"}


def _pointers(function: _headers.Function) -> list[int]:
    return [
        place
        for place, each in enumerate(function.parameters)
        if (each.type.endswith("*") or each.callback is not None)
        and (function.name, each.name) not in _MAY_BE_NULL
    ]


def _places(wanted: str) -> list[Any]:
    """Returns the parameters that are pointers of one kind."""
    found = []
    for name, function in _headers.functions().items():
        for place in _pointers(function):
            parameter = function.parameters[place]
            target = parameter.type.rstrip("*").removeprefix("const ")
            sized = _c_types.is_struct(target) and target != "nxs_string"
            if (wanted == "all" or (wanted == "sized" and sized)
                    or (wanted == "string" and target == "nxs_string")):  # fmt: skip
                found.append(pytest.param(name, place, id=f"{name}-{parameter.name}"))
    return found


def _whole_call(bench: Bench, name: str) -> list[Any]:
    """Returns all arguments of a call that succeeds, with memory for the out_ ones."""
    given = calls.arguments(bench, name)
    outs = _headers.functions()[name].parameters[len(given) :]
    return [*given, *(out_memory(parameter) for parameter in outs)]


@pytest.mark.parametrize(("name", "place"), _places("all"))
def test_a_null_pointer_is_refused(bench: Bench, name: str, place: int) -> None:
    calls.need(bench, name)
    given = _whole_call(bench, name)
    given[place] = None
    parameter = _headers.functions()[name].parameters[place]
    bench.native.refuse(_STATUS_OF_NULL.get(parameter.name, "NXS_InvalidValue"), name, *given)


@pytest.mark.parametrize("size", [0, 4, 8])
@pytest.mark.parametrize(("name", "place"), _places("sized"))
def test_a_struct_that_is_too_small_is_refused(
    bench: Bench, name: str, place: int, size: int
) -> None:
    calls.need(bench, name)
    given = _whole_call(bench, name)
    given[place].struct_size = size
    bench.native.refuse("NXS_InvalidValue", name, *given)


@pytest.mark.parametrize(("name", "place"), _places("sized"))
def test_a_struct_of_a_newer_version_is_taken(bench: Bench, name: str, place: int) -> None:
    """A reader ignores all fields beyond those that it knows."""
    calls.need(bench, name)
    given = _whole_call(bench, name)
    size = ctypes.sizeof(given[place])
    memory = ctypes.create_string_buffer(b"\xff" * (size + 64), size + 64)
    ctypes.memmove(memory, ctypes.byref(given[place]), size)
    newer = type(given[place]).from_buffer(memory)
    newer.struct_size = size + 64
    newer.kept = given[place]
    given[place] = newer
    inputs = len(calls.arguments(bench, name))
    if place < inputs:
        calls.succeed(bench, name, tuple(given[:inputs]))
    else:
        assert bench.native.try_(name, *given) == "NXS_Success"
        assert memory.raw[size:] == b"\xff" * 64


@pytest.mark.parametrize(("name", "place"), _places("string"))
def test_a_string_of_null_with_a_size_is_refused(bench: Bench, name: str, place: int) -> None:
    calls.need(bench, name)
    given = list(calls.arguments(bench, name))
    given[place] = _c_types.text(None, size=4)
    bench.native.refuse("NXS_InvalidValue", name, *given)


def test_an_empty_name_is_the_name_of_no_kernel(bench: Bench) -> None:
    for empty in (_c_types.text(None), _c_types.text("")):
        bench.native.refuse("NXS_InvalidKernelName", "GetKernel", bench.library(), empty)


def test_an_empty_path_is_no_file(bench: Bench) -> None:
    for empty in (_c_types.text(None), _c_types.text("")):
        bench.native.refuse("NXS_InvalidValue", "CreateLibraryFromFile", bench.device, empty)


def test_a_string_ends_where_its_size_says(bench: Bench) -> None:
    words = _c_types.text("fill_i32_and_more", size=len("fill_i32"))
    bench.create("GetKernel", bench.library(), words)


_COMPILE_STRINGS = [
    field.name for field in _headers.structs()["nxs_compile_info"] if field.type == "nxs_string"
]


@pytest.mark.needs("Compile")
@pytest.mark.parametrize("name", ["DescribeCompile", "CompileProgram"])
@pytest.mark.parametrize("field", _COMPILE_STRINGS)
def test_a_string_of_a_program_that_is_null_with_a_size_is_refused(
    bench: Bench, name: str, field: str
) -> None:
    device, info, *sinks = calls.arguments(bench, name)
    setattr(info, field, _c_types.text(None, size=3))
    bench.native.refuse("NXS_InvalidValue", name, device, info, *sinks)


@pytest.mark.needs("Compile")
@pytest.mark.parametrize("name", ["DescribeCompile", "CompileProgram"])
@pytest.mark.parametrize("count", ["define_count", "include_path_count", "option_count"])
def test_a_list_of_a_program_that_is_null_with_a_count_is_refused(
    bench: Bench, name: str, count: str
) -> None:
    device, info, *sinks = calls.arguments(bench, name)
    setattr(info, count, 2)
    bench.native.refuse("NXS_InvalidValue", name, device, info, *sinks)


@pytest.mark.needs("Compile")
@pytest.mark.parametrize("which", [2, 3])
def test_a_sink_that_writes_nowhere_is_refused(bench: Bench, which: int) -> None:
    given = list(calls.arguments(bench, "CompileProgram"))
    given[which] = _c_types.make("nxs_sink")
    bench.native.refuse("NXS_InvalidValue", "CompileProgram", *given)


def test_a_host_pointer_of_null_with_size_zero_is_no_error(bench: Bench) -> None:
    buffer, stream = bench.buffer(64), bench.stream()
    for name in ("CopyBuffer", "WriteBuffer"):
        status = bench.native.try_(name, buffer, 0, None, 0, stream)
        assert status == "NXS_Success"
    bench.finish(stream)


def test_a_scalar_without_data_is_refused(bench: Bench) -> None:
    command = bench.raw_command(bench.schedule())
    argument = _c_types.make("nxs_argument", kind=1, size=4)
    bench.native.refuse(
        ("NXS_InvalidValue", "NXS_InvalidArgValue"), "SetCommandArgument", command, 1, argument
    )


def test_pointers_are_read_during_the_call_only(bench: Bench) -> None:
    """The caller may change what it passed as soon as the call returns."""
    stream, buffer = bench.stream(), bench.buffer(bytes(64))
    where, what = part(buffer, 0, 64), ctypes.create_string_buffer(b"abcd", 4)
    ticket = bench.native.get("FillBuffer", stream, where, what, 4)
    where.buffer, where.size, what.raw = 0, 0, b"zzzz"
    bench.finish(stream, ticket)
    assert bench.read(buffer, 64) == b"abcd" * 16


@pytest.mark.needs("LibraryFromMemory")
def test_a_library_is_copied_during_the_call(bench: Bench) -> None:
    code = bench.kernels.code("elements")
    memory = ctypes.create_string_buffer(code, len(code))
    library = bench.native.get("CreateLibrary", bench.device, memory, len(code))
    ctypes.memset(memory, 0, len(code))
    bench.adopt("Library", library)
    bench.create("GetKernel", library, "fill_i32")
