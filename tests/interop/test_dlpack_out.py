# SPDX-License-Identifier: Apache-2.0
"""Buffer.__dlpack__ of memory on a GPU: what a library of the GPU gets."""

from __future__ import annotations

import ctypes
import threading
from typing import Any

import numpy as np
import pytest
from dlpack_reader import Tensor, drop_capsule, read_capsule
from gpu_arrays import CUDA, CUDA_HOST, CUDA_MANAGED, ROCM, floats, slow_fill

import nexus

COPIED = 2


def content(tensor: Tensor, count: int = 16) -> list[float]:
    """Returns the contents of memory of the pretended GPU, which is host memory."""
    return list((ctypes.c_float * count).from_address(tensor.data))


@pytest.fixture
def buffer(gpu: nexus.Device) -> nexus.Buffer:
    """0.0, 1.0 ... on the device."""
    return gpu.create_buffer(floats())


def test_the_capsule_names_the_device_and_shares_the_memory(buffer: nexus.Buffer) -> None:
    assert buffer.__dlpack_device__() == (CUDA, 0)
    capsule = buffer.__dlpack__(max_version=(1, 0))
    tensor = read_capsule(capsule)
    assert (tensor.device, tensor.shape, tensor.strides) == ((CUDA, 0), (16,), (1,))
    assert tensor.data == buffer.native_handle
    buffer.fill(5.0)
    assert content(tensor) == [5.0] * 16


@pytest.mark.parametrize(
    ("memory", "place"), [("device", CUDA), ("host", CUDA_HOST), ("managed", CUDA_MANAGED)]
)
def test_the_kind_of_memory_is_told(gpu: nexus.Device, memory: Any, place: int) -> None:
    assert gpu.create_buffer(64, memory=memory).__dlpack_device__() == (place, 0)


@pytest.mark.parametrize("stream", [None, 1, 2])
def test_the_consumers_stream_waits_for_the_work(
    gpu: nexus.Device, buffer: nexus.Buffer, stream: int | None
) -> None:
    """None is the legacy default stream, whose number is 1."""
    slow_fill(gpu, buffer, 9.0)
    capsule = buffer.__dlpack__(stream=stream)
    consumer = gpu.create_stream(foreign=stream or 1)
    consumer.synchronize()
    assert content(read_capsule(capsule)) == [9.0] * 16


def test_an_export_waits_for_work_that_is_held_back(
    gpu: nexus.Device, buffer: nexus.Buffer
) -> None:
    """The driver knows nothing of it yet, so it can't hold back what the consumer does."""
    event, stream = gpu.create_event(), gpu.create_stream()
    stream.wait(event)
    buffer.fill(9.0, stream=stream, blocking=False)
    opener = threading.Timer(0.05, event.signal, (1,))
    opener.start()
    capsule = buffer.__dlpack__(stream=1)
    gpu.create_stream(foreign=1).synchronize()
    assert content(read_capsule(capsule)) == [9.0] * 16
    opener.join()


@pytest.mark.parametrize("by_handle", [False, True])
@pytest.mark.parametrize("closed", [False, True])
def test_a_stream_is_named_by_itself_or_its_handle(
    gpu: nexus.Device, buffer: nexus.Buffer, closed: bool, by_handle: bool
) -> None:
    """It waits for the work of a stream that was closed, too."""
    consumer = gpu.create_stream()
    producer = slow_fill(gpu, buffer, 9.0)
    if closed:
        producer.close()
    capsule = buffer.__dlpack__(stream=consumer.native_handle if by_handle else consumer)
    consumer.record().wait()
    assert content(read_capsule(capsule)) == [9.0] * 16


def test_an_export_does_not_wait_on_the_host(gpu: nexus.Device, buffer: nexus.Buffer) -> None:
    event = gpu.create_event()
    stream = gpu.create_stream()
    stream.wait(event)
    buffer.fill(9.0, stream=stream, blocking=False)
    capsule = buffer.__dlpack__(stream=-1)
    assert content(read_capsule(capsule)) == floats().tolist()
    event.signal(1)
    stream.synchronize()
    assert content(read_capsule(capsule)) == [9.0] * 16


def test_managed_memory_is_ready_for_the_host(gpu: nexus.Device) -> None:
    buffer = gpu.create_buffer(floats(), memory="managed")
    slow_fill(gpu, buffer, 9.0)
    assert content(read_capsule(buffer.__dlpack__())) == [9.0] * 16


@pytest.mark.parametrize(
    ("stream", "error", "words"),
    [
        (0, ValueError, "stream is 0: that is ambiguous; 1 is CUDA's legacy default stream"),
        (-2, ValueError, "stream is -2"),
        (True, TypeError, "stream has to be an int, a nexus.Stream or None"),
        ("1", TypeError, "stream has to be an int"),
        (12345, ValueError, "12345; no stream has it"),
    ],
)
def test_what_is_no_stream_is_told(
    buffer: nexus.Buffer, stream: Any, error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        buffer.__dlpack__(stream=stream)
    buffer.close()  # no view of it was left


@pytest.mark.parametrize("stream", [1, 2])
def test_rocm_has_no_streams_1_and_2(rocm: nexus.Device, stream: int) -> None:
    buffer = rocm.create_buffer((4,))
    assert buffer.__dlpack_device__() == (ROCM, 0)
    with pytest.raises(ValueError, match="ROCm has no such streams"):
        buffer.__dlpack__(stream=stream)
    drop_capsule(buffer.__dlpack__(stream=0))


def test_a_copy_is_on_the_device(gpu: nexus.Device, buffer: nexus.Buffer) -> None:
    capsule = buffer.__dlpack__(max_version=(1, 0), copy=True)
    tensor = read_capsule(capsule)
    assert (tensor.device, tensor.flags) == ((CUDA, 0), COPIED)
    buffer.fill(0)
    assert content(tensor) == floats().tolist()
    buffer.close()


def test_a_copy_on_the_host_is_asked_for(buffer: nexus.Buffer) -> None:
    capsule = buffer.__dlpack__(max_version=(1, 0), dl_device=(1, 0))
    tensor = read_capsule(capsule)
    assert (tensor.device, tensor.flags) == ((1, 0), COPIED)
    assert content(tensor) == floats().tolist()
    with pytest.raises(BufferError, match="not visible to the host"):
        buffer.__dlpack__(dl_device=(1, 0), copy=False)


def test_the_device_may_be_named(buffer: nexus.Buffer) -> None:
    drop_capsule(buffer.__dlpack__(dl_device=(CUDA, 0)))
    with pytest.raises(BufferError, match=r"dl_device is \(2, 1\)"):
        buffer.__dlpack__(dl_device=(CUDA, 1))


def test_numpy_is_told_that_it_cant(buffer: nexus.Buffer) -> None:
    with pytest.raises((RuntimeError, BufferError)):
        np.from_dlpack(buffer)


def test_a_buffer_goes_out_and_in_again(gpu: nexus.Device, buffer: nexus.Buffer) -> None:
    other = nexus.from_dlpack(buffer)
    assert (other.device, other.native_handle) == (gpu, buffer.native_handle)
    other.fill(2.0)
    assert (buffer.numpy() == 2.0).all()
