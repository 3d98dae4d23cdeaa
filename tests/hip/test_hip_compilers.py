# SPDX-License-Identifier: Apache-2.0
"""Code objects of real compilers, read for simulated devices: clang's, and those of the hipRTC that
NEXUS_HIP_HIPRTC names. Neither needs a GPU."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import hip_machine
import pytest
from hip_machine import HipMachine

import nexus

pytestmark = pytest.mark.long

PROGRAM = Path(__file__).parent / "compiling" / "recorded" / "recorded.hip"
DESCRIBE = """
import json, sys, nexus
library = nexus.get_device("hip:0").load_library(%r)
reverse = library.get_kernel("reverse")
print(json.dumps([library.get_property("KernelNames"), reverse.get_property("ArgumentKinds"),
                  reverse.get_property("LocalMemorySize")]))
"""
COMPILE = """
import json, nexus
text = open(%r).read().replace("#include <nexus_kernel.h>", "")
code = nexus.Program(text, name="recorded.hip").compile("hip:%s")
print(json.dumps([code.target, code.code[:4].hex()]))
"""


def clang() -> str:
    """A clang++ with its linker."""
    names = [f"clang++-{version}" for version in range(30, 17, -1)]
    found = next((name for name in ("clang++", *names) if shutil.which(name)), None)
    return found or pytest.skip(
        "needs clang with the AMDGPU target: apt-get install clang-19 lld-19"
    )


def compiled(folder: Path, *flags: str) -> Path:
    """The code object that clang makes of the recorded program."""
    output = folder / "code.hsaco"
    command = [
        clang(), "-x", "hip", "--cuda-device-only", "--no-gpu-bundle-output", "-nogpulib",
        "-nogpuinc", "-std=c++17", "-O2", f"-I{nexus.get_include()}", *flags, str(PROGRAM),
        "-o", str(output),
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        pytest.skip(f"clang makes no code for AMD's GPUs: {done.stderr[-300:]}")
    return output


@pytest.mark.parametrize("architecture", [906, 942, 1030, 1100, 1201])
@pytest.mark.parametrize("version", [4, 5, 6])
def test_a_code_object_of_clang_is_read(
    rocm: HipMachine, architecture: int, version: int, tmp_path: Path
) -> None:
    flags = f"--offload-arch=gfx{architecture}", f"-mcode-object-version={version}"
    path = str(compiled(tmp_path, *flags))
    told, _ = hip_machine.of_rocm(architecture=architecture).run(DESCRIBE % path)
    assert told == [["reverse", "saxpy"], ["buffer", "local"], 64]


@pytest.mark.parametrize("architecture", ["gfx900", "gfx90a", "gfx1030"])
def test_hiprtc_compiles(rocm: HipMachine, architecture: str) -> None:
    named = os.environ.get("NEXUS_HIP_HIPRTC")
    if not named:
        pytest.skip("needs ROCm's hipRTC, whose path NEXUS_HIP_HIPRTC names")
    machine = rocm.having(NEXUS_HIP_HIPRTC=named, NEXUS_DISK_CACHE="0")
    told, _ = machine.run(COMPILE % (str(PROGRAM), architecture))
    assert told == [architecture, "7f454c46"]
