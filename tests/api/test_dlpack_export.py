# SPDX-License-Identifier: Apache-2.0
"""DLPack export: other libraries use a buffer's memory in place."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest
from dlpack_reader import Tensor, capsule_name, drop_capsule, read_capsule
from python_process import run_python

import nexus

FLAG_COPIED = 2


@pytest.fixture(autouse=True)
def host_visible(device: nexus.Device) -> None:
    bits = device.runtime.get_property_int("Capabilities")
    if not bits & nexus.capability.HostVisibleMemory:
        pytest.skip("this backend's memory is not host-visible: NEXUS_DEVICE=cpu has such memory")


def test_a_buffer_lies_on_the_host(buffer: nexus.Buffer) -> None:
    assert buffer.__dlpack_device__() == (1, 0)


@pytest.mark.parametrize(
    ("dtype", "code", "bits"),
    [
        ("int8", 0, 8), ("int16", 0, 16), ("int32", 0, 32), ("int64", 0, 64),
        ("uint8", 1, 8), ("uint16", 1, 16), ("uint32", 1, 32), ("uint64", 1, 64),
        ("float16", 2, 16), ("float32", 2, 32), ("float64", 2, 64),
        ("bfloat16", 4, 16), ("bool", 6, 8), ("float8_e4m3fn", 10, 8), ("float8_e5m2", 12, 8),
        ("float4_e2m1fn", 17, 4), ("int4", 0, 4), ("uint4", 1, 4),
    ],
)  # fmt: skip
def test_the_codes_of_dtypes(device: nexus.Device, dtype: str, code: int, bits: int) -> None:
    tensor = read_capsule(device.create_buffer((4, 2), dtype=dtype).__dlpack__())
    assert (tensor.code, tensor.bits, tensor.lanes) == (code, bits, 1)
    assert (tensor.shape, tensor.strides) == ((4, 2), (2, 1))


def test_plain_bytes_are_uint8(device: nexus.Device) -> None:
    tensor = read_capsule(device.create_buffer(16).__dlpack__())
    assert (tensor.code, tensor.bits, tensor.shape) == (1, 8, (16,))


def test_a_dtype_without_a_code_is_a_buffer_error(device: nexus.Device) -> None:
    with pytest.raises(BufferError, match="DLPack does not support dtype bfloat4"):
        device.create_buffer((4,), dtype="bf4").__dlpack__()


def test_a_slice_begins_where_it_does(device: nexus.Device) -> None:
    buffer = device.create_buffer(np.arange(100, dtype=np.float32))
    array = np.from_dlpack(buffer[10:20])
    assert array.tolist() == list(range(10, 20))


@pytest.mark.parametrize(
    ("max_version", "name"),
    [
        (None, b"dltensor"),
        ((0, 8), b"dltensor"),
        ((1, 0), b"dltensor_versioned"),
        ((1, 3), b"dltensor_versioned"),
        ((2, 0), b"dltensor_versioned"),
    ],
)
def test_a_capsule_is_versioned_where_the_consumer_knows_it(
    buffer: nexus.Buffer, max_version: Any, name: bytes
) -> None:
    assert capsule_name(buffer.__dlpack__(max_version=max_version)) == name


def test_a_versioned_tensor_is_writable_and_no_copy(buffer: nexus.Buffer) -> None:
    tensor = read_capsule(buffer.__dlpack__(max_version=(1, 0)))
    assert (tensor.version[0], tensor.flags, tensor.device) == (1, 0, (1, 0))


def test_a_copy_is_one(buffer: nexus.Buffer, floats: Any) -> None:
    array = np.from_dlpack(buffer, copy=True)
    buffer.fill(0.0)
    np.testing.assert_array_equal(array, floats)
    capsule = buffer.__dlpack__(max_version=(1, 0), copy=True)
    assert read_capsule(capsule).flags == FLAG_COPIED
    buffer.close()  # a copy is not a view


def test_copy_false_shares(buffer: nexus.Buffer) -> None:
    tensor = read_capsule(buffer.__dlpack__(copy=False))
    assert tensor.data == buffer.__array_interface__["data"][0]


def test_the_work_of_a_stream_comes_after_the_export(
    device: nexus.Device, doubling: nexus.Schedule, buffer: nexus.Buffer
) -> None:
    stream = device.create_stream()
    doubling.run(blocking=False)
    capsule = buffer.__dlpack__(stream=stream)
    host = np.empty(1024, np.float32)
    buffer.copy(host, stream)
    assert host[1] == 2.0
    drop_capsule(capsule)


def test_an_export_is_a_live_view(buffer: nexus.Buffer) -> None:
    first, second = buffer.__dlpack__(), buffer.__dlpack__(max_version=(1, 0))
    with pytest.raises(BufferError, match=r"has 2 live views"):
        buffer.close()
    del first
    with pytest.raises(BufferError, match=r"has 1 live view "):
        buffer.close()
    del second
    buffer.close()


def test_a_view_counts_for_the_buffer_and_not_for_its_slices(buffer: nexus.Buffer) -> None:
    part = buffer[0:4]
    array = np.from_dlpack(buffer)
    part.close()
    assert array[1] == 1.0


def test_a_tensor_is_let_go_by_a_thread_without_the_gil(buffer: nexus.Buffer) -> None:
    tensor = Tensor.take(buffer.__dlpack__())
    with pytest.raises(BufferError, match="1 live view"):
        buffer.close()
    # A function of ctypes.CDLL runs without the GIL.
    thread = threading.Thread(target=tensor.delete_without_gil)
    thread.start()
    thread.join()
    buffer.close()  # a BufferError if the tensor lived
    with pytest.raises(nexus.NexusError, match="closed"):
        buffer.fill(1.0)


def test_a_tensor_outlives_the_interpreter() -> None:
    program = """
import numpy as np, nexus
device = nexus.get_device()
kept = np.from_dlpack(device.create_buffer((16,)))
capsule = device.create_buffer((16,)).__dlpack__(max_version=(1, 0))
import builtins
builtins.kept, builtins.capsule = kept, capsule
"""
    done = run_python("-c", program)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        ({"stream": 1}, ValueError, "stream is 1: host memory has no such streams"),
        ({"stream": "0"}, TypeError, "stream has to be a nexus.Stream or None, not str"),
        ({"max_version": 1}, TypeError, "max_version has to be a tuple of two ints"),
        ({"max_version": (1, "0")}, TypeError, "max_version has to be a tuple of two ints"),
        ({"dl_device": (2, 0)}, BufferError, r"dl_device is \(2, 0\)"),
        ({"dl_device": 1}, TypeError, "dl_device has to be a tuple of two ints"),
        ({"copy": 1}, TypeError, "copy has to be True, False or None"),
        ({"nothing": 1}, TypeError, "nothing"),
    ],
)
def test_arguments_that_are_refused(
    buffer: nexus.Buffer, arguments: dict[str, Any], error: type[Exception], text: str
) -> None:
    with pytest.raises(error, match=text):
        buffer.__dlpack__(**arguments)
    buffer.close()  # no view is left


def test_arguments_are_given_by_name(buffer: nexus.Buffer) -> None:
    with pytest.raises(TypeError):
        buffer.__dlpack__(None)  # type: ignore[call-arg]


def test_capsules_that_nobody_used_leave_nothing_behind(device: nexus.Device) -> None:
    before = len(device.get_buffers())
    with device.create_buffer((16,)) as buffer:  # whose end is a BufferError while a capsule lives
        for _ in range(1000):
            buffer.__dlpack__()
            buffer.__dlpack__(max_version=(1, 0))
            buffer.__dlpack__(copy=True)
    assert len(device.get_buffers()) == before
