# SPDX-License-Identifier: Apache-2.0
"""Finds the kernel library of `nexus demo` for a device."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import files

import nexus
from nexus import _discovery

SOURCE = "demo_kernels.c"


class NoLibrary(LookupError):
    """There is no library for the device. The text says why and what to do."""


@dataclass(frozen=True)
class DemoLibrary:
    """A library with the kernel `mandelbrot`, and a line that states its origin.

    Attributes:
        source: the argument of Device.load_library.
    """

    source: nexus.ObjectCode | str
    origin: str


def find_demo_library(device: nexus.Device) -> DemoLibrary:
    """Compiles the library for the device, or returns the one in the backend's package.

    Raises:
        NoLibrary: neither is possible.
    """
    text = files("nexus.cli").joinpath(SOURCE).read_text(encoding="utf-8")
    try:
        code = nexus.Program(text, name=SOURCE).compile(device)
    except nexus.NexusError as error:
        return _carried(device.runtime.name, " ".join(str(error).split()))
    compiler = compiler_name(device.get_property_str("Compiler"))
    return DemoLibrary(code, f"compiled with {compiler}")


def compiler_name(text: str) -> str:
    """Returns a compiler's name without the brackets that identify its files."""
    return text.partition(" (")[0]


def _carried(backend: str, problem: str) -> DemoLibrary:
    path = _discovery.get_config(f"{backend}.demo_kernels")
    if not path:
        raise NoLibrary(f"and nexus-{backend} carries none either: {problem}")
    return DemoLibrary(path, f"the one that nexus-{backend} carries, since: {problem}")
