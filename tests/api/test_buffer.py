# SPDX-License-Identifier: Apache-2.0
"""Buffers: construction and copies."""

from __future__ import annotations

import array
import threading
import weakref
from typing import Any

import numpy as np
import pytest

import nexus

pytestmark = pytest.mark.smoke


def test_an_int_is_a_number_of_bytes_without_a_dtype(device: nexus.Device) -> None:
    buffer = device.create_buffer(1024)
    assert (buffer.nbytes, buffer.shape, buffer.dtype) == (1024, (1024,), None)


@pytest.mark.parametrize("count", [1023, np.int64(1023)])
def test_an_int_with_a_dtype_is_a_number_of_elements(device: nexus.Device, count: int) -> None:
    buffer = device.create_buffer(count, dtype="float32")
    assert (buffer.nbytes, buffer.shape, buffer.dtype) == (4092, (1023,), "float32")


def test_a_tuple_is_a_shape_of_float32(device: nexus.Device) -> None:
    buffer = device.create_buffer((4, 8))
    assert (buffer.nbytes, buffer.shape, buffer.dtype) == (128, (4, 8), "float32")


def test_a_tuple_with_a_dtype(device: nexus.Device) -> None:
    buffer = device.create_buffer((1024, 1024), dtype="fp16")
    assert (buffer.nbytes, buffer.dtype) == (2 * 1024 * 1024, "float16")


def test_an_array_of_bfloat16(device: nexus.Device) -> None:
    ml_dtypes = pytest.importorskip("ml_dtypes", reason="pip install ml_dtypes")
    data = np.array([1.5, -2.0, 3.0], ml_dtypes.bfloat16)
    buffer = device.create_buffer(data)
    assert buffer.dtype == "bfloat16"
    np.testing.assert_array_equal(buffer.numpy(), data)


def test_any_object_with_the_buffer_protocol(device: nexus.Device) -> None:
    buffer = device.create_buffer(array.array("d", [1.0, 2.0]))
    assert (buffer.dtype, buffer.numpy().tolist()) == ("float64", [1.0, 2.0])


def test_bytes_have_no_dtype(device: nexus.Device) -> None:
    buffer = device.create_buffer(b"nexus")
    assert (buffer.dtype, buffer.nbytes, bytes(buffer.numpy())) == (None, 5, b"nexus")


def test_an_object_that_numpy_makes_an_array_of(device: nexus.Device) -> None:
    class Tensor:
        def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
            return np.array([1, 2, 3], np.int16)

    assert device.create_buffer(Tensor()).numpy().tolist() == [1, 2, 3]


@pytest.mark.parametrize("dtype", [None, "float32", "int4"])
def test_a_buffer_of_no_elements_is_empty(device: nexus.Device, dtype: str | None) -> None:
    buffer = device.create_buffer(0, dtype=dtype)
    assert (buffer.nbytes, buffer.shape, buffer.dtype) == (0, (0,), dtype)


@pytest.mark.parametrize("memory", ["device", "host"])
@pytest.mark.parametrize("shape", [(0,), (0, 3), (2, 0, 5), ()])
def test_buffers_without_elements_or_dimensions_have_their_arrays_shape(
    device: nexus.Device, shape: tuple[int, ...], memory: Any
) -> None:
    array = np.full(shape, 2.5, np.float32)
    for buffer in (
        device.create_buffer(array, memory=memory),
        device.copy_buffer(device.create_buffer(array)),
        nexus.create_buffer(array),
        nexus.from_dlpack(array, device),
    ):
        assert (buffer.nbytes, buffer.shape, buffer.dtype) == (array.nbytes, shape, "float32")
        for read in (buffer.numpy(), np.asarray(buffer), np.from_dlpack(buffer)):
            np.testing.assert_array_equal(read, array, strict=True)
        assert memoryview(buffer).shape == shape
        assert np.asarray(buffer.view("int32")).shape == shape


def test_a_shape_without_lengths_is_one_element(device: nexus.Device) -> None:
    buffer = device.create_buffer((), dtype="int32")
    assert (buffer.shape, buffer.nbytes) == ((), 4)
    buffer.fill(7)
    assert buffer[...].numpy() == 7
    assert buffer.numpy().shape == ()


def test_bytes_that_are_none_make_an_empty_buffer(device: nexus.Device) -> None:
    assert bytes(device.create_buffer(b"").numpy()) == b""


def test_a_zero_dimensional_integer_array_is_no_size(device: nexus.Device) -> None:
    assert device.create_buffer(np.array(5)).numpy() == 5
    assert device.create_buffer(np.int64(5)).nbytes == 5


def test_copies_and_fills_of_nothing_do_nothing(device: nexus.Device) -> None:
    one, other = device.create_buffer((0, 3)), device.create_buffer((0, 3))
    stream = device.create_stream()
    for where in (None, stream):
        for blocking in (True, False):
            one.fill(1, where, blocking)
            one.copy_from(np.empty((0, 3), np.float32), where, blocking)
            one.copy(np.empty((0, 3), np.float32), where, blocking)
            one.copy_from(other, where, blocking)
    device.synchronize()


def test_a_blocking_copy_of_nothing_waits_for_the_work_before_it(device: nexus.Device) -> None:
    event, stream = device.create_event(), device.create_stream()
    schedule = device.create_schedule()
    schedule.create_wait_command(event, 1)
    schedule.run(stream, blocking=False)
    buffer = device.create_buffer(0)
    threading.Timer(0.2, event.signal, (1,)).start()
    buffer.fill(0, stream)
    assert event.value == 1


def test_an_array_that_was_refused_is_let_go(device: nexus.Device) -> None:
    data = bytearray(8)
    with pytest.raises(TypeError, match="int32"):
        device.create_buffer(memoryview(data)[::2], dtype="int32")
    data.append(1)  # a BufferError while somebody looks at the memory


def test_a_copy_without_an_array_is_a_buffer(device: nexus.Device, buffer: nexus.Buffer) -> None:
    made = buffer.copy()
    before = buffer.numpy()
    buffer.fill(0)
    assert (made.device, made.dtype, made.shape) == (device, buffer.dtype, buffer.shape)
    assert np.array_equal(made.numpy(), before)


def test_a_copy_without_an_array_takes_no_stream(
    device: nexus.Device, buffer: nexus.Buffer
) -> None:
    copy: Any = buffer.copy
    for options in ({"stream": device.create_stream()}, {"blocking": False}):
        with pytest.raises(ValueError, match="stream and blocking are for a copy into host"):
            copy(**options)


def test_a_copy_of_a_system_buffer_is_one() -> None:
    buffer = nexus.create_buffer(np.arange(6.0).reshape(2, 3))
    made = buffer.T.copy()
    buffer.fill(0)
    assert made.device is None
    assert np.array_equal(made.numpy(), np.arange(6.0).reshape(2, 3).T)


def test_copy_into_plain_bytes_needs_no_dtype(buffer: nexus.Buffer, floats: Any) -> None:
    host = bytearray(buffer.nbytes)
    buffer.copy(host)
    assert bytes(host) == floats.tobytes()


def test_closing_twice_does_nothing(buffer: nexus.Buffer) -> None:
    buffer.close()
    buffer.close()
    with pytest.raises(nexus.NexusError) as caught:
        buffer.fill(0)
    assert caught.value.status == nexus.status.NXS_InvalidBuffer


def test_with_closes_the_buffer(device: nexus.Device) -> None:
    with device.create_buffer(16) as buffer:
        buffer.fill(0)
    with pytest.raises(nexus.NexusError):
        buffer.numpy()


def test_an_array_is_let_go_when_its_copy_is_lost_with_its_stream(device: nexus.Device) -> None:
    array = np.ones(16, np.float32)
    reference = weakref.ref(array)
    stream = device.create_stream()
    stream.wait(device.create_event())
    device.create_buffer((16,)).copy_from(array, stream, blocking=False)
    del array
    stream.close()
    device.synchronize()
    assert reference() is None


def test_copy_from_a_buffer_wants_its_dtype(device: nexus.Device, buffer: nexus.Buffer) -> None:
    with pytest.raises(TypeError, match="array has dtype int32, but the buffer has float32"):
        buffer.copy_from(device.create_buffer((1024,), dtype="int32"))
