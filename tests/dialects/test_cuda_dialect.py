# SPDX-License-Identifier: Apache-2.0
"""The kernel language as CUDA C++.

Proves that NVIDIA's own compiler accepts every construct and makes machine code of it for the
architectures below. What that code computes is in test_dialect_results.py, on a machine with a GPU.
"""

from __future__ import annotations

import nvrtc
import pytest
from corpus import CORPUS, PROGRAMS, REFUSED, Program, snippet, with_arguments
from description import BUFFER, LOCAL_MEMORY, SCALAR, Argument, Description, read_description
from elf import symbols

ARCHITECTURES = [75, 80, 86, 89, 90, 100, 120]

pytestmark = pytest.mark.skipif(nvrtc.library() is None, reason=nvrtc.HOW_TO_GET)


@pytest.mark.parametrize("architecture", ARCHITECTURES, ids=lambda number: f"sm_{number}")
def test_nvrtc_makes_machine_code_of_every_construct_without_a_warning(architecture: int) -> None:
    if architecture not in nvrtc.architectures():
        pytest.skip(f"not checked: this NVRTC does not know sm_{architecture}; install another")
    compiled = nvrtc.compile_for(architecture, CORPUS)
    assert compiled.log == ""
    assert "saxpy" in symbols(compiled.code)


@pytest.mark.parametrize("program", PROGRAMS[1:], ids=str)
def test_nvrtc_makes_machine_code_of_the_gallery(program: Program) -> None:
    for architecture in (ARCHITECTURES[0], ARCHITECTURES[-1]):
        compiled = nvrtc.compile_for(architecture, program)
        assert compiled.log == ""
        assert compiled.code


def test_a_kernel_has_up_to_64_arguments() -> None:
    compiled = nvrtc.compile_for(ARCHITECTURES[0], with_arguments(64))
    assert compiled.log == ""
    described = read_description(symbols(compiled.code)["nexus_kernel_add"])
    assert len(described.arguments) == 64


@pytest.mark.parametrize(("what", "text", "says"), REFUSED, ids=lambda value: str(value)[:40])
def test_nvrtc_refuses(what: str, text: str, says: str) -> None:
    compiled = nvrtc.compile_for(ARCHITECTURES[0], snippet(text))
    assert compiled.code == b"", what
    assert "error" in compiled.log
    assert says in compiled.log


def test_object_code_describes_its_kernels() -> None:
    code = symbols(nvrtc.compile_for(ARCHITECTURES[0], CORPUS).code)
    assert read_description(code["nexus_kernel_saxpy"]) == Description(
        (0, 0, 0),
        0,
        (
            Argument("x", "const float *__restrict__", BUFFER, 1, 0, read_only=True),
            Argument("y", "float *__restrict__", BUFFER, 1, 0, read_only=False),
            Argument("a", "float", SCALAR, 1, 4, read_only=False),
            Argument("n", "int", SCALAR, 8, 4, read_only=False),
        ),
    )
    reverse = read_description(code["nexus_kernel_reverse_groups"])
    assert reverse.local_memory == 64 * 4
    assert reverse.arguments[1] == Argument("scratch", "int *", LOCAL_MEMORY, 8, 0, read_only=False)
    assert len(reverse.arguments) == 2  # an array of its own is not an argument
    assert read_description(code["nexus_kernel_longest_collatz"]).group_size == (8, 4, 1)
    assert read_description(code["nexus_kernel_nothing"]).arguments == ()
    vectors = read_description(code["nexus_kernel_vectors_by_value"])
    assert vectors.arguments[1] == Argument("a", "nexus_float4", SCALAR, 0, 16, read_only=False)
    scalars = read_description(code["nexus_kernel_all_scalars"])
    numbers = [(argument.data_type, argument.size) for argument in scalars.arguments[1:]]
    assert numbers == [
        (12, 1), (10, 2), (8, 4), (17, 8), (13, 1), (11, 2), (9, 4), (18, 8), (19, 1),
        (8, 4), (1, 4),
    ]  # fmt: skip
