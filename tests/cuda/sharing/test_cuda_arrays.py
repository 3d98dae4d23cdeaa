# SPDX-License-Identifier: Apache-2.0
"""Arrays on the GPU are shared by DLPack and __cuda_array_interface__."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import simulated
from dlpack_reader import Producer, Tensor
from their_memory import Floats, TheirStream, Write, allocated, floats, number, read, stream_of

import nexus

CUDA = 2


class Array:
    """A GPU array with only __cuda_array_interface__."""

    def __init__(self, memory: int, **entries: object) -> None:
        self.__cuda_array_interface__ = {
            "shape": (16,), "typestr": "<f4", "data": (memory, False), "version": 3, **entries,
        }  # fmt: skip


_kept: list[Producer] = []


def dlpack_array(memory: int, ordinal: int = 0) -> Producer:
    """Returns an array with DLPack that lives as long as the process."""
    _kept.append(Producer(memory, (16,), device=(CUDA, ordinal)))
    return _kept[-1]


def taken(buffer: nexus.Buffer, stream: int | None) -> Tensor:
    """Returns the array that a consumer with a stream receives."""
    return Tensor.take(buffer.__dlpack__(stream=stream, max_version=(1, 0)))


@pytest.mark.parametrize("array_of", [dlpack_array, Array])
def test_an_array_on_the_gpu_becomes_a_buffer(
    cuda: simulated.Driver, gpu: nexus.Device, array_of: Callable[[int], Any]
) -> None:
    memory = number(allocated(cuda, floats()))
    buffer = nexus.from_dlpack(array_of(memory))
    assert (buffer.device, buffer.native_handle) == (gpu, memory)
    buffer.fill(4.0)
    assert read(cuda, memory) == [4.0] * 16


def test_its_device_is_the_one_that_dlpack_names(other_gpu: nexus.Device) -> None:
    buffer = other_gpu.create_buffer(floats())
    array = dlpack_array(buffer.native_handle, ordinal=1)
    assert nexus.from_dlpack(array).device == other_gpu


def test_work_of_its_stream_comes_first(
    cuda: simulated.Driver, gpu: nexus.Device, write_slowly: Write
) -> None:
    memory, theirs, ours = number(allocated(cuda, floats())), stream_of(cuda), gpu.create_stream()
    write_slowly(memory, 5.0, theirs)
    buffer = nexus.from_dlpack(Array(memory, stream=number(theirs)), stream=ours)
    copy: Floats = np.empty(16, np.float32)
    buffer.copy(copy, stream=ours, blocking=False)
    assert not ours.is_idle
    cuda.release()
    ours.synchronize()
    assert copy.tolist() == [5.0] * 16


@pytest.mark.parametrize("stream", [None, 1, 2, "own"])
def test_a_consumers_stream_waits_for_our_work(
    cuda: simulated.Driver, gpu: nexus.Device, stream: Any
) -> None:
    theirs = stream_of(cuda)
    buffer = gpu.create_buffer((16,))
    other = gpu.create_stream()
    for value in range(10):
        buffer.fill(float(value), stream=other, blocking=False)
        tensor = taken(buffer, number(theirs) if stream == "own" else stream)
        target: Floats = np.empty(16, np.float32)
        work_in = theirs if stream == "own" else ctypes.c_void_p(stream or 1)
        cuda.call(
            "cuMemcpyDtoHAsync_v2",
            ctypes.c_void_p(target.ctypes.data),
            ctypes.c_uint64(buffer.native_handle),
            ctypes.c_size_t(64),
            work_in,
        )
        cuda.call("cuStreamSynchronize", work_in)
        tensor.delete()
        assert target.tolist() == [float(value)] * 16


def test_a_stream_of_theirs_orders_all_of_it(
    cuda: simulated.Driver, gpu: nexus.Device, write_slowly: Write
) -> None:
    theirs = TheirStream(cuda)
    memory = number(allocated(cuda, floats()))
    write_slowly(memory, 6.0, theirs.handle)
    stream = gpu.create_stream(foreign=theirs)
    buffer = nexus.from_dlpack(dlpack_array(memory), stream=stream)
    copy: Floats = np.empty(16, np.float32)
    buffer.copy(copy, stream=stream, blocking=False)
    cuda.release()
    stream.synchronize()
    assert copy.tolist() == [6.0] * 16
