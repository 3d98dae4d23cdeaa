# SPDX-License-Identifier: Apache-2.0
"""clang for AMD's GPUs, without ROCm: the machine's, else that of the ziglang wheel."""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from corpus import HERE, INCLUDE

ARCHITECTURES = ["gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1201"]
VERSIONS = range(30, 18, -1)  # the first that knows gfx950 is 19
HOW_TO_GET = (
    "needs clang with the AMDGPU target, and lld of the same version: "
    "pip install ziglang==0.17.0, or apt-get install clang-19 lld-19"
)
OPTIONS = [
    "-x", "hip", "--cuda-device-only", "--no-gpu-bundle-output", "-nogpulib", "-nogpuinc",
    "-std=c++17", f"-I{INCLUDE}",
]  # fmt: skip


@dataclass(frozen=True)
class Compiled:
    """What a compiler made.

    Attributes:
        code: the code object; empty if the program was refused.
        log: all that the compiler said.
        assembly: the same code as text, if the compiler was asked for it.
    """

    code: bytes
    log: str
    assembly: str = ""


@cache
def clang() -> tuple[str, ...] | None:
    """The command of a clang that makes code for AMD's GPUs and links it."""
    names = ["clang++", *(f"clang++-{version}" for version in VERSIONS)]
    commands = [(name,) for name in names if shutil.which(name)]
    zig = _zig()
    return next(filter(_links, [*commands, zig] if zig else commands), None)


def _zig() -> tuple[str, ...] | None:
    """The clang of the ziglang wheel, with a program `lld` for it."""
    spec = importlib.util.find_spec("ziglang")
    if spec is None or not spec.submodule_search_locations:
        return None
    zig = str(Path(spec.submodule_search_locations[0]) / "zig")
    return "env", f"ZIG={zig}", zig, "clang", "-B", str(HERE / "zig")


def _links(command: tuple[str, ...]) -> bool:
    done = subprocess.run(
        [*command, *OPTIONS, f"--offload-arch={ARCHITECTURES[2]}", "-o", "-", "-"],
        input=b"__attribute__((global)) void k() {}", capture_output=True, check=False,
    )  # fmt: skip
    return done.returncode == 0


def device_library() -> str:
    """A definition of each function of ROCm's device library that the header declares."""
    headers = (INCLUDE / "nexus-kernel" / name for name in ("common/gpu_math.h", "hip.h"))
    text = "".join(header.read_text("utf-8") for header in headers)
    declared = re.findall(r"^NXK_ROUNDED(_OF_TWO)?\((\w+)\)", text, re.MULTILINE)
    assert declared
    return '\n#line 1 "device_library"\n' + "".join(
        f'extern "C" __attribute__((device)) float __ocml_{name}_f32'
        f"(float{', float' if two else ''}) {{ return 0.0f; }}\n"
        for two, name in declared
    )


def compile_hip(target: str, text: str, folder: Path, *flags: str) -> Compiled:
    """Compiles HIP C++ for a target. The flag -save-temps=obj asks for the assembly too."""
    source, output = folder / "kernel.hip", folder / "kernel.co"
    source.write_text(text, "utf-8")
    command = [*(clang() or ()), *OPTIONS, f"--offload-arch={target}", *flags, str(source)]
    done = subprocess.run([*command, "-o", str(output)], capture_output=True, text=True)
    code = output.read_bytes() if output.exists() else b""
    assembly = "".join(file.read_text("utf-8") for file in folder.glob("*.s"))
    return Compiled(code, done.stdout + done.stderr, assembly)
