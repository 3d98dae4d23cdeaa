# SPDX-License-Identifier: Apache-2.0
"""Where the kernel library of `nexus demo` comes from, for each backend."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.resources import as_file, files
from pathlib import Path

from nexus import _discovery
from nexus._toolchain import CompilerError, build_kernel_library

_ORIGIN = {"CC": "which CC names", "PATH": "found on PATH", "ziglang": "from the package ziglang"}


class NoLibrary(LookupError):
    """There is no library for the backend. The text says why and what to do."""


@dataclass(frozen=True)
class DemoLibrary:
    """A library with the kernel `saxpy`, and a line for people about its origin."""

    path: Path
    origin: str


def find_demo_library(backend: str, folder: Path) -> DemoLibrary:
    """Builds the library in the folder, or takes the one that the backend's package carries.

    Raises:
        NoLibrary: neither is possible, or the demonstration has no kernel for the backend.
    """
    make = _MAKERS.get(backend)
    if make is None:
        raise NoLibrary(f"this demonstration has no kernel for the backend {backend!r}")
    return make(folder)


def _for_cpu(folder: Path) -> DemoLibrary:
    path = folder / "demo_kernels.so"
    try:
        with as_file(files("nexus.cli").joinpath("demo_kernels.c")) as source:
            compiler = build_kernel_library(source, path)
    except CompilerError as error:
        return _carried_by_cpu(str(error).splitlines()[0])
    return DemoLibrary(
        path, f"built from C with {compiler.version()}, {_ORIGIN[compiler.found_by]}"
    )


def _carried_by_cpu(problem: str) -> DemoLibrary:
    path = _discovery.get_config("cpu.demo_kernels")
    if not path:
        raise NoLibrary(f"and nexus-cpu carries none either: {problem}")
    return DemoLibrary(Path(path), f"the one that nexus-cpu carries, since: {problem}")


_MAKERS: Mapping[str, Callable[[Path], DemoLibrary]] = {"cpu": _for_cpu}
