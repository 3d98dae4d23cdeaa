# SPDX-License-Identifier: Apache-2.0
"""A device of the simulated driver, and checks after a failure."""

from __future__ import annotations

import ctypes
import gc
import itertools
import os
import subprocess
import time
from collections.abc import Collection

import numpy as np
from driver_functions import BACKEND, named
from python_process import run_python
from simulated import Driver

import nexus

DEVICES = 128  # the first goes on; the others are lost one by one
LONG = 20.0  # seconds: for waits that end soon, unless a promise is broken
PATIENCE = 0.5  # seconds, for what is freed by threads
UNKNOWN = 999  # the driver's unknown error: no caller expects it, and it breaks no context
COUNT = 64  # elements of a buffer

KERNELS = """
extern "C" __global__ void scale(const float *x, float factor, float *out, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) out[i] = x[i] * factor;
}
extern "C" __global__ void reverse(float *x) {
  extern __shared__ float tile[];
  tile[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  x[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}
extern "C" __global__ void wrong(float *x) { *(volatile int *)64 = 1; }
extern "C" __global__ void endless(float *x) { *x = 1; }
"""


# Threads of HIP begin with its first device as the current one, so it is not the one that goes on.
FIRST = f"{BACKEND}:{1 if BACKEND == 'hip' else 0}"
_unused = itertools.count(2)


def unused_device() -> nexus.Device:
    """Returns an unused device, for tests that start or lose one."""
    return nexus.get_device(f"{BACKEND}:{next(_unused)}")


def run_alone(
    machine: dict[str, str], code: str, **variables: str
) -> subprocess.CompletedProcess[str]:
    """Runs Python code in a process with a driver of its own; it must exit with 0."""
    inherited = {key: value for key, value in os.environ.items() if "CUDA" not in key}
    return run_python("-c", code, env={**inherited, **machine, **variables}, check=True)


class Bench:
    """A device, its driver, and code for it."""

    def __init__(
        self, driver: Driver, device: nexus.Device, cubin: bytes | nexus.ObjectCode
    ) -> None:
        self.driver = driver
        self.device = device
        self.cubin = cubin
        self.numbers = itertools.count(1)
        self._context: ctypes.c_void_p | None = None
        self._stream = 0
        gc.freeze()  # settle() is to look at what comes from now on

    def on(self, device: nexus.Device) -> Bench:
        """Returns a bench for another device."""
        return Bench(self.driver, device, self.cubin)

    def floats(self, value: float = 0, memory: nexus.Memory | None = None) -> nexus.Buffer:
        """Returns a buffer of equal float32 values."""
        return self.device.create_buffer(np.full(COUNT, value, np.float32), memory=memory)

    def scaling(self, x: nexus.Buffer, factor: float, out: nexus.Buffer) -> nexus.Schedule:
        """Returns a schedule of one command: out = factor * x."""
        schedule = self.device.create_schedule()
        self.scale(schedule, x, factor, out)
        return schedule

    def scale(
        self, schedule: nexus.Schedule, x: nexus.Buffer, factor: float, out: nexus.Buffer
    ) -> nexus.Command:
        """Appends the command out = factor * x."""
        kernel = self.device.load_library(self.cubin).get_kernel("scale")
        args = (x, np.float32(factor), out, np.int32(COUNT))
        return schedule.create_command(kernel, args, 32, COUNT)

    def elsewhere(self) -> int:
        """Returns another library's stream, made at the first call."""
        if self._stream == 0:
            # A capture takes a stream more from the backend's pool, which is not to grow later.
            for stream in [self.device.create_stream() for _ in range(6)]:
                stream.close()
            device = self.device.native_handle
            if BACKEND == "hip":
                self.driver.call("hipSetDevice", device)
            else:
                self._context = self.driver.pointer("cuDevicePrimaryCtxRetain", device)
                self.driver.call("cuCtxSetCurrent", self._context)
            made = self.driver.pointer(named("cuStreamCreateWithPriority"), 1, 0)
            self._stream = made.value or 0
            # As the thread was before.
            if BACKEND == "hip":
                self.driver.call("hipSetDevice", 0)
            else:
                self.driver.call("cuCtxSetCurrent", None)
        return self._stream

    def copy_elsewhere(self, stream: nexus.Stream, to: nexus.Buffer, source: nexus.Buffer) -> None:
        """Copies in the stream as another library, by a function that the backend does not call."""
        self.elsewhere()  # finds the context
        places = [ctypes.c_void_p(each.native_handle) for each in (to, source)]
        size, handle = ctypes.c_size_t(to.nbytes), ctypes.c_void_p(stream.native_handle)
        if BACKEND == "hip":
            device = self.device.native_handle
            given = places[0], device, places[1], device, size, handle
            self.driver.call("hipMemcpyPeerAsync", *given)
            return
        self.driver.call("cuCtxSetCurrent", self._context)
        self.driver.call("cuMemcpyDtoDAsync_v2", *places, size, handle)
        self.driver.call("cuCtxSetCurrent", None)

    def check_works(self) -> None:
        """Checks that memory, copies, code and launches work."""
        value = next(self.numbers) % 1000
        with self.device.create_stream() as stream:
            x, out = self.floats(value), self.floats()
            self.scaling(x, 2, out).run(stream, timeout=LONG)
            got = np.zeros(COUNT, np.float32)
            out.copy(got, stream)
            assert got.tolist() == [2 * value] * COUNT
        assert self.floats(value).numpy().tolist() == [value] * COUNT

    def settle(self) -> dict[str, int]:
        """Counts the driver's objects after all deferred frees."""
        gc.collect()
        before: dict[str, int] = {}
        for _ in range(400):
            live = self.driver.all_live()
            if live == before:
                return live
            before = live
            time.sleep(0.003)
        return before

    def begin(self) -> dict[str, int]:
        """Counts the driver's objects, without pooled memory."""
        self.device.trim_memory()
        return self.settle()

    def leaks(self, before: dict[str, int], allowed: Collection[str] = ()) -> dict[str, int]:
        """Returns which objects are leaked; waits for threads of the plug-in that free some."""
        gc.collect()
        self.device.trim_memory()
        end = time.monotonic() + PATIENCE
        while True:
            more = grown(before, self.driver.all_live())
            found = {kind: count for kind, count in more.items() if kind not in allowed}
            if not found or time.monotonic() > end:
                return found
            time.sleep(0.003)


def grown(before: dict[str, int], after: dict[str, int]) -> dict[str, int]:
    """Returns the kinds of which there are more, and how many more."""
    return {kind: after[kind] - count for kind, count in before.items() if after[kind] > count}
