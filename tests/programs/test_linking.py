# SPDX-License-Identifier: Apache-2.0
"""nexus.Linker, on the CPU: pieces that were compiled apart become one program."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nexus

SQUARE = "float square(float x) { return x * x; }\n"
MAIN = """
float square(float x);
void squares(const float *x, float *y, long id) { y[id] = square(x[id]); }
"""
PORTABLE = """
NEXUS_KERNEL_BOUNDED({name}, (nexus_grid_size(0)), (NEXUS_GLOBAL float *, x)) {{
  x[nexus_global_id(0)] *= {factor}.0f;
}}
"""
PIECE = nexus.ProgramOptions(relocatable=True)


def piece(text: str, language: str = "c", name: str = "part.c") -> nexus.ObjectCode:
    return nexus.Program(text, language, name, PIECE).compile("cpu")


def names(code: nexus.ObjectCode) -> list[str]:
    return sorted(kernel.name for kernel in code.kernels)


def test_a_function_of_one_piece_is_called_by_the_other() -> None:
    whole = nexus.Linker(piece(SQUARE), piece(MAIN), name="whole").link()
    assert names(whole) == ["square", "squares"]
    assert (whole.name, whole.runtime, whole.format) == ("whole", "cpu", "elf")
    kernel = nexus.get_device("cpu").load_library(whole).get_kernel("squares")
    assert kernel.name == "squares"


def test_a_piece_says_what_it_is_and_names_no_kernel() -> None:
    code = piece(MAIN)
    assert code.format == "object"
    assert code.kernels == ()
    assert "-shared" not in code.flags
    assert pickle.loads(pickle.dumps(code)).code == code.code
    assert piece(MAIN).origin == "memory"


def test_pieces_in_the_portable_language_run() -> None:
    factors = {"double_all": 2, "triple_all": 3}
    texts = [PORTABLE.format(name=name, factor=factor) for name, factor in factors.items()]
    whole = nexus.Linker(*(piece(text, "nexus") for text in texts)).link()
    assert names(whole) == list(factors)
    device = nexus.get_device("cpu")
    library = device.load_library(whole)
    x = device.create_buffer(np.ones(8, np.float32))
    schedule = device.create_schedule()
    for name in factors:
        schedule.create_command(library.get_kernel(name), (x,), None, 8)
    schedule.run()
    assert x.numpy().tolist() == [6.0] * 8


def test_pieces_may_be_bytes_and_files(tmp_path: Path) -> None:
    path = tmp_path / "square.o"
    path.write_bytes(piece(SQUARE).code)
    assert names(nexus.Linker(path, piece(MAIN).code, target="cpu").link()) == ["square", "squares"]


def test_what_two_pieces_define_is_told_with_both() -> None:
    with pytest.raises(nexus.CompileError, match="square") as error:
        nexus.Linker(piece(SQUARE, name="one.c"), piece(SQUARE, name="two.c")).link()
    assert error.value.status == nexus.status.NXS_LinkProgramFailure
    assert "one.c" in error.value.log
    assert "two.c" in error.value.log


def test_what_no_piece_has_is_told() -> None:
    with pytest.raises(nexus.NexusError, match="square"):
        nexus.Linker(piece(MAIN)).link()


@pytest.mark.parametrize("code", [b"", b"text", b"\x7fELF", b"\x7fELF" + bytes(60)])
def test_what_is_no_object_file_is_refused(code: bytes) -> None:
    with pytest.raises(nexus.NexusError, match=r"codes\[0\]") as error:
        nexus.Linker(code, target="cpu").link()
    assert error.value.status == nexus.status.NXS_InvalidBinary


def test_a_library_that_is_whole_is_no_piece() -> None:
    whole = nexus.Program(SQUARE, "c").compile("cpu")
    with pytest.raises(nexus.NexusError, match="relocatable=True"):
        nexus.Linker(whole).link()


@pytest.mark.parametrize(
    ("codes", "given", "error", "match"),
    [
        ((), {}, ValueError, "codes is empty"),
        ((b"x",), {}, ValueError, "target is missing"),
        (("a.o",), {}, TypeError, r"codes\[0\]"),
        ((None,), {}, TypeError, r"codes\[0\]"),
        ((b"x",), {"target": 3}, TypeError, "target"),
        ((b"x",), {"target": "cpu", "name": ""}, ValueError, "name"),
        ((b"x",), {"target": "cpu", "options": {}}, TypeError, "options"),
    ],
)
def test_arguments_that_are_none_are_named(
    codes: Any, given: dict[str, Any], error: type[Exception], match: str
) -> None:
    with pytest.raises(error, match=match):
        nexus.Linker(*codes, **given)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"missing\.o"):
        nexus.Linker(tmp_path / "missing.o", target="cpu")
    with pytest.raises(ValueError, match="folder"):
        nexus.Linker(tmp_path, target="cpu")


def test_name_expressions_are_refused_where_there_are_none() -> None:
    options = nexus.ProgramOptions(name_expressions=["f<int>"])
    with pytest.raises(ValueError, match="name_expressions has 'f<int>'"):
        nexus.Program("int f(int x) { return x; }", "c++", options=options).compile("cpu")


def test_a_backend_without_a_linker_says_so(faulty_device: nexus.Device) -> None:
    name = faulty_device.runtime.name
    with pytest.raises(nexus.NexusError, match="nxsLinkProgram") as error:
        nexus.Linker(b"x", target=name).link()
    assert error.value.status == nexus.status.NXS_NotSupported
    program = nexus.Program("kernel k", "reference", options=PIECE)
    with pytest.raises(ValueError, match="relocatable"):
        program.compile(name)
