# SPDX-License-Identifier: Apache-2.0
"""Fixtures for tests of the simulated driver, of which a process has one."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator

import pytest
import simulated
from metal_objects import Metal, settle
from simulated_cubin import Nvrtc


@pytest.fixture(scope="session")
def started() -> simulated.Driver:
    """Returns the driver of this process, after cuInit."""
    if not (simulated.folder() / "libcuda.so.1").exists():
        pytest.skip("needs the simulated driver: ninja -C build simulated_cuda simulated_nvrtc")
    driver = simulated.Driver()
    driver.set("memory", 1 << 30)
    driver.call("cuInit", 0)
    return driver


@pytest.fixture
def cuda(started: simulated.Driver) -> Iterator[simulated.Driver]:
    """Yields the driver with an empty primary context of device 0 current.

    Afterwards the context is released with everything in it.
    """
    context = started.pointer("cuDevicePrimaryCtxRetain", 0)
    started.call("cuCtxPushCurrent_v2", context)
    started.forget()
    yield started
    started.clear_failures()
    started.release()
    started.call("cuCtxPopCurrent_v2", None)
    for library in list(started.libraries):
        started.call("cuLibraryUnload", started.libraries.pop(library))
    started.call("cuDevicePrimaryCtxRelease_v2", 0)


@pytest.fixture
def stream(cuda: simulated.Driver) -> object:
    """Makes a stream that is not ordered with the NULL stream."""
    return cuda.pointer("cuStreamCreateWithPriority", 1, 0)


@pytest.fixture(scope="session")
def nvrtc() -> Nvrtc:
    """The simulated compiler."""
    return Nvrtc()


KERNELS = """
extern "C" __global__ void add(const int *x, int y, int *out, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) out[i] = x[i] + y;
}
extern "C" __global__ void __launch_bounds__(64) limited() {}
extern "C" __global__ void store(int *out, int value) { *out = value; }
extern "C" __global__ void trap() { __trap(); }
extern "C" __device__ int counter = 41;
extern "C" __global__ void count() { atomicAdd(&counter, 1); }
"""


@pytest.fixture(scope="session")
def cubin(nvrtc: Nvrtc) -> bytes:
    """Returns the kernels above as a cubin."""
    return nvrtc.compile(KERNELS, "kernels.cu", "--gpu-architecture=sm_90")


@pytest.fixture(scope="session")
def started_metal() -> Metal:
    """Returns the double of this process."""
    if not (simulated.folder() / "libnexus-metal-double.so").exists():
        pytest.skip("needs the simulated Metal: ninja -C build simulated_metal")
    return Metal()


@pytest.fixture
def metal(started_metal: Metal) -> Iterator[Metal]:
    """Yields the double; afterwards no object of the test is left, and nothing was misused."""
    before = started_metal.all_live()
    started_metal.forget()
    pool = started_metal.library.objc_autoreleasePoolPush()
    yield started_metal
    started_metal.clear_failures()
    started_metal.release()
    started_metal.do(started_metal.commands(), "commit")
    for each in started_metal.made:
        started_metal.do(each, "release")
    started_metal.made.clear()
    started_metal.library.objc_autoreleasePoolPop(ctypes.c_void_p(pool))
    settle(started_metal, lambda: started_metal.all_live() == before)
    assert started_metal.all_live() == before
    assert started_metal.misuse() == []
