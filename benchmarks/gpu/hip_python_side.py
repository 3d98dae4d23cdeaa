# SPDX-License-Identifier: Apache-2.0
"""HIP Python as a peer: compiles kernels by hipRTC, and launches them."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from harness import NotMeasured, version_of

KERNELS = Path(__file__).parent / "gpu_kernels"


def hip_python(name: str) -> Any:
    """Returns HIP Python's module `hip` or `hiprtc`. Raises NotMeasured."""
    try:
        return importlib.import_module(f"rocm.bindings.{name}")
    except ImportError as error:
        raise NotMeasured("needs HIP Python: pip install rocm-bindings-hip") from error


def checked(result: tuple[Any, ...]) -> Any:
    """Returns what a function returned beside its error, if that is none."""
    error, *values = result
    if int(error) != 0:
        raise NotMeasured(f"HIP Python: {error}")
    return values[0] if values else None


def code_object(file: str, ordinal: int = 0) -> bytes:
    """Compiles a file of gpu_kernels for a device, without Nexus."""
    hip, hiprtc = hip_python("hip"), hip_python("hiprtc")
    try:
        target = checked(hip.hipGetDeviceProperties(ordinal)).gcnArchName
    except (RuntimeError, OSError) as error:
        raise NotMeasured(f"HIP Python: {error}") from error
    text = (KERNELS / file).read_bytes()
    program = checked(hiprtc.hiprtcCreateProgram(text, file.encode(), 0, None, None))
    options = [f"--offload-arch={target}".encode()]
    checked(hiprtc.hiprtcCompileProgram(program, len(options), options))
    code = bytearray(checked(hiprtc.hiprtcGetCodeSize(program)))
    checked(hiprtc.hiprtcGetCode(program, code))
    return bytes(code)


class HipPythonSide:
    """Kernels of a code object, and memory for them.

    Attributes:
        label: the name and version.
        hip: the module.
    """

    def __init__(self, image: bytes, ordinal: int = 0) -> None:
        self.hip = hip_python("hip")
        self.label = version_of("rocm-bindings-hip")
        checked(self.hip.hipSetDevice(ordinal))
        self.stream = checked(self.hip.hipStreamCreateWithPriority(1, 0))  # 1: non-blocking
        self._module = checked(self.hip.hipModuleLoadData(image))

    def zeros(self, size: int) -> Any:
        """Makes memory of that many zero bytes."""
        memory = checked(self.hip.hipMalloc(size))
        checked(self.hip.hipMemsetD8Async(memory, 0, size, self.stream))
        self.synchronize()
        return memory

    def submit(
        self, kernel: str, arguments: Sequence[Any], groups: int = 1, items: int = 1
    ) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        """Returns the function and the arguments that launch the kernel once.

        The kernel's arguments are packed here, as a loop of launches would do it once.
        """
        packed = hip_python("_hip_helpers").HipModuleLaunchKernel_extra(tuple(arguments))
        function = checked(self.hip.hipModuleGetFunction(self._module, kernel.encode()))
        sizes = (groups, 1, 1, items, 1, 1, 0)
        return self.hip.hipModuleLaunchKernel, (function, *sizes, self.stream, None, packed)

    def synchronize(self) -> None:
        checked(self.hip.hipStreamSynchronize(self.stream))

    def first_value(self, memory: Any) -> float:
        """Returns the first float of memory."""
        host = np.empty(1, np.float32)
        kind = self.hip.hipMemcpyKind.hipMemcpyDeviceToHost
        checked(self.hip.hipMemcpyAsync(host, memory, host.nbytes, kind, self.stream))
        self.synchronize()
        return float(host[0])
