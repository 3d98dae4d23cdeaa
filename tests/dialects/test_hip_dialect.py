# SPDX-License-Identifier: Apache-2.0
"""The kernel language as HIP.

Proves that clang accepts every construct and makes and links code objects for the architectures
below. ROCm's device library is not there: its functions are stubs here, so nothing is proved of
what they compute. hiprtc is the same compiler, with HIP's headers included before the program; the
dialect takes nothing from those headers.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from corpus import CORPUS, PROGRAMS, REFUSED, Program, snippet, with_arguments
from description import LOCAL_MEMORY, Argument, read_description
from elf import symbols
from hip_compiler import ARCHITECTURES, HOW_TO_GET, clang, compile_hip, device_library

WARNINGS = ["-O2", "-Wall", "-Wextra", "-Wno-unused-parameter"]


def compile_for(architecture: str, program: Program, folder: Path) -> tuple[bytes, str]:
    """The code object, empty if the program is refused, and all that the compiler said."""
    made = compile_hip(architecture, program.text + device_library(), folder, *WARNINGS)
    return made.code, made.log


pytestmark = pytest.mark.skipif(clang() is None, reason=HOW_TO_GET)


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_clang_makes_a_code_object_of_every_construct_without_a_warning(
    architecture: str, tmp_path: Path
) -> None:
    code, log = compile_for(architecture, CORPUS, tmp_path)
    assert log == ""
    found = symbols(code)
    assert {"saxpy.kd", "sum_groups.kd", "atomics_of_float.kd"} <= found.keys()


@pytest.mark.parametrize("program", PROGRAMS[1:], ids=str)
def test_clang_makes_a_code_object_of_the_gallery(program: Program, tmp_path: Path) -> None:
    code, log = compile_for(ARCHITECTURES[0], program, tmp_path)
    assert log == ""
    assert code


def test_a_kernel_has_up_to_64_arguments(tmp_path: Path) -> None:
    code, log = compile_for(ARCHITECTURES[0], with_arguments(64), tmp_path)
    assert log == ""
    assert len(read_description(symbols(code)["nexus_kernel_add"]).arguments) == 64


@pytest.mark.parametrize(("what", "text", "says"), REFUSED, ids=lambda value: str(value)[:40])
def test_clang_refuses(what: str, text: str, says: str, tmp_path: Path) -> None:
    code, log = compile_for(ARCHITECTURES[0], snippet(text), tmp_path)
    assert code == b"", what
    assert "error" in log
    assert says in log


def test_code_objects_describe_their_kernels(tmp_path: Path) -> None:
    found = symbols(compile_for(ARCHITECTURES[0], CORPUS, tmp_path)[0])
    reverse = read_description(found["nexus_kernel_reverse_groups"])
    assert reverse.local_memory == 64 * 4
    assert reverse.arguments[1] == Argument("scratch", "int *", LOCAL_MEMORY, 8, 0, read_only=False)
    assert read_description(found["nexus_kernel_longest_collatz"]).group_size == (8, 4, 1)
