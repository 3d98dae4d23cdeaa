# SPDX-License-Identifier: Apache-2.0
"""The OpenCL devices that pyopencl finds, and a launcher for each.

PoCL's wheel brings one. Intel's (intel-opencl-rt with intel-cmplr-lib-rt, 270 MB) is used where it
is installed.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import os
import sys
import tempfile
import warnings
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from corpus import CORPUS, INCLUDE, ROOT, Program
from launchers import Argument, Local, Sizes, group_count, three

HOW_TO_GET = "not checked: pyopencl finds no OpenCL device; pip install 'pyopencl[pocl]'"
OPTIONS = [f"-I{INCLUDE}", "-cl-std=CL1.2", "-cl-kernel-arg-info"]


@cache
def devices() -> tuple[Any, ...]:
    """Every device of every platform; none where pyopencl is missing or finds no platform."""
    os.environ["PYOPENCL_NO_CACHE"] = "1"  # the header is not part of its key
    try:
        cl = importlib.import_module("pyopencl")
    except ImportError:
        return ()
    sys.path.append(str(ROOT / "examples" / "plugins" / "nexus-opencl" / "tests"))
    importlib.import_module("pocl_processor").name_this_processor()
    _show_intels_runtime()
    try:
        return tuple(device for platform in cl.get_platforms() for device in platform.get_devices())
    except cl.LogicError:
        return ()


def _show_intels_runtime() -> None:
    """Lets the loader find the runtime of the wheel intel-opencl-rt, where that is installed."""
    try:
        files = importlib.metadata.files("intel-opencl-rt") or []
    except importlib.metadata.PackageNotFoundError:
        return
    for file in files:
        path = Path(str(file.locate())).resolve()
        if path.name == "libintelocl.so" and "OCL_ICD_VENDORS" not in os.environ:
            folder = tempfile.mkdtemp(prefix="opencl-vendors-")
            Path(folder, "intel.icd").write_text(f"{path}\n", "utf-8")
            os.environ["OCL_ICD_VENDORS"] = folder


def name(device: Any) -> str:
    """The device's platform and its name."""
    return f"{device.platform.name}: {device.name}"


def build(device: Any, program: Program) -> Any:
    """The program, built. Raises pyopencl.RuntimeError with the compiler's words."""
    cl = importlib.import_module("pyopencl")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", cl.CompilerWarning)  # Intel's runtime always says something
        return cl.Program(cl.Context([device]), program.text).build(options=OPTIONS)


@cache
def corpus_on(device: Any) -> Any:
    """The corpus, built once for each device."""
    return build(device, CORPUS)


class OpenCLLauncher:
    """Runs the corpus on an OpenCL device."""

    def __init__(self, device: Any) -> None:
        self._cl = importlib.import_module("pyopencl")
        self._program = corpus_on(device)
        self._context = self._program.get_info(self._cl.program_info.CONTEXT)
        self._queue = self._cl.CommandQueue(self._context)

    def run(self, kernel: str, arguments: Sequence[Argument], grid: Sizes, group: Sizes) -> None:
        """As launchers.Launcher says."""
        cl = self._cl
        flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
        function = cl.Kernel(self._program, kernel)
        passed: list[Any] = []
        for argument in arguments:
            if isinstance(argument, Local):
                passed.append(cl.LocalMemory(argument.size))
            elif isinstance(argument, np.ndarray):
                passed.append(cl.Buffer(self._context, flags, hostbuf=argument))
            else:
                passed.append(argument)
        for index, value in enumerate([*passed, *(np.int32(size) for size in three(grid))]):
            function.set_arg(index, value)
        counts = group_count(grid, group)
        items = tuple(n * size for n, size in zip(counts, three(group), strict=True))
        cl.enqueue_nd_range_kernel(self._queue, function, items, three(group))
        for argument, value in zip(arguments, passed, strict=True):
            if isinstance(argument, np.ndarray):
                cl.enqueue_copy(self._queue, argument, value)
        self._queue.finish()
