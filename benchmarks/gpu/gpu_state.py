# SPDX-License-Identifier: Apache-2.0
"""Checks in a fresh process that the GPU works: `gpu_state.py [DEVICE]`, without Nexus.

Copies, sets memory and runs a kernel through the driver alone, on AMD GPUs (`hip:0`) without the
kernel; on Apple's (`metal:0`) runs a command buffer with nothing in it. Prints one line; the exit
status is 0 if all is well.
"""

from __future__ import annotations

import ctypes
import os
import sys
from typing import Any

_VALUES = 1024
_SET = 7 * 0x01010101  # the value that memory is set to, in each byte
_MTL_COMPLETED = 4  # MTLCommandBufferStatusCompleted
_KERNEL = b"""
.version 6.0
.target sm_50
.address_size 64
.visible .entry add_index(.param .u64 values)
{
  .reg .b32 %r<4>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd0, [values];
  cvta.to.global.u64 %rd0, %rd0;
  mov.u32 %r0, %tid.x;
  mul.wide.u32 %rd1, %r0, 4;
  add.s64 %rd0, %rd0, %rd1;
  ld.global.u32 %r1, [%rd0];
  add.u32 %r1, %r1, %r0;
  st.global.u32 [%rd0], %r1;
  ret;
}
\0"""


class _Failed(Exception):
    pass


class _Driver:
    """The driver's functions, which raise an error for a status other than 0."""

    def __init__(self, path: str) -> None:
        self._library = ctypes.CDLL(path)

    def __call__(self, function: str, *arguments: Any) -> None:
        result = getattr(self._library, function)(*arguments)
        if result:
            name = ctypes.c_char_p()
            if function.startswith("cu"):
                self._library.cuGetErrorName(result, ctypes.byref(name))
            raise _Failed(f"{function}: {(name.value or b'error').decode()} ({result})")


def check(device: str) -> str:
    """Returns the check's result; raises an error if something does not work."""
    checks = {"hip": _check_hip, "metal": _check_metal}
    return checks.get(device.partition(":")[0], _check_cuda)()


def _check_metal() -> str:
    replaced = os.environ.get("NEXUS_METAL_DRIVER")
    objc = ctypes.CDLL(replaced or "/usr/lib/libobjc.A.dylib")
    metal = ctypes.CDLL(replaced or "/System/Library/Frameworks/Metal.framework/Metal")
    for function in (metal.MTLCopyAllDevices, objc.sel_registerName, objc.objc_msgSend,
                     objc.objc_autoreleasePoolPush):  # fmt: skip
        function.restype = ctypes.c_void_p

    def send(receiver: int, selector: bytes, *arguments: Any) -> int:
        name = ctypes.c_void_p(objc.sel_registerName(selector))
        return int(objc.objc_msgSend(ctypes.c_void_p(receiver), name, *arguments) or 0)

    pool = objc.objc_autoreleasePoolPush()
    devices = metal.MTLCopyAllDevices()
    if not devices or not send(devices, b"count"):
        raise _Failed("Metal has no device")
    queue = send(send(devices, b"objectAtIndex:", ctypes.c_ulong(0)), b"newCommandQueue")
    commands = send(queue, b"commandBuffer")
    send(commands, b"commit")
    send(commands, b"waitUntilCompleted")
    status = send(commands, b"status")
    objc.objc_autoreleasePoolPop(ctypes.c_void_p(pool))
    objc.objc_release(ctypes.c_void_p(queue))
    objc.objc_release(ctypes.c_void_p(devices))
    if status != _MTL_COMPLETED:
        raise _Failed(f"the status of an empty command buffer is {status}")
    return "works"


def _check_hip() -> str:
    hip = _Driver(os.environ.get("NEXUS_HIP_DRIVER") or "libamdhip64.so")
    memory, free, total = ctypes.c_void_p(), ctypes.c_size_t(), ctypes.c_size_t()
    host, size = (ctypes.c_uint32 * _VALUES)(), ctypes.c_size_t(4 * _VALUES)
    to_host = 2
    hip("hipInit", 0)
    hip("hipMalloc", ctypes.byref(memory), size)
    hip("hipMemsetD8Async", memory, ctypes.c_ubyte(7), size, None)
    hip("hipMemcpyAsync", host, memory, size, to_host, None)
    hip("hipStreamSynchronize", None)
    hip("hipFree", memory)
    hip("hipMemGetInfo", ctypes.byref(free), ctypes.byref(total))
    if set(host) != {_SET}:
        raise _Failed(f"memory that was set is {host[:4]}...")
    return f"works, {free.value >> 20} of {total.value >> 20} MiB free"


def _check_cuda() -> str:
    cuda = _Driver(os.environ.get("NEXUS_CUDA_DRIVER") or "libcuda.so.1")
    context, free, total = ctypes.c_void_p(), ctypes.c_size_t(), ctypes.c_size_t()
    cuda("cuInit", 0)
    device = ctypes.c_int()
    cuda("cuDeviceGet", ctypes.byref(device), 0)
    cuda("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
    cuda("cuCtxSetCurrent", context)
    cuda("cuMemGetInfo_v2", ctypes.byref(free), ctypes.byref(total))
    simulated = bool(os.environ.get("NEXUS_CUDA_DRIVER"))  # it has no compiler of PTX
    values = _computed(cuda, launch=not simulated)
    if values != [_SET + (0 if simulated else i) for i in range(_VALUES)]:
        raise _Failed(f"memory that was set, and a kernel's, is {values[:4]}...")
    return f"works, {free.value >> 20} of {total.value >> 20} MiB free"


def _computed(cuda: _Driver, *, launch: bool) -> list[int]:
    """Runs a kernel on memory that was set; returns its result."""
    memory = ctypes.c_uint64()
    cuda("cuMemAlloc_v2", ctypes.byref(memory), ctypes.c_size_t(4 * _VALUES))
    cuda("cuMemsetD8_v2", memory, ctypes.c_ubyte(7), ctypes.c_size_t(4 * _VALUES))
    if launch:
        _launch(cuda, memory)
    host = (ctypes.c_uint32 * _VALUES)()
    cuda("cuMemcpyDtoH_v2", host, memory, ctypes.c_size_t(4 * _VALUES))
    cuda("cuMemFree_v2", memory)
    return list(host)


def _launch(cuda: _Driver, memory: ctypes.c_uint64) -> None:
    module, function = ctypes.c_void_p(), ctypes.c_void_p()
    cuda("cuModuleLoadData", ctypes.byref(module), _KERNEL)
    cuda("cuModuleGetFunction", ctypes.byref(function), module, b"add_index")
    arguments = (ctypes.c_void_p * 1)(ctypes.addressof(memory))
    cuda("cuLaunchKernel", function, 1, 1, 1, _VALUES, 1, 1, 0, None, arguments, None)


if __name__ == "__main__":
    try:
        print(check(sys.argv[1] if len(sys.argv) > 1 else "cuda:0"))
    except (OSError, _Failed) as error:
        print(f"does not work: {error}")
        sys.exit(1)
