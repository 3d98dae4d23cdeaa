# SPDX-License-Identifier: Apache-2.0
"""Buffers that Dask sends: their bytes, dtypes and shapes, and where they arrive."""

from __future__ import annotations

import pickle
from typing import Any

import dask
import numpy as np
import pytest
from dask.sizeof import sizeof
from distributed.protocol import deserialize, serialize
from distributed.protocol import pickle as dask_pickle
from distributed.protocol.serialize import merge_and_deserialize, serialize_and_split

import nexus
import nexus.distributed


def sent(value: Any) -> Any:
    """The value as another process would receive it from Dask."""
    header, frames = serialize_and_split(value, on_error="raise")
    received = [bytearray(frame) for frame in frames]
    return merge_and_deserialize(pickle.loads(pickle.dumps(header)), received)


@pytest.mark.parametrize(
    "dtype", ["float32", "bool", "int64", "complex64", [("a", "<i4"), ("b", "<f8")]]
)
def test_a_buffer_arrives_with_its_values(device: nexus.Device, dtype: Any) -> None:
    array = np.arange(24).astype(np.dtype(dtype)) if isinstance(dtype, str) else np.ones(24, dtype)
    array = array.reshape(4, 6)
    arrived = sent(device.create_buffer(array))
    assert (arrived.shape, arrived.dtype) == (array.shape, array.dtype)
    assert np.array_equal(arrived.numpy(), array)


@pytest.mark.parametrize("dtype", ["bfloat16", "int4", None])
def test_a_buffer_of_a_dtype_that_numpy_lacks_arrives(
    device: nexus.Device, dtype: str | None
) -> None:
    buffer = device.create_buffer(16, dtype)
    buffer.view("uint8").fill(0x35)
    arrived = sent(buffer)
    assert (arrived.shape, arrived.dtype) == ((16,), dtype)
    assert set(arrived.view("uint8").numpy()) == {0x35}


def test_it_arrives_on_the_device_of_the_receiver(device: nexus.Device) -> None:
    assert sent(nexus.zeros(8, device=device)).device == nexus.distributed.get_device()


def test_a_system_buffer_arrives_on_the_device(device: nexus.Device) -> None:
    assert sent(nexus.create_buffer((8,))).device == device


def test_a_part_with_gaps_arrives(device: nexus.Device) -> None:
    array = np.arange(48, dtype=np.float32).reshape(6, 8)
    part = device.create_buffer(array)[1:5, ::2]
    assert np.array_equal(sent(part).numpy(), array[1:5, ::2])


@pytest.mark.parametrize("shape", [(), (0,), (3, 0)])
def test_a_buffer_without_a_length_or_elements_arrives(
    device: nexus.Device, shape: tuple[int, ...]
) -> None:
    assert sent(nexus.zeros(shape, "int16", device=device)).shape == shape


def test_memory_that_the_host_sees_is_not_copied(device: nexus.Device) -> None:
    buffer = nexus.zeros(1024, device=device)
    _, frames = serialize(buffer)
    shared = np.frombuffer(frames[0], np.float32)
    buffer.fill(2)
    assert shared.tolist() == [2.0] * 1024


def test_a_long_frame_is_split_as_dask_splits(device: nexus.Device) -> None:
    buffer = device.create_buffer(np.arange(1 << 18, dtype=np.float32))
    header, frames = serialize_and_split(buffer, on_error="raise", size=1 << 16)
    assert [frame.nbytes for frame in frames] == [1 << 16] * 16
    arrived = merge_and_deserialize(header, [bytearray(frame) for frame in frames])
    assert np.array_equal(arrived.numpy(), buffer.numpy())


def test_a_buffer_inside_another_object_arrives(device: nexus.Device) -> None:
    value = {"pair": (1, nexus.ones(4, device=device))}
    number, buffer = dask_pickle.loads(dask_pickle.dumps(value))["pair"]
    assert (number, buffer.numpy().tolist()) == (1, [1.0] * 4)


def test_received_memory_that_can_not_be_written_is_copied(device: nexus.Device) -> None:
    header, frames = serialize(nexus.zeros(4, device=device))
    arrived = deserialize(header, [bytes(frames[0])])
    arrived.fill(1)
    assert arrived.numpy().tolist() == [1.0] * 4


def test_a_closed_buffer_is_refused(device: nexus.Device) -> None:
    buffer = nexus.zeros(4, device=device)
    buffer.close()
    with pytest.raises(TypeError, match="Could not serialize") as caught:
        serialize(buffer, on_error="raise")
    assert "close" in str(caught.value.__cause__)


def test_dask_counts_the_bytes_of_a_buffer(device: nexus.Device) -> None:
    assert sizeof(nexus.zeros((10, 10), "float64", device=device)) == 800


def test_buffers_with_equal_contents_have_one_token(device: nexus.Device) -> None:
    one, same, other = (nexus.full(4, value, device=device) for value in (1.0, 1.0, 2.0))
    token = dask.base.tokenize
    assert token(one) == token(same)
    assert token(one) != token(other)
