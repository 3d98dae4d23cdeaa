# SPDX-License-Identifier: Apache-2.0
"""The first NVIDIA GPU, through the driver's library and ctypes, and a launcher for it."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Sequence
from functools import cache

import numpy as np
import nvrtc
from corpus import CORPUS
from launchers import Argument, Local, Sizes, group_count, three

HOW_TO_GET = "not checked: no NVIDIA GPU with its driver, or no NVRTC"
MAJOR, MINOR = 75, 76  # of cuDeviceGetAttribute: the compute capability


@cache
def driver() -> ctypes.CDLL | None:
    """The driver's library, started, where it has a GPU and NVRTC is there too."""
    try:
        cuda = ctypes.CDLL("nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1")
    except OSError:
        return None
    count = ctypes.c_int()
    if cuda.cuInit(0) or cuda.cuDeviceGetCount(ctypes.byref(count)) or nvrtc.library() is None:
        return None
    return cuda if count.value else None


@cache
def architecture() -> int:
    """The compute capability of the GPU: 75, 80, ..."""
    cuda = driver()
    assert cuda is not None
    numbers = []
    for attribute in (MAJOR, MINOR):
        number = ctypes.c_int()
        _check(cuda.cuDeviceGetAttribute(ctypes.byref(number), attribute, 0))
        numbers.append(number.value)
    return numbers[0] * 10 + numbers[1]


class CudaLauncher:
    """Runs the corpus on the GPU, in its primary context."""

    def __init__(self) -> None:
        cuda = driver()
        assert cuda is not None
        self._cuda = cuda
        context = ctypes.c_void_p()
        _check(cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0))
        _check(cuda.cuCtxSetCurrent(context))
        compiled = nvrtc.compile_for(architecture(), CORPUS)
        assert compiled.code, compiled.log
        self._module = ctypes.c_void_p()
        _check(cuda.cuModuleLoadData(ctypes.byref(self._module), compiled.code))

    def symbol(self, name: str) -> bytes:
        """The bytes of a variable in global memory, by its name."""
        address, size = ctypes.c_uint64(), ctypes.c_size_t()
        _check(
            self._cuda.cuModuleGetGlobal_v2(
                ctypes.byref(address), ctypes.byref(size), self._module, name.encode()
            )
        )
        copy = ctypes.create_string_buffer(size.value)
        _check(self._cuda.cuMemcpyDtoH_v2(copy, address, size))
        return copy.raw

    def run(self, kernel: str, arguments: Sequence[Argument], grid: Sizes, group: Sizes) -> None:
        """As launchers.Launcher says."""
        cuda = self._cuda
        function = ctypes.c_void_p()
        _check(cuda.cuModuleGetFunction(ctypes.byref(function), self._module, kernel.encode()))
        passed: list[ctypes.Array[ctypes.c_char]] = []
        buffers: list[tuple[np.ndarray, ctypes.c_uint64]] = []
        local_memory = 0
        for argument in arguments:
            if isinstance(argument, Local):
                passed.append(_bytes(local_memory.to_bytes(4, "little")))
                local_memory += -(-argument.size // 16) * 16
            elif isinstance(argument, np.ndarray):
                address = ctypes.c_uint64()
                _check(cuda.cuMemAlloc_v2(ctypes.byref(address), ctypes.c_size_t(argument.nbytes)))
                source = ctypes.c_void_p(argument.ctypes.data)
                _check(cuda.cuMemcpyHtoD_v2(address, source, ctypes.c_size_t(argument.nbytes)))
                buffers.append((argument, address))
                passed.append(_bytes(bytes(address)))
            else:
                value = argument if isinstance(argument, bytes) else argument.tobytes()
                passed.append(_bytes(value))
        passed.append(_bytes(np.array(three(grid), np.int32).tobytes()))
        pointers = (ctypes.c_void_p * len(passed))(*(ctypes.addressof(value) for value in passed))
        counts, sizes = group_count(grid, group), three(group)
        _check(cuda.cuLaunchKernel(function, *counts, *sizes, local_memory, None, pointers, None))
        _check(cuda.cuCtxSynchronize())
        for array, address in buffers:
            target = ctypes.c_void_p(array.ctypes.data)
            _check(cuda.cuMemcpyDtoH_v2(target, address, ctypes.c_size_t(array.nbytes)))
            _check(cuda.cuMemFree_v2(address))


def _bytes(value: bytes) -> ctypes.Array[ctypes.c_char]:
    return ctypes.create_string_buffer(value, len(value))


def _check(status: int) -> None:
    assert status == 0, f"the CUDA driver returned {status}"
