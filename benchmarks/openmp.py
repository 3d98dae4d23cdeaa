# SPDX-License-Identifier: Apache-2.0
"""The peer in C: a loop under OpenMP, by each compiler that has OpenMP on this machine."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness import wheel_file

_SOURCE = """
void add(const float *restrict a, const float *restrict b, float *restrict c, long n) {
#pragma omp parallel for
  for (long i = 0; i < n; i++) c[i] = a[i] + b[i];
}
"""
_OPTIONS = ("-O3", "-march=native", "-fopenmp", "-fPIC")


@dataclass(frozen=True)
class _Compiler:
    """A compiler, and what it links for OpenMP."""

    name: str
    command: tuple[str, ...]
    link: tuple[str, ...]


def add_loops(folder: Path, notes: list[str]) -> list[tuple[str, Any]]:
    """The loop `add(a, b, c, n)` of each compiler with the compiler's version.

    The libraries are built in the folder; what is not here is written to notes.
    """
    source = folder / "add.c"
    source.write_text(_SOURCE, encoding="utf-8")
    loops = [_try_build(compiler, source, notes) for compiler in _compilers(notes)]
    return [loop for loop in loops if loop is not None]


def _compilers(notes: list[str]) -> list[_Compiler]:
    found = []
    for name in ("gcc", "clang"):
        program = shutil.which(name)
        if program:
            found.append(_Compiler(name, (program,), ("-fopenmp",)))
        else:
            notes.append(f"no peer: {name} is not installed")
    zig, runtime = wheel_file("ziglang", "zig"), wheel_file("intel-openmp", "libiomp5.so")
    if zig and runtime:
        # Its threads spin for 200 ms after a loop unless told, which is time of the other side.
        os.environ.setdefault("KMP_BLOCKTIME", "1")
        link = (str(runtime), f"-Wl,-rpath,{runtime.parent}")
        found.append(_Compiler("zig cc", (str(zig), "cc"), link))
    else:
        notes.append("no peer: zig cc needs the packages ziglang and intel-openmp")
    return found


def _try_build(compiler: _Compiler, source: Path, notes: list[str]) -> tuple[str, Any] | None:
    try:
        return (f"OpenMP loop, {_version(compiler)}", _build(compiler, source))
    except subprocess.CalledProcessError as error:
        words = (error.stderr.strip().splitlines() or ["no message"])[-1]
        notes.append(f"no peer: {compiler.name} can't build with OpenMP ({words})")
        return None


def _build(compiler: _Compiler, source: Path) -> Any:
    unit = source.with_name(f"{compiler.name}.o")
    library = source.with_name(f"{compiler.name}.so")
    _run([*compiler.command, *_OPTIONS, "-c", str(source), "-o", str(unit)])
    _run([*compiler.command, "-shared", str(unit), "-o", str(library), *compiler.link])
    add = ctypes.CDLL(str(library)).add
    add.argtypes = [ctypes.c_void_p] * 3 + [ctypes.c_long]
    add.restype = None
    return add


def _version(compiler: _Compiler) -> str:
    line = _run([*compiler.command, "--version"]).splitlines()[0]
    return f"{line} of {compiler.name}" if compiler.name == "zig cc" else line


def _run(command: Sequence[str]) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout
