# SPDX-License-Identifier: Apache-2.0
"""nexus.Linker with nvJitLink, and code that is linked or compiled at loading."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from code_forms import architecture, kernels

import nexus

HELPER = 'extern "C" __device__ float helper(float x) { return x * x; }'
MAIN = """extern "C" __device__ float helper(float x);
extern "C" __global__ void square(float *x) { x[threadIdx.x] = helper(x[threadIdx.x]); }"""
PTX = """
.version 8.0
.target sm_80
.address_size 64
.visible .entry nothing() { ret; }
"""
NVVM_IR = """
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"
define void @nothing() {
  ret void
}
!nvvm.annotations = !{!0}
!0 = !{void ()* @nothing, !"kernel", i32 1}
!nvvmir.version = !{!1}
!1 = !{i32 2, i32 0}
"""


def piece(text: str, name: str, target: str = "cuda:sm_90") -> nexus.ObjectCode:
    options = nexus.ProgramOptions(relocatable=True)
    return nexus.Program(text, "cuda", name, options).compile(target)


@pytest.mark.parametrize("form", ["sm", "compute", "lto"])
def test_pieces_become_one_program(linker: nexus.Device, form: str) -> None:
    target = f"cuda:{form}_90"
    pieces = piece(HELPER, "helper.cu", target), piece(MAIN, "main.cu", target)
    whole = nexus.Linker(*pieces, target="cuda:sm_90", name="whole").link()
    assert (whole.name, whole.runtime) == ("whole", "cuda")
    assert (whole.format, whole.target, whole.log) == ("cubin", "sm_90", "")
    assert architecture(whole.code) == 90
    assert "square" in kernels(whole.code)
    assert "square" in linker.load_library(whole.code).get_property_str_vec("KernelNames")


def test_linked_lto_ir_has_no_call_left(linker: nexus.Device) -> None:
    pieces = [piece(text, "part.cu", "cuda:lto_90") for text in (HELPER, MAIN)]
    assert kernels(nexus.Linker(*pieces, target="cuda:sm_90").link().code) == {"square"}


def test_lto_ir_links_to_ptx(linker: nexus.Device) -> None:
    pieces = [piece(text, "part.cu", "cuda:lto_90") for text in (HELPER, MAIN)]
    whole = nexus.Linker(*pieces, target="cuda:compute_90").link()
    assert whole.format == "ptx"
    assert b".entry square" in whole.code


def test_pieces_may_be_bytes_and_files_of_several_forms(
    linker: nexus.Device, tmp_path: Path
) -> None:
    path = tmp_path / "helper.cubin"
    path.write_bytes(piece(HELPER, "helper.cu").code)
    ptx = piece(MAIN, "main.cu", "cuda:compute_80").code
    whole = nexus.Linker(path, ptx, target="cuda:sm_90").link()
    assert "square" in kernels(whole.code)


def test_name_expressions_stay(linker: nexus.Device) -> None:
    text = "template <class T> __global__ void scale(T *x) { x[0] *= 2; }"
    options = nexus.ProgramOptions(relocatable=True, name_expressions=["scale<int>"])
    code = nexus.Program(text, "cuda", "scale.cu", options).compile(linker)
    whole = nexus.Linker(code, piece(HELPER, "helper.cu", "cuda:compute_80")).link()
    assert linker.load_library(whole).get_kernel("scale<int>").name == "scale<int>"


def test_a_function_that_none_has_is_told(linker: nexus.Device) -> None:
    with pytest.raises(nexus.CompileError, match=r"helper.*main\.cu") as error:
        nexus.Linker(piece(MAIN, "main.cu")).link()
    assert error.value.status == nexus.status.NXS_LinkProgramFailure
    assert "helper" in error.value.log


def test_a_function_that_two_have_is_told(
    linker: nexus.Device, capfd: pytest.CaptureFixture[str]
) -> None:
    pieces = piece(HELPER, "one.cu"), piece(HELPER, "two.cu")
    with pytest.raises(nexus.CompileError, match=r"'helper' is defined by 'one\.cu' and by 'two"):
        nexus.Linker(*pieces).link()
    assert capfd.readouterr() == ("", "")


def test_a_piece_for_another_architecture_is_named(linker: nexus.Device) -> None:
    with pytest.raises(nexus.CompileError, match=r"'helper\.cu' is for sm_90, .* sm_75"):
        nexus.Linker(piece(HELPER, "helper.cu"), target="cuda:sm_75").link()


@pytest.mark.parametrize("code", [b"no code at all", b"", b"\x7fELF", HELPER.encode()])
def test_what_is_no_code_is_refused(linker: nexus.Device, code: bytes) -> None:
    with pytest.raises(nexus.NexusError, match=r"codes\[0\]") as error:
        nexus.Linker(code, target="cuda").link()
    assert error.value.status == nexus.status.NXS_InvalidBinary


def test_a_piece_that_was_cut_short_is_refused(linker: nexus.Device) -> None:
    code = piece(HELPER, "helper.cu").code
    with pytest.raises(nexus.NexusError, match="truncated"):
        nexus.Linker(code[: len(code) // 2], target="cuda").link()


def test_a_flag_of_the_linker_that_there_is_not_is_told(linker: nexus.Device) -> None:
    options = nexus.ProgramOptions(extra={"cuda": ["-no-such-flag"]})
    with pytest.raises(ValueError, match="no-such-flag"):
        nexus.Linker(piece(HELPER, "helper.cu"), options=options).link()


@pytest.mark.parametrize("level", [0, 1, 2, 3])
def test_each_optimization_links(linker: nexus.Device, level: int) -> None:
    options = nexus.ProgramOptions(optimization=level)
    pieces = piece(HELPER, "helper.cu"), piece(MAIN, "main.cu")
    assert "square" in kernels(nexus.Linker(*pieces, options=options).link().code)
    assert nexus.Program(PTX, "ptx", "nothing.ptx", options).compile("cuda").format == "cubin"


@pytest.mark.parametrize("option", ["debug", "line_info", "fast_math"])
def test_each_option_links(linker: nexus.Device, option: str) -> None:
    options = nexus.ProgramOptions().replace(**{option: True})
    code = piece(HELPER + MAIN.partition("\n")[2], "lto.cu", "cuda:lto_90")
    assert "square" in kernels(nexus.Linker(code, target="cuda", options=options).link().code)


def test_ptx_is_a_language(linker: nexus.Device) -> None:
    code = nexus.Program(PTX, "ptx", "nothing.ptx").compile("cuda:sm_86")
    assert (code.format, architecture(code.code), kernels(code.code)) == ("cubin", 86, {"nothing"})
    assert nexus.Program(PTX, "ptx").compile("cuda:compute_80").code == PTX.encode()


def test_a_mistake_in_ptx_is_told_with_its_line(linker: nexus.Device) -> None:
    text = PTX.replace("ret;", "\n nonsense.u32 %r1;\n ret;")
    with pytest.raises(nexus.CompileError, match=r"bad\.ptx:6: error: .*nonsense"):
        nexus.Program(text, "ptx", "bad.ptx").compile("cuda:sm_90")
    with pytest.raises(nexus.CompileError, match="is not PTX"):
        nexus.Program("nonsense", "ptx", "bad.ptx").compile("cuda:sm_90")


def test_nvvm_ir_is_a_language(nvvm: nexus.Device, linker: nexus.Device) -> None:
    program = nexus.Program(NVVM_IR, "nvvm", "nothing.ll")
    assert b".entry nothing" in program.compile("cuda:compute_80").code
    assert kernels(program.compile("cuda:sm_80").code) == {"nothing"}


def test_a_mistake_in_nvvm_ir_is_told(nvvm: nexus.Device) -> None:
    text = NVVM_IR.replace("ret void", "ret i32 oops")
    with pytest.raises(nexus.CompileError, match=r"bad\.ll"):
        nexus.Program(text, "nvvm", "bad.ll").compile("cuda")


@pytest.mark.parametrize("form", ["sm", "compute", "lto"])
def test_a_library_is_loaded_by_its_content(linker: nexus.Device, form: str) -> None:
    architecture = linker.get_property_str("Architecture").removeprefix("sm_")
    text = HELPER + MAIN.partition("\n")[2]
    code = piece(text, "whole.cu", f"cuda:{form}_{architecture}").code
    if form == "compute":  # the simulated driver is older than the compiler may be
        code = re.sub(rb"\.version \S+", b".version 8.0", code)
    assert "square" in linker.load_library(code).get_property_str_vec("KernelNames")


def test_nvvm_ir_is_loaded_by_its_content(nvvm: nexus.Device) -> None:
    library = nvvm.load_library(NVVM_IR.encode())
    assert library.get_property_str_vec("KernelNames") == ["nothing"]
