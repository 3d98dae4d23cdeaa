# SPDX-License-Identifier: Apache-2.0
"""The kernel language as HIP.

Proves that clang accepts every construct and makes and links code objects for the architectures
below. ROCm's device library is not there: its functions are stubs here, so nothing is proved of
what they compute. hiprtc is the same compiler, with HIP's headers included before the program; the
dialect takes nothing from those headers.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from functools import cache
from pathlib import Path

import pytest
from corpus import CORPUS, INCLUDE, PROGRAMS, REFUSED, Program, snippet, with_arguments
from description import LOCAL_MEMORY, Argument, read_description
from elf import symbols

ARCHITECTURES = ["gfx90a", "gfx942", "gfx1100"]
VERSIONS = range(30, 17, -1)  # of clang: the first that knows gfx942 is 18
HOW_TO_GET = (
    "not checked: no clang with the AMDGPU target and lld of the same version; "
    "apt-get install clang-19 lld-19"
)


@cache
def clang() -> str | None:
    """A clang that makes code for AMD's GPUs and links it, or None."""
    names = ["clang++", *(f"clang++-{version}" for version in VERSIONS)]
    return next((name for name in names if shutil.which(name) and _links(name)), None)


def _links(name: str) -> bool:
    flags = ["-x", "hip", "--cuda-device-only", "-nogpulib", "-nogpuinc", "--no-gpu-bundle-output"]
    done = subprocess.run(
        [name, *flags, "--offload-arch=gfx942", "-o", "-", "-"],
        input=b"__attribute__((global)) void k() {}", capture_output=True, check=False,
    )  # fmt: skip
    return done.returncode == 0


def compile_for(architecture: str, program: Program, folder: Path) -> tuple[bytes, str]:
    """The code object, empty where the program is refused, and all that the compiler said."""
    source = folder / "kernel.hip"
    source.write_text(program.text + device_library(), "utf-8")
    output = folder / "kernel.co"
    done = subprocess.run(
        [
            clang() or "", "-x", "hip", "--cuda-device-only", "--no-gpu-bundle-output",
            "-nogpulib", "-nogpuinc", f"--offload-arch={architecture}", "-std=c++17", "-O2",
            "-Wall", "-Wextra", "-Wno-unused-parameter", f"-I{INCLUDE}", str(source),
            "-o", str(output),
        ],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    return output.read_bytes() if output.exists() else b"", done.stdout + done.stderr


def device_library() -> str:
    """A definition of each function of ROCm's device library that the header declares."""
    headers = (INCLUDE / "nexus-kernel" / name for name in ("gpu_math.h", "hip.h"))
    text = "".join(header.read_text("utf-8") for header in headers)
    declared = re.findall(r"^NXK_ROUNDED(_OF_TWO)?\((\w+)\)", text, re.MULTILINE)
    assert declared
    return '\n#line 1 "device_library"\n' + "".join(
        f'extern "C" __attribute__((device)) float __ocml_{name}_f32'
        f"(float{', float' if two else ''}) {{ return 0.0f; }}\n"
        for two, name in declared
    )


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
