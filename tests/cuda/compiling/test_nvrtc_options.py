# SPDX-License-Identifier: Apache-2.0
"""ProgramOptions become NVRTC's flags, which take effect."""

from __future__ import annotations

from typing import Any

import pytest

import nexus

pytestmark = pytest.mark.usefixtures("device")

DIVIDE = 'extern "C" __global__ void k(float *x) { x[0] = x[1] / x[2] + x[3] * x[4]; }'


def ptx(text: str = DIVIDE, **options: Any) -> str:
    program = nexus.Program(text, "cuda", "k.cu", nexus.ProgramOptions(**options))
    return program.compile("cuda:compute_80").code.decode()


@pytest.mark.parametrize(
    ("options", "flag"),
    [
        ({"fast_math": True}, "--use_fast_math"),
        ({"debug": True}, "--device-debug"),
        ({"line_info": True}, "--generate-line-info"),
        ({"optimization": 0}, "--ptxas-options=-O0"),
        ({"relocatable": True}, "--relocatable-device-code=true"),
        ({"defines": {"TILE": 16}}, "--define-macro=TILE=16"),
        ({"standard": "c++20"}, "--std=c++20"),
        ({"extra": {"cuda": ["--maxrregcount=64"]}}, "--maxrregcount=64"),
        ({"extra": {"cuda": ["--ftz=true"]}}, "--ftz=true"),
        ({"extra": {"cuda": ["--fmad=false"]}}, "--fmad=false"),
    ],
)
def test_an_option_becomes_a_flag_that_the_compiler_takes(
    options: dict[str, Any], flag: str
) -> None:
    chosen = nexus.ProgramOptions(**options)
    code = nexus.Program(DIVIDE, "cuda", "k.cu", chosen).compile("cuda:sm_90")
    assert flag in code.flags
    assert flag in chosen.flags("cuda", "cuda")


def test_fast_mathematics_divides_approximately() -> None:
    assert "div.rn.f32" in ptx()
    assert "div.approx.ftz.f32" in ptx(fast_math=True)


def test_multiply_and_add_are_fused_unless_a_flag_says_no() -> None:
    assert "fma.rn.f32" in ptx()
    assert "fma.rn.f32" not in ptx(extra={"cuda": ["--fmad=false"]})


def test_defines_are_the_program_s() -> None:
    text = 'extern "C" __global__ void k(int *x) { x[0] = VALUE; }'
    assert "12345" in ptx(text, defines={"VALUE": 12345})
    assert "7" in ptx(text, defines={"VALUE": "(3 + 4)"})


def test_a_newer_standard_has_what_it_brought() -> None:
    text = """template <class T> concept Any = true;
    extern "C" __global__ void k(int *x) { x[0] = 1; }"""
    assert ".entry k" in ptx(text, standard="c++20")
    with pytest.raises(nexus.CompileError):
        ptx(text, standard="c++17")


@pytest.mark.parametrize(
    "header", ["cuda_fp16.h", "cuda_bf16.h", "cooperative_groups.h", "cuda/std/type_traits"]
)
def test_headers_of_cuda_come_from_wheels(header: str) -> None:
    text = f'#include <{header}>\nextern "C" __global__ void k(int *x) {{ x[0] = 1; }}'
    assert ".entry k" in ptx(text)


def test_half_precision_is_what_the_header_says() -> None:
    text = """#include <cuda_fp16.h>
    extern "C" __global__ void twice(__half *x) { x[threadIdx.x] = __hadd(x[threadIdx.x],
                                                                          x[threadIdx.x]); }"""
    assert ".f16" in ptx(text)
