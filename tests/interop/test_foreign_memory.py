# SPDX-License-Identifier: Apache-2.0
"""Memory that others got, by its handle, native handles, and the counts of memory."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import numpy as np
import pytest
from eventually import eventually
from gpu_arrays import floats, slow_fill

import nexus


class Owner:
    """Owns memory."""


@pytest.fixture(params=["cpu", "pretending"])
def device(request: pytest.FixtureRequest, gpu: nexus.Device) -> nexus.Device:
    return nexus.get_device(request.param)


def test_a_buffer_over_an_address_is_the_memory(device: nexus.Device) -> None:
    array = floats()
    buffer = device.create_buffer_from_handle(array.ctypes.data, (16,), owner=array)
    assert (buffer.dtype, buffer.shape, buffer.nbytes) == ("float32", (16,), 64)
    assert buffer.native_handle == array.ctypes.data
    buffer.fill(4.0)
    assert (array == 4.0).all()


def test_it_may_be_bytes_and_begin_later(device: nexus.Device) -> None:
    array = floats()
    part = device.create_buffer_from_handle(array.ctypes.data, 2, "float32", offset=16, owner=array)
    assert part.numpy().tolist() == [4.0, 5.0]
    plain = device.create_buffer_from_handle(array.ctypes.data, 8, owner=array)
    assert (plain.dtype, plain.nbytes) == (None, 8)


def test_the_owner_lives_as_long_as_work_uses_the_memory(device: nexus.Device) -> None:
    owner, array = Owner(), floats()
    reference = weakref.ref(owner)
    buffer = device.create_buffer_from_handle(array.ctypes.data, (16,), owner=owner)
    del owner
    part = buffer[4:8]
    buffer.close()
    gc.collect()
    assert reference() is not None
    stream = slow_fill(device, part, 1.0)
    part.close()
    del buffer, part
    stream.synchronize()
    assert eventually(lambda: reference() is None)
    assert array.tolist() == [0, 1, 2, 3, 1, 1, 1, 1, 8, 9, 10, 11, 12, 13, 14, 15]


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ((0, 64), ValueError, "handle is 0"),
        ((-8, 64), ValueError, "handle is -8"),
        (("8", 64), TypeError, "handle has to be"),
        ((True, 64), TypeError, "handle has to be"),
        ((8, [4]), TypeError, "data has to be"),
        ((8, 64, "nonsense"), ValueError, "dtype"),
    ],
)
def test_what_is_no_memory_is_told(
    device: nexus.Device, arguments: tuple[Any, ...], error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        device.create_buffer_from_handle(*arguments)


def test_a_buffers_handle_is_where_the_host_sees_it() -> None:
    buffer = nexus.get_device("cpu").create_buffer(floats())
    assert buffer.native_handle == np.asarray(buffer).ctypes.data
    assert buffer[2:].native_handle == buffer.native_handle + 8
    assert buffer.get_property_int("NativeHandle") == buffer.native_handle


def test_an_object_without_a_handle_says_so() -> None:
    stream = nexus.get_device("cpu").create_stream()
    with pytest.raises(nexus.NexusError, match="no native handle") as raised:
        stream.native_handle  # noqa: B018
    assert raised.value.status == nexus.status.NXS_NotSupported
    with pytest.raises(nexus.NexusError, match="no native handle"):
        nexus.create_buffer(64).native_handle  # noqa: B018


def test_buffers_are_counted_while_they_live(device: nexus.Device) -> None:
    gc.collect()
    used = device.memory_used
    device.reset_memory_peak()
    first, second = device.create_buffer(1000), device.create_buffer(500)
    assert device.memory_used == used + 1500
    first.close()
    del second
    assert device.memory_used == used
    assert device.memory_peak == used + 1500
    device.reset_memory_peak()
    assert device.memory_peak == used
    assert device.get_property_int("MemoryUsed") == used


def test_memory_of_others_is_not_counted(device: nexus.Device) -> None:
    gc.collect()
    used, array = device.memory_used, floats()
    buffer = device.create_buffer_from_handle(array.ctypes.data, (16,), owner=array)
    part = buffer[2:]
    assert (device.memory_used, part.nbytes) == (used, 56)


def test_a_backend_that_keeps_nothing_has_what_is_used() -> None:
    cpu = nexus.get_device("cpu")
    buffer = cpu.create_buffer(1000)
    assert cpu.memory_reserved == cpu.memory_used >= buffer.nbytes
    cpu.trim_memory()


def test_a_threshold_is_taken_where_nothing_is_kept() -> None:
    cpu = nexus.get_device("cpu")
    cpu.set_release_threshold(0)
    assert cpu.release_threshold == 0
    cpu.set_release_threshold(None)
    assert cpu.release_threshold is None
