# SPDX-License-Identifier: Apache-2.0
"""The double of Metal (tests/drivers), which runs kernels on the CPU, and a launcher for it."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import simulated
from corpus import CORPUS, INCLUDE, Program
from launchers import Argument, Local, Sizes, group_count, three
from simulated import MetalDriver, Size

HOW_TO_GET = "not checked: ninja -C build simulated_metal, and a C++ compiler"


def is_there() -> bool:
    """Returns whether the double was built, and can compile."""
    return bool(shutil.which("g++")) and (simulated.folder() / "libnexus-metal-double.so").exists()


@cache
def metal_text(program: Program) -> str:
    """Returns the text that Metal's compiler would read, where its library is an empty file.

    A test is skipped where there is no compiler.
    """
    if not shutil.which("g++"):
        pytest.skip("not checked: apt-get install g++")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "metal_stdlib").write_text("", "utf-8")
        (folder / "kernel.metal").write_text(program.text, "utf-8")
        command = ["g++", "-x", "c++", "-std=c++14", "-D__METAL_VERSION__=240", "-E", "-P"]
        return subprocess.run(
            [*command, f"-I{folder}", f"-I{INCLUDE}", str(folder / "kernel.metal")],
            capture_output=True, text=True, check=True,
        ).stdout  # fmt: skip


class MetalLauncher:
    """Runs the corpus on the double's first device."""

    def __init__(self) -> None:
        self._metal = MetalDriver()
        self._metal.library.MTLCopyAllDevices.restype = ctypes.c_void_p
        self._pool = self._metal.library.objc_autoreleasePoolPush()
        self._device = self._metal.items(self._metal.library.MTLCopyAllDevices())[0]
        self._queue = self._metal.send(self._device, "newCommandQueue")
        source = self._metal.string(f"#include <metal_stdlib>\n{metal_text(CORPUS)}")
        error = ctypes.c_void_p()
        self._library = self._metal.send(
            self._device, "newLibraryWithSource:options:error:", source, None, ctypes.byref(error)
        )
        assert self._library is not None, self._metal.text(
            self._metal.send(error.value, "localizedDescription")
        )

    def run(self, kernel: str, arguments: Sequence[Argument], grid: Sizes, group: Sizes) -> None:
        """As launchers.Launcher says."""
        send, do = self._metal.send, self._do
        function = send(self._library, "newFunctionWithName:", self._metal.string(kernel))
        if function is None and kernel == "doubles":
            pytest.skip("Metal has no float64")
        selector = "newComputePipelineStateWithFunction:error:"
        pipeline = send(self._device, selector, function, None)
        commands = send(self._queue, "commandBuffer")
        encoder = send(commands, "computeCommandEncoder")
        do(encoder, "setComputePipelineState:", pipeline)
        buffers: list[tuple[np.ndarray, int]] = []
        places = locals_ = 0
        for argument in [*arguments, np.array(three(grid), np.int32).tobytes()]:
            if isinstance(argument, Local):
                size = -(-argument.size // 16) * 16
                do(encoder, "setThreadgroupMemoryLength:atIndex:", size, locals_)
                locals_ += 1
                continue
            if isinstance(argument, np.ndarray):
                selector = "newBufferWithBytes:length:options:"
                source = ctypes.c_void_p(argument.ctypes.data)
                buffer = send(self._device, selector, source, argument.nbytes, 0)
                do(encoder, "setBuffer:offset:atIndex:", buffer, 0, places)
                buffers.append((argument, buffer))
            else:
                value = argument if isinstance(argument, bytes) else argument.tobytes()
                do(encoder, "setBytes:length:atIndex:", value, len(value), places)
            places += 1
        counts, sizes = Size(*group_count(grid, group)), Size(*three(group))
        do(encoder, "dispatchThreadgroups:threadsPerThreadgroup:", counts, sizes)
        for message in ((encoder, "endEncoding"), (commands, "commit")):
            do(*message)
        do(commands, "waitUntilCompleted")
        assert send(commands, "status") == 4
        for array, buffer in buffers:
            ctypes.memmove(array.ctypes.data, send(buffer, "contents"), array.nbytes)
        for each in (*(buffer for _, buffer in buffers), pipeline, function):
            do(each, "release")
        assert self._metal.misuse() == []

    def _do(self, receiver: int, selector: str, *arguments: object) -> None:
        self._metal.send(receiver, selector, *arguments, returns=None)
