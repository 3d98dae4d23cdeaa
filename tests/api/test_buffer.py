# SPDX-License-Identifier: Apache-2.0
"""Buffers: what they are made from, and how data gets in and out."""

from __future__ import annotations

import array
import math
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


def test_a_numpy_integer_is_a_number_of_bytes(device: nexus.Device) -> None:
    assert device.create_buffer(np.int64(16)).nbytes == 16


def test_a_tuple_is_a_shape_of_float32(device: nexus.Device) -> None:
    buffer = device.create_buffer((4, 8))
    assert (buffer.nbytes, buffer.shape, buffer.dtype) == (128, (4, 8), "float32")


def test_a_tuple_with_a_dtype(device: nexus.Device) -> None:
    buffer = device.create_buffer((1024, 1024), dtype="fp16")
    assert (buffer.nbytes, buffer.dtype) == (2 * 1024 * 1024, "float16")


def test_four_bit_elements_share_bytes(device: nexus.Device) -> None:
    assert device.create_buffer((3,), dtype="int4").nbytes == 2


@pytest.mark.parametrize(
    "dtype",
    ["float32", "float64", "float16", "int8", "uint8", "int16", "uint16", "int32", "uint32",
     "int64", "uint64", "bool"],
)  # fmt: skip
def test_an_array_keeps_its_dtype_shape_and_contents(device: nexus.Device, dtype: str) -> None:
    data = np.arange(24).reshape(2, 3, 4).astype(dtype)
    buffer = device.create_buffer(data)
    assert (buffer.dtype, buffer.shape) == (dtype, (2, 3, 4))
    np.testing.assert_array_equal(buffer.numpy(), data)


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


@pytest.mark.parametrize("data", [[1, 2, 3], True, 1.5, None, "text", {1}, object(), np.float32(1)])
def test_what_is_no_size_and_no_array_is_a_type_error(device: nexus.Device, data: Any) -> None:
    with pytest.raises(TypeError, match="data has to be"):
        device.create_buffer(data)


@pytest.mark.parametrize("data", [-1, 2**63, (4, -4), (2**40, 2**40)])
def test_sizes_that_no_buffer_has_are_value_errors(device: nexus.Device, data: Any) -> None:
    with pytest.raises(ValueError, match="data"):
        device.create_buffer(data)


def test_a_float_in_a_shape_is_a_type_error_that_names_it(device: nexus.Device) -> None:
    with pytest.raises(TypeError, match=r"data\[1\] has to be an int, not float"):
        device.create_buffer((4, 1.5))


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


def test_an_array_that_is_not_contiguous_is_refused(device: nexus.Device) -> None:
    with pytest.raises(ValueError, match="ascontiguousarray"):
        device.create_buffer(np.zeros((4, 4), np.float32)[:, 1])


def test_an_array_that_was_refused_is_let_go(device: nexus.Device) -> None:
    data = bytearray(8)
    with pytest.raises(ValueError, match="ascontiguousarray"):
        device.create_buffer(memoryview(data)[::2])
    data.append(1)  # a BufferError while somebody looks at the memory


def test_an_array_in_foreign_byte_order_is_refused(device: nexus.Device) -> None:
    with pytest.raises(TypeError, match="byte order"):
        device.create_buffer(np.zeros(4, np.dtype("f4").newbyteorder()))


def test_a_dtype_that_is_not_the_arrays_is_refused(device: nexus.Device) -> None:
    with pytest.raises(TypeError, match="astype"):
        device.create_buffer(np.zeros(4, np.float32), dtype="float16")


def test_more_memory_than_there_is_is_an_error_in_words(device: nexus.Device) -> None:
    with pytest.raises((nexus.NexusError, MemoryError)):
        device.create_buffer(2**60)


@pytest.mark.parametrize("memory", ["disk", ""])
def test_unknown_kinds_of_memory_are_value_errors(device: nexus.Device, memory: Any) -> None:
    with pytest.raises(ValueError, match="memory is"):
        device.create_buffer(16, memory=memory)


def test_memory_is_text(device: nexus.Device) -> None:
    with pytest.raises(TypeError, match="memory has to be"):
        device.create_buffer(16, memory=1)  # type: ignore[arg-type]


def test_device_memory_can_be_asked_for(device: nexus.Device) -> None:
    assert device.create_buffer(16, memory="device").nbytes == 16


def test_copy_fills_a_host_array(buffer: nexus.Buffer, floats: Any) -> None:
    host = np.empty_like(floats)
    buffer.copy(host)
    np.testing.assert_array_equal(host, floats)


def test_copy_into_plain_bytes_needs_no_dtype(buffer: nexus.Buffer, floats: Any) -> None:
    host = bytearray(buffer.nbytes)
    buffer.copy(host)
    assert bytes(host) == floats.tobytes()


def test_copy_wants_the_buffers_dtype(buffer: nexus.Buffer) -> None:
    with pytest.raises(TypeError, match="host has dtype int32, but the buffer has float32"):
        buffer.copy(np.empty(1024, np.int32))


@pytest.mark.parametrize("length", [1023, 1025])
def test_copy_wants_the_buffers_size(buffer: nexus.Buffer, length: int) -> None:
    with pytest.raises(ValueError, match=f"host has {4 * length} bytes, but the buffer has 4096"):
        buffer.copy(np.empty(length, np.float32))


def test_copy_refuses_a_read_only_array(buffer: nexus.Buffer, floats: Any) -> None:
    floats.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        buffer.copy(floats)


def test_copy_from_an_array(device: nexus.Device, floats: Any) -> None:
    buffer = device.create_buffer(floats.shape)
    buffer.copy_from(floats)
    np.testing.assert_array_equal(buffer.numpy(), floats)


def test_copy_from_takes_a_read_only_array(device: nexus.Device, floats: Any) -> None:
    floats.flags.writeable = False
    buffer = device.create_buffer(floats.shape)
    buffer.copy_from(floats)
    np.testing.assert_array_equal(buffer.numpy(), floats)


def test_copy_from_another_buffer(device: nexus.Device, buffer: nexus.Buffer, floats: Any) -> None:
    other = device.create_buffer(floats.shape)
    other.copy_from(buffer)
    np.testing.assert_array_equal(other.numpy(), floats)


@pytest.mark.parametrize(
    ("dtype", "value"), [("float32", 0.1), ("int16", -3), ("uint64", 2**64 - 1), ("bool", True)]
)
def test_fill_sets_every_element(device: nexus.Device, dtype: str, value: Any) -> None:
    buffer = device.create_buffer((100,), dtype=dtype)
    buffer.fill(value)
    np.testing.assert_array_equal(buffer.numpy(), np.full(100, value, dtype))


def test_fill_sets_every_byte_of_a_buffer_without_a_dtype(device: nexus.Device) -> None:
    buffer = device.create_buffer(7)
    buffer.fill(255)
    assert bytes(buffer.numpy()) == b"\xff" * 7


@pytest.mark.parametrize(
    ("dtype", "value"), [("int8", 128), ("uint8", -1), ("float16", 65520), ("float32", 1e39)]
)
def test_fill_refuses_what_does_not_fit(device: nexus.Device, dtype: str, value: Any) -> None:
    with pytest.raises(ValueError, match=f"value is .*{dtype}"):
        device.create_buffer((4,), dtype=dtype).fill(value)


@pytest.mark.parametrize(("dtype", "value"), [("int32", 1.0), ("float32", "1"), ("bool", 1)])
def test_fill_refuses_what_is_no_such_number(device: nexus.Device, dtype: str, value: Any) -> None:
    with pytest.raises(TypeError, match="value has to be"):
        device.create_buffer((4,), dtype=dtype).fill(value)


def test_fill_takes_infinity_and_nan(device: nexus.Device) -> None:
    buffer = device.create_buffer((2,), dtype="float16")
    buffer.fill(math.inf)
    assert np.isposinf(buffer.numpy()).all()
    buffer.fill(math.nan)
    assert np.isnan(buffer.numpy()).all()


def test_a_buffer_knows_its_device(device: nexus.Device, buffer: nexus.Buffer) -> None:
    assert buffer.device == device


def test_a_closed_buffer_is_refused(buffer: nexus.Buffer) -> None:
    buffer.close()
    with pytest.raises(nexus.NexusError) as error:
        buffer.fill(0)
    assert error.value.status == nexus.status.NXS_InvalidBuffer


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


def test_a_copy_that_does_not_block_is_done_when_its_stream_is(
    device: nexus.Device, buffer: nexus.Buffer, floats: Any
) -> None:
    stream = device.create_stream()
    host = np.empty_like(floats)
    buffer.copy(host, stream, blocking=False)
    stream.synchronize()
    np.testing.assert_array_equal(host, floats)


def test_an_array_is_let_go_when_its_copy_is_done(device: nexus.Device) -> None:
    array = np.ones(16, np.float32)
    reference = weakref.ref(array)
    device.create_buffer((16,)).copy_from(array, blocking=False)
    del array
    device.synchronize()
    assert reference() is None


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
