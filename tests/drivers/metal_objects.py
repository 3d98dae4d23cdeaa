# SPDX-License-Identifier: Apache-2.0
"""The double of Metal as its tests use it: a device, a queue, kernels, and blocks."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable

import simulated
from simulated import Range, Size

COMPLETED, ERROR = 4, 5
PAGE_FAULT, OUT_OF_MEMORY = 3, 8
SHARED, PRIVATE = 0, 2 << 4

SOURCE = """
#include <metal_stdlib>
using namespace metal;
struct pair { float x; int y; };

kernel void add(device const int *x [[buffer(0)]], device int *out [[buffer(1)]],
                constant int &y [[buffer(2)]], uint i [[thread_position_in_grid]]) {
  out[i] = x[i] + y;
}
[[max_total_threads_per_threadgroup(8 * 8)]] kernel void neighbours(
    device int *x [[buffer(3)]], threadgroup int *tile [[threadgroup(1)]],
    uint local [[thread_index_in_threadgroup]], uint3 count [[threads_per_threadgroup]]) {
  threadgroup int other[16];
  tile[local] = x[local];
  other[local % 16] = 1;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  x[local] = tile[(local + 1) % count.x] + other[0];
}
kernel void count(device atomic_uint *out [[buffer(0)]]) {
  atomic_fetch_add_explicit(out, 1u, memory_order_relaxed);
}
kernel void places(device uint *out [[buffer(0)]], uint3 group [[threadgroup_position_in_grid]],
                   uint3 groups [[threadgroups_per_grid]], uint2 grid [[thread_position_in_grid]],
                   uint3 local [[thread_position_in_threadgroup]]) {
  out[grid.x + 4 * grid.y] = group.x + 10 * group.y + 100 * local.x + 1000 * local.y +
                             10000 * groups.x;
}
kernel void backwards(device float4 *x [[buffer(0)]],
                      uint i [[thread_position_in_threadgroup]]) {
  threadgroup float4 tile[4];
  tile[i] = x[i];
  threadgroup_barrier(mem_flags::mem_threadgroup);
  x[i] = tile[3 - i] + tile[i] * 10.0f;
}
kernel void described(constant pair *p [[buffer(0)]], device float *out [[buffer(5)]]) {
  out[0] = p->x + p->y;
}
kernel void fault(device int *x [[buffer(0)]]) { x[1 << 24] = 1; }
"""


class Metal(simulated.MetalDriver):
    """The double with a device, a queue, and the kernels above."""

    def __init__(self) -> None:
        super().__init__()
        self.set("memory", 1 << 30)
        self.library.MTLCopyAllDevices.restype = ctypes.c_void_p
        self.pool: int = self.library.objc_autoreleasePoolPush()
        self.devices = self.items(self.library.MTLCopyAllDevices())
        self.device = self.devices[0]
        self.code = self.build(SOURCE)
        self.queue = self.send(self.device, "newCommandQueue")
        self.made: list[int] = []

    def do(self, receiver: int, selector: str, *arguments: object) -> None:
        """Sends a message that has no result."""
        self.send(receiver, selector, *arguments, returns=None)

    def keep(self, made: int) -> int:
        """Releases a new object when the test is over."""
        self.made.append(made)
        return made

    def build(self, source: str) -> int:
        """Returns a library of a program; ValueError with what the compiler says."""
        error = ctypes.c_void_p()
        made = self.send(
            self.device, "newLibraryWithSource:options:error:", self.string(source), None,
            ctypes.byref(error),
        )  # fmt: skip
        if made is None:
            raise ValueError(self.text(self.send(error.value, "localizedDescription")))
        return int(made)

    def buffer(self, size: int, options: int = SHARED) -> int:
        """Returns a buffer."""
        made = self.send(self.device, "newBufferWithLength:options:", size, options)
        return self.keep(made)

    def ints(self, buffer: int) -> ctypes.Array[ctypes.c_int]:
        """Returns the contents of a shared buffer."""
        count = int(self.send(buffer, "length", returns=ctypes.c_uint64)) // 4
        address = int(self.send(buffer, "contents"))
        return (ctypes.c_int * count).from_address(address)

    def kernel(self, name: str) -> int:
        """Returns a kernel of the library."""
        return self.keep(self.send(self.code, "newFunctionWithName:", self.string(name)))

    def pipeline(self, name: str) -> int:
        """Returns the pipeline of a kernel."""
        made = self.send(
            self.device, "newComputePipelineStateWithFunction:error:", self.kernel(name), None
        )
        return self.keep(made)

    def commands(self, queue: int | None = None) -> int:
        """Returns a command buffer."""
        return int(self.send(queue or self.queue, "commandBuffer"))

    def copy(self, commands: int, source: int, target: int, size: int) -> None:
        """Encodes a copy."""
        encoder = self.send(commands, "blitCommandEncoder")
        selector = "copyFromBuffer:sourceOffset:toBuffer:destinationOffset:size:"
        self.do(encoder, selector, source, 0, target, 0, size)
        self.do(encoder, "endEncoding")

    def fill(self, commands: int, buffer: int, size: int, value: int) -> None:
        """Encodes a fill."""
        encoder = self.send(commands, "blitCommandEncoder")
        self.do(encoder, "fillBuffer:range:value:", buffer, Range(0, size), ctypes.c_uint8(value))
        self.do(encoder, "endEncoding")

    def dispatch(
        self, commands: int, kernel: str, buffers: dict[int, int], groups: int = 1,
        threads: int = 1, memory: int = 0, values: dict[int, int] | None = None,
    ) -> None:  # fmt: skip
        """Encodes a dispatch. buffers and values: by index; memory: bytes at index 1."""
        encoder = self.send(commands, "computeCommandEncoder")
        self.do(encoder, "setComputePipelineState:", self.pipeline(kernel))
        for index, buffer in buffers.items():
            self.do(encoder, "setBuffer:offset:atIndex:", buffer, 0, index)
        for index, value in (values or {}).items():
            number = ctypes.byref(ctypes.c_int(value))
            self.do(encoder, "setBytes:length:atIndex:", number, 4, index)
        if memory != 0:
            self.do(encoder, "setThreadgroupMemoryLength:atIndex:", memory, 1)
        selector = "dispatchThreadgroups:threadsPerThreadgroup:"
        self.do(encoder, selector, Size(groups, 1, 1), Size(threads, 1, 1))
        self.do(encoder, "endEncoding")

    def run(self, commands: int) -> int:
        """Commits, waits, and returns the status."""
        self.do(commands, "commit")
        self.do(commands, "waitUntilCompleted")
        return self.status(commands)

    def status(self, commands: int) -> int:
        """Returns the status of a command buffer."""
        return int(self.send(commands, "status", returns=ctypes.c_uint64))

    def error(self, commands: int) -> int:
        """Returns the code of the error of a command buffer."""
        error = self.send(commands, "error")
        assert self.text(self.send(error, "domain")) == "MTLCommandBufferErrorDomain"
        return int(self.send(error, "code", returns=ctypes.c_int64))


def settle(metal: Metal, done: Callable[[], bool]) -> None:
    """Waits until the last handlers have run."""
    for _ in range(1000):
        if done():
            return
        threading.Event().wait(0.01)


class Block:
    """A block as a compiler lays it out, of a function with the given parameters."""

    class Layout(ctypes.Structure):
        _fields_ = [
            ("isa", ctypes.c_void_p), ("flags", ctypes.c_int), ("reserved", ctypes.c_int),
            ("invoke", ctypes.c_void_p), ("descriptor", ctypes.c_void_p),
        ]  # fmt: skip

    def __init__(
        self, metal: Metal, function: Callable[..., None], *kinds: type, flags: int = 1 << 28
    ) -> None:
        self.function = ctypes.CFUNCTYPE(None, ctypes.c_void_p, *kinds)(function)
        isa = ctypes.addressof(ctypes.c_void_p.in_dll(metal.library, "_NSConcreteGlobalBlock"))
        invoke = ctypes.cast(self.function, ctypes.c_void_p)
        self.counts = [0, 0]

        def copy(_to: int, _from: int) -> None:
            self.counts[0] += 1

        def dispose(_block: int) -> None:
            self.counts[1] += 1

        self.helpers = (
            ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)(copy),
            ctypes.CFUNCTYPE(None, ctypes.c_void_p)(dispose),
        )
        addresses = [ctypes.cast(each, ctypes.c_void_p).value or 0 for each in self.helpers]
        self.descriptor = (ctypes.c_uint64 * 4)(0, ctypes.sizeof(self.Layout), *addresses)
        place = ctypes.addressof(self.descriptor)
        self.layout = self.Layout(isa, flags, 0, invoke, place)
        self.pointer = ctypes.byref(self.layout)
