# SPDX-License-Identifier: Apache-2.0
"""Native handles, by which other code uses objects of Nexus."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import pytest
import simulated
from simulated_cubin import Nvrtc
from their_memory import floats, number, read

import nexus

KERNEL = 'extern "C" __global__ void scale(float *x, float by) { x[threadIdx.x] *= by; }'


@pytest.fixture(scope="session")
def code(started: simulated.Driver) -> bytes:
    """Returns the kernel above."""
    return Nvrtc().compile(KERNEL, "scale.cu", "--gpu-architecture=sm_90")


def test_a_devices_handle_is_the_drivers_number(
    cuda: simulated.Driver, gpu: nexus.Device, other_gpu: nexus.Device
) -> None:
    assert gpu.native_handle == cuda.number("cuDeviceGet", 0)
    assert other_gpu.native_handle == cuda.number("cuDeviceGet", 1)


def test_a_buffers_handle_is_its_address(cuda: simulated.Driver, gpu: nexus.Device) -> None:
    buffer = gpu.create_buffer(floats())
    assert read(cuda, buffer.native_handle) == floats().tolist()
    assert read(cuda, buffer[4:].native_handle, 12) == floats()[4:].tolist()


@pytest.mark.parametrize(
    ("memory", "named"), [("device", (2, 1)), ("host", (3, 0)), ("managed", (13, 0))]
)
def test_dlpack_names_the_place_of_a_buffer(
    other_gpu: nexus.Device, memory: Any, named: tuple[int, int]
) -> None:
    assert other_gpu.create_buffer(64, memory=memory).__dlpack_device__() == named


def test_a_streams_handle_takes_work(cuda: simulated.Driver, gpu: nexus.Device) -> None:
    stream, buffer = gpu.create_stream(), gpu.create_buffer((16,))
    address = ctypes.c_uint64(buffer.native_handle)
    value, count = ctypes.c_uint(0x40400000), ctypes.c_size_t(16)
    handle = ctypes.c_void_p(stream.native_handle)
    cuda.call("cuMemsetD32Async", address, value, count, handle)
    copy = np.empty(16, np.float32)
    buffer.copy(copy, stream=stream)
    assert copy.tolist() == [3.0] * 16


def test_a_kernels_handle_is_a_function(
    cuda: simulated.Driver, gpu: nexus.Device, code: bytes
) -> None:
    buffer = gpu.create_buffer(floats())
    kernel = gpu.load_library(code).get_kernel("scale")
    memory, by = ctypes.c_uint64(buffer.native_handle), ctypes.c_float(2.0)
    function = ctypes.c_void_p(kernel.native_handle)
    assert cuda.launch(function, memory, by, block=(16, 1, 1)) == simulated.SUCCESS
    cuda.call("cuCtxSynchronize")
    assert buffer.numpy().tolist() == (floats() * 2).tolist()


def test_a_librarys_handle_has_its_kernels(
    cuda: simulated.Driver, gpu: nexus.Device, code: bytes
) -> None:
    library = gpu.load_library(code)
    handle = ctypes.c_void_p(library.native_handle)
    assert number(cuda.pointer("cuLibraryGetKernel", handle, b"scale")) != 0


def test_an_event_has_one_when_it_was_signalled(cuda: simulated.Driver, gpu: nexus.Device) -> None:
    event = gpu.create_event()
    with pytest.raises(nexus.NexusError, match="no native handle"):
        event.native_handle  # noqa: B018
    signalled = gpu.create_stream().record()
    signalled.wait()
    handle = ctypes.c_void_p(signalled.native_handle)
    assert cuda.result("cuEventQuery", handle) == simulated.SUCCESS
    assert "NativeHandle" in signalled.get_property_keys()
    assert "NativeHandle" not in event.get_property_keys()


def test_a_schedule_has_one_when_it_is_a_graph(cuda: simulated.Driver, gpu: nexus.Device) -> None:
    buffer, stream = gpu.create_buffer((16,)), gpu.create_stream()
    schedule = gpu.create_schedule()
    schedule.create_fill_command(buffer, 1.0)
    schedule.create_fill_command(buffer, 2.0)
    with pytest.raises(nexus.NexusError, match="no native handle"):
        schedule.native_handle  # noqa: B018
    schedule.run(stream)
    schedule.run(stream)
    graph = ctypes.c_void_p(schedule.native_handle)
    buffer.fill(0.0)
    cuda.call("cuGraphLaunch", graph, ctypes.c_void_p(stream.native_handle))
    stream.synchronize()
    cuda.call("cuStreamSynchronize", ctypes.c_void_p(stream.native_handle))
    assert buffer.numpy().tolist() == [2.0] * 16
