# SPDX-License-Identifier: Apache-2.0
"""Targets of programs: architectures, machine code, PTX and LTO-IR."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from code_forms import architecture, kernels

import nexus
from nexus._compile._options import Settings, settings_of

pytestmark = pytest.mark.usefixtures("device")

ROOT = Path(__file__).resolve().parents[3]
GALLERY = sorted((ROOT / "examples" / "kernels").glob("*.c"))
ARCHITECTURES = [75, 80, 86, 89, 90, 100, 120]
SCALE = 'extern "C" __global__ void scale(float *x, float a) { x[threadIdx.x] *= a; }'


def scale(target: str) -> nexus.ObjectCode:
    return nexus.Program(SCALE, "cuda", "scale.cu").compile(target)


@pytest.mark.parametrize("path", GALLERY, ids=lambda path: path.stem)
@pytest.mark.parametrize("number", ARCHITECTURES)
def test_the_gallery_becomes_machine_code(path: Path, number: int) -> None:
    code = nexus.Program(path).compile(f"cuda:sm_{number}")
    assert (code.target, code.format, code.log) == (f"sm_{number}", "cubin", "")
    assert architecture(code.code) == number
    assert kernels(code.code)


def test_a_device_gets_machine_code_of_its_own_architecture(device: nexus.Device) -> None:
    code = nexus.Program(SCALE, "cuda").compile(device)
    assert code.target == device.get_property_str("Architecture")
    assert f"sm_{architecture(code.code)}" == code.target
    assert [kernel.name for kernel in code.kernels] == ["scale"]
    assert device.load_library(code).get_kernel("scale").name == "scale"


def test_a_virtual_architecture_gives_ptx() -> None:
    code = scale("cuda:compute_80")
    assert code.format == "ptx"
    assert b".target sm_80" in code.code
    assert b".visible .entry scale" in code.code


def test_what_is_optimized_when_linked_is_lto_ir() -> None:
    code = scale("cuda:lto_90")
    assert (code.format, code.target) == ("ltoir", "lto_90")
    assert code.code[:4] == b"\xedCN\x7f"


def test_an_architecture_may_have_what_no_other_has() -> None:
    text = """extern "C" __global__ void k() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 96;");
}"""
    program = nexus.Program(text, "cuda", "registers.cu")
    assert program.compile("cuda:sm_90a").target == "sm_90a"
    with pytest.raises(nexus.CompileError, match="setmaxnreg"):
        program.compile("cuda:sm_90")


@pytest.mark.parametrize("target", ["sm_", "sm_9x", "90", "ampere", "compute_", "sm_90z", "lto"])
def test_what_is_no_target_is_refused(target: str) -> None:
    with pytest.raises(ValueError, match="target"):
        scale(f"cuda:{target}" if not target.isdigit() else f"cuda:sm{target}")


def test_an_architecture_that_the_compiler_does_not_know_lists_those_that_it_does() -> None:
    with pytest.raises(ValueError, match=r"sm_99.*NVRTC.*90"):
        scale("cuda:sm_99")


def test_the_compiler_is_described_without_being_started(device: nexus.Device) -> None:
    told = json.loads(nexus._core.describe_compile(device, "", "cuda", settings()))
    assert told["Compiler"].startswith("NVRTC ")
    assert "libnvrtc" in told["Identity"]
    assert "cuda_runtime_api.h" in told["Identity"]
    assert told["Target"] == device.get_property_str("Architecture")
    assert told["Format"] == "cubin"
    assert told["Flags"][0] == f"--gpu-architecture={told['Target']}"


def settings() -> Settings:
    return settings_of(nexus.ProgramOptions(), "cuda")


def test_the_device_names_its_compiler_and_languages(device: nexus.Device) -> None:
    assert device.get_property_str("Compiler").startswith("NVRTC ")
    assert device.get_property_str_vec("Languages") == ["nexus", "cuda", "ptx", "nvvm"]
