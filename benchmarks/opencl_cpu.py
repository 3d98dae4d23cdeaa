# SPDX-License-Identifier: Apache-2.0
"""Finds the OpenCL runtimes for the CPU through pyopencl: the peers of several rows."""

from __future__ import annotations

import atexit
import importlib
import os
import shutil
import tempfile
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from harness import NotMeasured, version_of, wheel_file

Peer = TypeVar("Peer")


@dataclass(frozen=True)
class OpenCL:
    """A CPU device of an OpenCL runtime.

    Attributes:
        cl: the module pyopencl.
        label: both versions.
        is_pocl: whether the runtime is PoCL.
    """

    cl: Any
    label: str
    is_pocl: bool
    device: Any
    context: Any

    def program(self, source: str, options: Sequence[str] = ()) -> Any:
        """Builds a program. Raises pyopencl.Error if the runtime can't."""
        with warnings.catch_warnings():
            # Intel's runtime always prints something.
            warnings.simplefilter("ignore", self.cl.CompilerWarning)
            return self.cl.Program(self.context, source).build(list(options))

    def kernel(self, source: str, name: str) -> Any:
        """Builds a kernel. Raises pyopencl.Error if the runtime can't."""
        return self.cl.Kernel(self.program(source), name)

    def queue(self) -> Any:
        """Makes an in-order command queue."""
        return self.cl.CommandQueue(self.context)

    def buffer(self, host: Any) -> Any:
        """Makes a buffer with a copy of an array."""
        flags = self.cl.mem_flags
        return self.cl.Buffer(self.context, flags.READ_WRITE | flags.COPY_HOST_PTR, hostbuf=host)


def opencl_peers(prepare: Callable[[OpenCL], Peer]) -> tuple[list[Peer], list[str]]:
    """Prepares each runtime; returns the results, and notes of those that fail.

    Raises NotMeasured if all fail.
    """
    peers: list[Peer] = []
    notes: list[str] = []
    for runtime in opencl_runtimes():
        _prepare(runtime, prepare, peers, notes)
    if not peers:
        raise NotMeasured("; ".join(notes) or "pyopencl finds no CPU: pip install 'pyopencl[pocl]'")
    return peers, notes


def _prepare(
    runtime: OpenCL, prepare: Callable[[OpenCL], Peer], peers: list[Peer], notes: list[str]
) -> None:
    try:
        peers.append(prepare(runtime))
    except runtime.cl.Error as error:
        words = next((w for w in str(error).splitlines() if w.startswith("error")), "")
        notes.append(
            f"no peer: {runtime.label} can't build the kernel ({words or 'no reason given'})"
        )


def opencl_runtimes() -> list[OpenCL]:
    """Returns the CPU devices of all runtimes. Raises NotMeasured if pyopencl finds no platform."""
    version = version_of("pyopencl")
    _show_intels_runtime()
    _name_this_processor()
    try:
        import pyopencl as cl
    except ImportError as error:
        raise NotMeasured(f"pyopencl does not import: {error}") from error
    try:
        platforms = cl.get_platforms()
    except cl.LogicError as error:
        raise NotMeasured(f"pyopencl finds no OpenCL platform: {error}") from error
    return [
        _runtime(cl, version, platform, device)
        for platform in platforms
        for device in platform.get_devices(cl.device_type.CPU)
    ]


def _name_this_processor() -> str | None:
    """Names this processor for PoCL, by a module of the OpenCL backend's tests."""
    name: str | None = importlib.import_module("pocl_processor").name_this_processor()
    return name


def _runtime(cl: Any, version: str, platform: Any, device: Any) -> OpenCL:
    is_pocl = platform.name == "Portable Computing Language"
    name = "PoCL" if is_pocl else platform.name
    as_processor = _name_this_processor() if is_pocl else None
    label = f"{version}, {name} {device.driver_version}"
    if as_processor:
        label += f" told that this is an {as_processor}"
    return OpenCL(cl, label, is_pocl, device, cl.Context([device]))


def _show_intels_runtime() -> None:
    """Lets the OpenCL loader find the runtime of the intel-opencl-rt wheel, which names no path."""
    if "OCL_ICD_VENDORS" in os.environ:
        return
    library = wheel_file("intel-opencl-rt", "libintelocl.so")
    if library:
        folder = tempfile.mkdtemp(prefix="opencl-vendors-")
        atexit.register(shutil.rmtree, folder)
        Path(folder, "intel.icd").write_text(f"{library}\n", encoding="utf-8")
        os.environ["OCL_ICD_VENDORS"] = folder
