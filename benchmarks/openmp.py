# SPDX-License-Identifier: Apache-2.0
"""The peer in C: loops under OpenMP, by each compiler on this machine that has it."""

from __future__ import annotations

import ctypes
import functools
import os
import shutil
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from harness import wheel_file
from work import Array, Work

_OPTIONS = ("-O3", "-march=native", "-fopenmp", "-fPIC", "-w")
_SCALARS = {"float32": ctypes.c_float, "int32": ctypes.c_int}


@dataclass(frozen=True)
class Compiler:
    """A compiler with OpenMP.

    Attributes:
        command: the program and its first arguments.
        fast_math: allows reordering and approximation, with its library of vector mathematics.
        link: the options that link OpenMP.
    """

    name: str
    command: tuple[str, ...]
    fast_math: tuple[str, ...]
    link: tuple[str, ...]

    def version(self) -> str:
        """Returns the first line of --version, with the compiler's name."""
        line = _run([*self.command, "--version"]).splitlines()[0]
        return line if self.name in line else f"{line} of {self.name}"

    def build(self, source: Path, *, fast_math: bool) -> Path:
        """Builds a library beside the source."""
        stem = f"{self.name}-{'fast' if fast_math else 'precise'}".replace(" ", "-")
        unit, library = source.with_name(f"{stem}.o"), source.with_name(f"{stem}.so")
        options = [*_OPTIONS, *(self.fast_math if fast_math else ())]
        _run([*self.command, *options, "-c", str(source), "-o", str(unit)])
        # Linked without -ffast-math: gcc before 13 would disable denormal numbers in the process.
        _run([*self.command, "-shared", str(unit), "-o", str(library), *self.link, "-lm"])
        return library


class OpenMPSide:
    """A work's loops by one compiler, on the given arrays.

    Attributes:
        label: what runs, with the compiler's version.
    """

    def __init__(
        self, work: Work, compiler: Compiler, library: Path, memory: Callable[[str], Array]
    ) -> None:
        self.label = f"OpenMP, {compiler.version()}"
        self._outputs = {name: memory(name) for name in work.outputs}
        function = ctypes.CDLL(str(library)).run
        function.restype = None
        arguments = [_c_value(each, memory) for each in work.openmp_arguments]
        function.argtypes = [type(value) for value in arguments]
        self.run = functools.partial(function, *arguments)

    def clear(self) -> None:
        """Makes the outputs zero."""
        for array in self._outputs.values():
            array[...] = 0

    def results(self) -> dict[str, Array]:
        """Returns copies of the outputs."""
        return {name: array.copy() for name, array in self._outputs.items()}


def openmp_sides(
    work: Work, folder: Path, notes: list[str], memory: Callable[[str], Array], *, fast_math: bool
) -> list[OpenMPSide]:
    """Returns the work's loops of each compiler. Missing compilers are added to notes.

    Args:
        folder: where the libraries are built.
        memory: returns the array of a name, on which all of them work.
    """
    source = folder / "openmp.c"
    source.write_text(work.openmp or "", encoding="utf-8")
    sides = []
    for compiler in compilers(notes):
        try:
            library = compiler.build(source, fast_math=fast_math)
        except subprocess.CalledProcessError as error:
            words = (error.stderr.strip().splitlines() or ["no message"])[-1]
            notes.append(f"no peer: {compiler.name} can't build with OpenMP ({words})")
            continue
        sides.append(OpenMPSide(work, compiler, library, memory))
    return sides


def compilers(notes: list[str]) -> list[Compiler]:
    """Returns the compilers with OpenMP. Missing ones are added to notes."""
    runtime = wheel_file("intel-openmp", "libiomp5.so")
    # By default its threads spin for 200 ms after a loop, in the other side's time.
    os.environ.setdefault("KMP_BLOCKTIME", "1")
    found = []
    gcc, clang, zig = shutil.which("gcc"), shutil.which("clang"), wheel_file("ziglang", "zig")
    if gcc:
        found.append(Compiler("gcc", (gcc,), ("-ffast-math",), ("-fopenmp",)))
    else:
        notes.append("no peer: gcc is not installed")
    # Both clangs use this runtime, which has the same interface as LLVM's own
    link = (str(runtime), f"-Wl,-rpath,{runtime.parent}") if runtime else ()
    vectorized = ("-ffast-math", "-fveclib=libmvec")
    if clang:
        found.append(Compiler("clang", (clang,), vectorized, link or ("-fopenmp",)))
    else:
        notes.append("no peer: clang is not installed")
    if zig and link:
        found.append(Compiler("zig cc", (str(zig), "cc"), vectorized, link))
    else:
        notes.append("no peer: zig cc needs the packages ziglang and intel-openmp")
    return found


def _c_value(argument: str | np.generic, memory: Callable[[str], Array]) -> Any:
    if isinstance(argument, str):
        return ctypes.c_void_p(memory(argument).ctypes.data)
    return _SCALARS[argument.dtype.name](argument.item())


def _run(command: Sequence[str]) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout
