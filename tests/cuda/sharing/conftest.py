# SPDX-License-Identifier: Apache-2.0
"""Fixtures that call the backend's driver like another library."""

from __future__ import annotations

import ctypes
import gc
from collections.abc import Iterator

import pytest
import simulated
from simulated_cubin import Nvrtc
from their_memory import Write

import nexus

KERNEL = 'extern "C" __global__ void slow(float *x, float value) { x[threadIdx.x] = value; }'


@pytest.fixture
def other_gpu(started: simulated.Driver) -> nexus.Device:
    """Returns the second GPU."""
    return nexus.get_device("cuda:1")


@pytest.fixture(autouse=True)
def cuda(started: simulated.Driver, gpu: nexus.Device) -> Iterator[simulated.Driver]:
    """Yields the driver for another library of this process, in the primary context of `gpu`.

    Afterwards checks that no call was misuse.
    """
    context = started.pointer("cuDevicePrimaryCtxRetain", gpu.native_handle)
    started.call("cuCtxPushCurrent_v2", context)
    started.forget()
    yield started
    current = started.pointer("cuCtxGetCurrent")
    started.clear_failures()
    started.release()
    started.call("cuCtxPopCurrent_v2", None)
    started.call("cuDevicePrimaryCtxRelease_v2", gpu.native_handle)
    gc.collect()
    gpu.synchronize()
    assert current.value == context.value  # as every call found it
    assert started.misuse() == []


@pytest.fixture(scope="session")
def code(started: simulated.Driver) -> bytes:
    """Returns the kernel above as a cubin."""
    return Nvrtc().compile(KERNEL, "slow.cu", "--gpu-architecture=sm_90")


@pytest.fixture
def write_slowly(cuda: simulated.Driver, code: bytes) -> Write:
    """Makes the other library write 16 floats in its stream once the driver is unblocked."""
    function = cuda.function(cuda.load(code), "slow")

    def enqueue(memory: int, value: float, stream: object) -> None:
        cuda.hold("slow")
        arguments = ctypes.c_uint64(memory), ctypes.c_float(value)
        result = cuda.launch(function, *arguments, block=(16, 1, 1), stream=stream)
        assert result == simulated.SUCCESS

    return enqueue
