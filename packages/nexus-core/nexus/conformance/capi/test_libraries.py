# SPDX-License-Identifier: Apache-2.0
"""Libraries and kernels: loaded from memory and files, truncated, and their descriptions."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from nexus.conformance import _c_types
from nexus.conformance._native import N
from nexus.conformance.capi import calls
from nexus.conformance.capi.bench import Bench, buffer_argument, fill_arguments, launch, pattern

_NO_LIBRARY = ("NXS_InvalidBinary",)


def run_fill(bench: Bench, library: int) -> None:
    """Checks that the library's kernel fill_i32 works."""
    kernel = bench.create("GetKernel", library, "fill_i32")
    schedule, out = bench.schedule(), bench.buffer(bytes(64))
    bench.command(schedule, kernel, fill_arguments(out, 8), 16)
    bench.run(schedule)
    assert bench.integers(out, 16) == [8] * 16


@pytest.mark.needs("LibraryFromMemory")
def test_a_library_is_loaded_from_memory(bench: Bench) -> None:
    run_fill(bench, bench.new_library("elements"))


def test_a_library_is_loaded_from_a_file(bench: Bench) -> None:
    path = str(bench.kernels.file("elements"))
    run_fill(bench, bench.create("CreateLibraryFromFile", bench.device, path))


@pytest.mark.parametrize("name", ["käsé", "name with blanks", "日本"])
def test_a_file_with_a_name_in_utf_8_is_loaded(bench: Bench, tmp_path: Path, name: str) -> None:
    file = bench.kernels.file("elements")
    path = tmp_path / f"{name}{file.suffix}"
    path.write_bytes(file.read_bytes())
    made = bench.native.get("CreateLibraryFromFile", bench.device, str(path))
    run_fill(bench, bench.adopt("Library", made))


def test_a_file_that_is_not_there_is_refused(bench: Bench, tmp_path: Path) -> None:
    for path in (tmp_path / "none", tmp_path / "none" / "either", Path("none.bin")):
        bench.native.refuse("NXS_InvalidValue", "CreateLibraryFromFile", bench.device, str(path))


def test_a_path_with_a_zero_byte_is_refused(bench: Bench) -> None:
    path = str(bench.kernels.file("elements"))
    bench.native.refuse("NXS_InvalidValue", "CreateLibraryFromFile", bench.device, f"{path}\0.so")


def test_a_folder_is_no_library(bench: Bench, tmp_path: Path) -> None:
    bench.native.refuse(
        ("NXS_InvalidValue", *_NO_LIBRARY), "CreateLibraryFromFile", bench.device, str(tmp_path)
    )


_GARBAGE = [b"", b"\0", b"garbage", b"\x7fELF", b"\x7fELF" + bytes(60), bytes(4096), b"\xff" * 4096,
            b"\x03\x02\x23\x07" + bytes(16), b"BC\xc0\xde" + bytes(64)]  # fmt: skip


@pytest.mark.needs("LibraryFromMemory")
@pytest.mark.parametrize("content", _GARBAGE, ids=range(len(_GARBAGE)))
def test_bytes_that_are_no_library_are_refused(bench: Bench, content: bytes) -> None:
    bench.native.refuse(_NO_LIBRARY, "CreateLibrary", bench.device, pattern(content), len(content))


@pytest.mark.parametrize("content", _GARBAGE, ids=range(len(_GARBAGE)))
def test_a_file_that_is_no_library_is_refused(bench: Bench, tmp_path: Path, content: bytes) -> None:
    path = tmp_path / f"garbage{bench.kernels.file('elements').suffix}"
    path.write_bytes(content)
    bench.native.refuse(_NO_LIBRARY, "CreateLibraryFromFile", bench.device, str(path))


@pytest.mark.needs("LibraryFromMemory")
@pytest.mark.parametrize("part", [0.0, 0.01, 0.1, 0.3, 0.5, 0.7, 0.9, 0.99, -1])
def test_a_library_that_was_cut_short_is_refused(bench: Bench, part: float) -> None:
    whole = bench.kernels.code("elements")
    size = len(whole) - 1 if part == -1 else int(part * len(whole))
    cut = whole[:size]
    if cut.rstrip() == whole.rstrip() or cut.rstrip(b"\0") == whole.rstrip(b"\0"):
        return  # a text without its last line break, or padding
    status = bench.native.try_("CreateLibrary", bench.device, pattern(cut), size, calls.OUT)
    if status == "NXS_Success":  # what was cut off is not code, such as a table of names
        run_fill(bench, bench.adopt("Library", calls.OUT.value))
    else:
        assert status == "NXS_InvalidBinary"


def test_a_kernel_that_is_not_there_is_refused(bench: Bench) -> None:
    library = bench.library("elements")
    for name in ("none", "fill_i3", "fill_i32 ", "FILL_I32", "fill_i32\0", " fill_i32", "\xff",
                 "x" * 100_000):  # fmt: skip
        bench.native.refuse("NXS_InvalidKernelName", "GetKernel", library, name)


def test_a_name_that_is_no_utf_8_is_the_name_of_no_kernel(bench: Bench) -> None:
    bench.native.refuse(
        ("NXS_InvalidKernelName", "NXS_InvalidValue"),
        "GetKernel", bench.library("elements"), _c_types.text(b"\xff\xfe"),
    )  # fmt: skip


def test_a_kernel_keeps_its_library(bench: Bench) -> None:
    library = bench.new_library("elements")
    kernel = bench.create("GetKernel", library, "fill_i32")
    bench.release("Library", library)
    bench.native.refuse("NXS_InvalidLibrary", "GetKernel", library, "fill_i32")
    others = [bench.new_library("work") for _ in range(10)]  # would use memory that was freed
    schedule, out = bench.schedule(), bench.buffer(bytes(64))
    command = bench.raw_command(schedule, kernel=kernel)
    bench.release("Kernel", kernel)
    for index, argument in enumerate(fill_arguments(out, 8)):
        bench.native.get("SetCommandArgument", command, index, argument)
    bench.native.get("FinalizeCommand", command, launch(16))
    bench.run(schedule)
    assert bench.integers(out, 16) == [8] * 16
    assert len(others) == 10


def test_two_libraries_of_one_code_are_two(bench: Bench) -> None:
    first, second = bench.new_library("elements"), bench.new_library("elements")
    assert first != second
    bench.release("Library", first)
    run_fill(bench, second)


def test_a_library_s_kernel_names_are_kernels(bench: Bench) -> None:
    library = bench.library("elements")
    names = bench.property("Library", library, "KernelNames")
    if names is not None:
        assert names == sorted(set(names))
        assert {"fill_i32", "add_i32", "scale_f32"} <= set(names)
        for name in names:
            bench.create("GetKernel", library, name)


# ---- Variables ----


def looked_up(bench: Bench, library: int) -> list[int]:
    """Returns what a kernel of the library reads in its table."""
    schedule, out = bench.schedule(), bench.buffer(bytes(16))
    kernel = bench.create("GetKernel", library, "look_up")
    bench.command(schedule, kernel, [buffer_argument(out, 16)], 4)
    bench.run(schedule)
    return bench.integers(out, 4)


def set_table(bench: Bench, table: int, *values: int) -> None:
    stream = bench.stream()
    given = pattern(struct.pack("<4i", *values))
    bench.finish(stream, bench.native.get("WriteBuffer", table, 0, given, 16, stream))


@pytest.mark.needs("Globals")
def test_a_variable_is_a_buffer_that_kernels_read(bench: Bench) -> None:
    library = bench.new_library("constants")
    table = bench.create("GetGlobal", library, "table")
    assert bench.property("Buffer", table, "Size") == 16
    assert bench.integers(table, 4) == looked_up(bench, library) == [1, 2, 3, 4]
    set_table(bench, table, 5, -6, 7, 8)
    again = bench.create("GetGlobal", library, "table")
    assert bench.integers(again, 4) == looked_up(bench, library) == [5, -6, 7, 8]
    assert looked_up(bench, bench.new_library("constants")) == [1, 2, 3, 4]


@pytest.mark.needs("Globals")
def test_a_variable_s_buffer_keeps_the_library(bench: Bench) -> None:
    library = bench.new_library("constants")
    kernel = bench.create("GetKernel", library, "look_up")
    table = bench.create("GetGlobal", library, "table")
    bench.release("Kernel", kernel)
    bench.release("Library", library)
    bench.native.refuse("NXS_InvalidLibrary", "GetGlobal", library, "table")
    others = [bench.new_library("constants") for _ in range(10)]  # would use freed memory
    set_table(bench, table, 4, 3, 2, 1)
    assert bench.integers(table, 4) == [4, 3, 2, 1]
    assert looked_up(bench, others[-1]) == [1, 2, 3, 4]


@pytest.mark.needs("Globals")
def test_a_variable_that_is_not_there_is_refused(bench: Bench) -> None:
    library = bench.library("constants")
    for name in ("none", "tabl", "look_up", "", "\xff", "x" * 100_000):
        bench.native.refuse("NXS_InvalidValue", "GetGlobal", library, name)


# ---- Arguments ----


@pytest.mark.needs("ArgumentInfo")
def test_a_kernel_describes_its_arguments(bench: Bench) -> None:
    kernel = bench.kernel("scale_f32")
    found = [bench.native.get("GetKernelArgument", kernel, index) for index in range(3)]
    assert [_c_types.string_of(each.name) for each in found] == ["x", "factor", "out"]
    buffer, scalar = N()["NXS_ArgumentKind_Buffer"], N()["NXS_ArgumentKind_Scalar"]
    unknown = N()["NXS_ArgumentKind_Unknown"]
    for info, kind in zip(found, (buffer, scalar, buffer), strict=True):
        assert info.kind in (kind, unknown)
        assert info.data_type in (N()["NXS_DataType_F32"], N()["NXS_DataType_Undefined"])
    assert found[1].size == 4
    if found[0].kind == buffer:
        assert found[0].size == 0


@pytest.mark.needs("ArgumentInfo")
@pytest.mark.parametrize("index", [3, 4, 1 << 31, (1 << 32) - 1])
def test_an_argument_that_there_is_not_is_not_described(bench: Bench, index: int) -> None:
    bench.native.refuse(
        "NXS_InvalidArgIndex", "GetKernelArgument", bench.kernel("scale_f32"), index
    )


@pytest.mark.needs("ArgumentInfo")
def test_a_kernel_without_arguments_describes_none(bench: Bench) -> None:
    kernel = bench.kernel("empty")
    assert bench.property("Kernel", kernel, "Count") == 0
    bench.native.refuse("NXS_InvalidArgIndex", "GetKernelArgument", kernel, 0)


@pytest.mark.needs("ArgumentInfo")
def test_a_description_lives_as_long_as_its_kernel(bench: Bench) -> None:
    library = bench.new_library("elements")
    kernel = bench.create("GetKernel", library, "scale_f32")
    info = bench.native.get("GetKernelArgument", kernel, 1)
    bench.release("Library", library)
    for _ in range(20):
        bench.new_library("elements")
    assert _c_types.string_of(info.name) == "factor"
