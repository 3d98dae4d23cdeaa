# SPDX-License-Identifier: Apache-2.0
"""Kernels of CUDA C++ are found by extern "C", by name expressions and by plain names."""

from __future__ import annotations

import pickle

import pytest
from code_forms import kernels

import nexus

pytestmark = pytest.mark.usefixtures("device")

SCALE = """
namespace shapes { struct Round {}; }
template <class T> __global__ void scale(T *x, T a) { x[threadIdx.x] *= a; }
template <int N, class Shape> __global__ void fill(int *x) { x[threadIdx.x] = N; }
"""
EXPRESSIONS = ["scale<float>", "scale<unsigned long long>", "fill<3, shapes::Round>"]


def scales(target: nexus.Device | str = "cuda") -> nexus.ObjectCode:
    options = nexus.ProgramOptions(name_expressions=EXPRESSIONS)
    return nexus.Program(SCALE, "cuda", "scale.cu", options).compile(target)


def test_kernels_of_templates_are_found_by_their_expressions(device: nexus.Device) -> None:
    library = device.load_library(scales())
    for expression in EXPRESSIONS:
        assert library.get_kernel(expression).name == expression


def test_blanks_in_an_expression_do_not_count(device: nexus.Device) -> None:
    library = device.load_library(scales())
    assert library.get_kernel("fill< 3,shapes::Round >").name == "fill< 3,shapes::Round >"


def test_object_code_lists_the_expressions() -> None:
    assert sorted(kernel.name for kernel in scales().kernels) == sorted(EXPRESSIONS)


def test_the_symbols_stay_names_too(device: nexus.Device) -> None:
    library = device.load_library(scales())
    assert library.get_kernel("_Z5scaleIfEvPT_S0_").name == "_Z5scaleIfEvPT_S0_"


@pytest.mark.parametrize("target", ["cuda", "cuda:compute_80", "cuda:lto_90"])
def test_expressions_travel_with_the_code(device: nexus.Device, target: str) -> None:
    code = scales(target)
    if target == "cuda":
        assert "_Z5scaleIfEvPT_S0_" in kernels(code.code)
    for travelled in (pickle.loads(pickle.dumps(code)), code.code):
        if target == "cuda:compute_80":
            assert b"// nexus name: scale<float> = _Z5scaleIfEvPT_S0_\n" in code.code
        elif target == "cuda":
            found = device.load_library(travelled).get_kernel("scale<float>")
            assert found.name == "scale<float>"


def test_a_kernel_is_compiled_and_found_in_one_step(device: nexus.Device) -> None:
    library = device.compile(SCALE, "cuda", name_expressions=["scale<double>"])
    assert library.get_kernel("scale<double>").name == "scale<double>"


def test_a_function_that_is_there_once_is_found_by_its_plain_name(device: nexus.Device) -> None:
    text = "__global__ void once(int *x) { x[0] = 1; } __global__ void only(int) {}"
    library = device.compile(text, "cuda")
    assert [library.get_kernel(name).name for name in ("once", "only")] == ["once", "only"]


def test_a_function_that_is_there_twice_is_not(device: nexus.Device) -> None:
    text = "__global__ void two(int *x) { x[0] = 1; } __global__ void two(float *x) { x[0] = 1; }"
    with pytest.raises(nexus.NexusError, match="two"):
        device.compile(text, "cuda").get_kernel("two")


def test_an_expression_that_is_none_is_told_as_it_was_given() -> None:
    options = nexus.ProgramOptions(name_expressions=["scale<flot>"])
    with pytest.raises(nexus.CompileError, match=r"name_expressions: error: .*flot"):
        nexus.Program(SCALE, "cuda", "scale.cu", options).compile("cuda")


@pytest.mark.parametrize("language", ["ptx", "nvvm"])
def test_languages_without_templates_refuse_expressions(language: str) -> None:
    options = nexus.ProgramOptions(name_expressions=["f<int>"])
    with pytest.raises(ValueError, match="name_expressions has 'f<int>'"):
        nexus.Program("// nothing", language, "f", options).compile("cuda")
