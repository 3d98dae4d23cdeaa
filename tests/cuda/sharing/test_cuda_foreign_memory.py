# SPDX-License-Identifier: Apache-2.0
"""Buffers over another library's CUDA memory."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import pytest
import simulated
from their_memory import allocated, context_of, floats, number, read, refusal, stream_of

import nexus


def test_a_buffer_over_a_pointer_is_the_memory(cuda: simulated.Driver, gpu: nexus.Device) -> None:
    memory = number(allocated(cuda, floats()))
    buffer = gpu.create_buffer_from_handle(memory, (16,))
    assert buffer.numpy().tolist() == floats().tolist()
    inside = gpu.create_buffer_from_handle(memory + 32, (8,))
    assert inside.numpy().tolist() == floats()[8:].tolist()
    buffer.fill(2.5)
    assert read(cuda, memory) == [2.5] * 16
    assert buffer.native_handle == memory


@pytest.mark.parametrize(("offset", "size"), [(0, 65), (64, 1), (60, 5), (1 << 62, 8)])
def test_what_lies_beyond_the_memory_is_refused(
    cuda: simulated.Driver, gpu: nexus.Device, offset: int, size: int
) -> None:
    memory = number(allocated(cuda, floats()))
    error = refusal(lambda: gpu.create_buffer_from_handle(memory, size, offset=offset))
    assert isinstance(error, nexus.NexusError)
    assert error.status == nexus.status.NXS_InvalidBufferSize
    assert f"offset is {offset} and size {size}, and there are 64 bytes" in str(error)


def test_memory_of_a_pool_serves_too(cuda: simulated.Driver, gpu: nexus.Device) -> None:
    stream = stream_of(cuda)
    memory = cuda.pointer("cuMemAllocAsync", ctypes.c_size_t(64), stream)
    cuda.call("cuStreamSynchronize", stream)
    buffer = gpu.create_buffer_from_handle(number(memory), (16,))
    buffer.fill(1.0)
    assert read(cuda, number(memory)) == [1.0] * 16
    cuda.call("cuMemFreeAsync", memory, stream)


@pytest.mark.parametrize(
    ("function", "arguments", "dlpack"),
    [
        ("cuMemAlloc_v2", (ctypes.c_size_t(64),), (2, 0)),
        ("cuMemHostAlloc", (ctypes.c_size_t(64), 3), (3, 0)),
        ("cuMemAllocManaged", (ctypes.c_size_t(64), 1), (13, 0)),
    ],
)
def test_dlpack_is_told_where_the_memory_is(
    cuda: simulated.Driver, gpu: nexus.Device, function: str, arguments: Any, dlpack: Any
) -> None:
    memory = cuda.pointer(function, *arguments)
    buffer = gpu.create_buffer_from_handle(number(memory), (16,))
    buffer.fill(7.0)
    assert buffer.__dlpack_device__() == dlpack
    assert buffer.numpy().tolist() == [7.0] * 16


def test_numpy_looks_into_page_locked_memory(cuda: simulated.Driver, gpu: nexus.Device) -> None:
    memory = cuda.pointer("cuMemHostAlloc", ctypes.c_size_t(64), 3)
    buffer = gpu.create_buffer_from_handle(number(memory), (16,))
    array = np.from_dlpack(buffer)
    array[:] = 9.0
    assert read(cuda, number(memory)) == [9.0] * 16


def test_memory_of_the_host_alone_is_refused(gpu: nexus.Device) -> None:
    array = floats()
    error = refusal(lambda: gpu.create_buffer_from_handle(array.ctypes.data, (16,)))
    assert isinstance(error, nexus.NexusError)
    assert error.status == nexus.status.NXS_InvalidHostPtr
    assert "not CUDA memory" in str(error)


def test_memory_that_was_freed_is_refused(cuda: simulated.Driver, gpu: nexus.Device) -> None:
    memory = allocated(cuda, floats())
    cuda.call("cuMemFree_v2", memory)
    error = refusal(lambda: gpu.create_buffer_from_handle(number(memory), (16,)))
    assert "not CUDA memory" in str(error)


def test_two_buffers_of_one_memory_are_not_copied_into_each_other(
    cuda: simulated.Driver, gpu: nexus.Device
) -> None:
    memory = number(allocated(cuda, floats()))
    first = gpu.create_buffer_from_handle(memory, (8,))
    second = gpu.create_buffer_from_handle(memory, (8,), offset=16)
    error = refusal(lambda: second.copy_from(first))
    assert isinstance(error, nexus.NexusError)
    assert error.status == nexus.status.NXS_MemCopyOverlap


# ---- Memory of another GPU ----


def test_a_gpu_works_in_the_memory_of_another(gpu: nexus.Device, other_gpu: nexus.Device) -> None:
    buffer = other_gpu.create_buffer(floats())
    here = gpu.create_buffer_from_handle(buffer.native_handle, (16,), owner=buffer)
    here.fill(3.0)
    assert buffer.numpy().tolist() == [3.0] * 16
    assert here.__dlpack_device__() == (2, 0)


def test_what_another_library_has_on_another_gpu_serves_too(
    cuda: simulated.Driver, gpu: nexus.Device
) -> None:
    with context_of(cuda, 1):
        memory = number(allocated(cuda, floats()))
        buffer = gpu.create_buffer_from_handle(memory, (16,))
        assert buffer.numpy().tolist() == floats().tolist()


def test_the_way_to_another_gpu_is_opened_once(
    cuda: simulated.Driver, gpu: nexus.Device, other_gpu: nexus.Device
) -> None:
    buffer = other_gpu.create_buffer(64)
    gpu.create_buffer_from_handle(buffer.native_handle, 64, owner=buffer)
    cuda.forget()
    gpu.create_buffer_from_handle(buffer.native_handle, 64, owner=buffer)
    assert cuda.calls("cuCtxEnablePeerAccess") == 0
    assert cuda.calls("cuMemPoolSetAccess") == 0


def test_a_pool_that_is_not_ours_on_another_gpu_is_refused(
    cuda: simulated.Driver, gpu: nexus.Device
) -> None:
    with context_of(cuda, 1):
        stream = stream_of(cuda)
        memory = cuda.pointer("cuMemAllocAsync", ctypes.c_size_t(64), stream)
        error = refusal(lambda: gpu.create_buffer_from_handle(number(memory), 64))
        cuda.call("cuMemFreeAsync", memory, stream)
    assert isinstance(error, nexus.NexusError)
    assert error.status == nexus.status.NXS_InvalidHostPtr
    assert "memory of the GPU 1, in a pool or a mapping" in str(error)
