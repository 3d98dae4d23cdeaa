# SPDX-License-Identifier: Apache-2.0
"""Memory that the backend pools and frees."""

from __future__ import annotations

import ctypes
import gc
from collections.abc import Iterator
from typing import Any

import pytest
import simulated
from their_memory import Write, run_alone

import nexus

MIB = 1 << 20
UNUSED = """
import simulated
import nexus
device = nexus.get_device("cuda:1")
device.trim_memory()
print(device.memory_reserved, simulated.Driver().live("contexts"))
"""


@pytest.fixture
def trimmed(cuda: simulated.Driver, gpu: nexus.Device) -> nexus.Device:
    """Returns the device with an empty pool."""
    gc.collect()
    gpu.synchronize()
    gpu.trim_memory()
    return gpu


def test_released_memory_is_kept_until_it_is_trimmed(
    cuda: simulated.Driver, trimmed: nexus.Device
) -> None:
    before = cuda.memory_used(0)
    trimmed.create_buffer(MIB).close()
    assert trimmed.memory_reserved >= trimmed.memory_used + MIB
    trimmed.trim_memory()
    assert trimmed.memory_reserved < trimmed.memory_used + MIB
    assert cuda.memory_used(0) <= before


def test_a_buffer_of_a_size_that_was_just_released_needs_no_call_of_the_driver(
    cuda: simulated.Driver, trimmed: nexus.Device
) -> None:
    trimmed.create_buffer(MIB).close()
    cuda.forget()
    buffer = trimmed.create_buffer(MIB)
    assert cuda.calls("cuMemAllocFromPoolAsync") == 0
    other = trimmed.create_buffer(MIB + 256)
    assert cuda.calls("cuMemAllocFromPoolAsync") == 1
    assert buffer.native_handle != other.native_handle


def test_memory_that_work_still_uses_is_not_given_again(
    cuda: simulated.Driver, trimmed: nexus.Device, write_slowly: Write
) -> None:
    with trimmed.create_stream() as stream:
        buffer = trimmed.create_buffer(MIB)
        used = buffer.native_handle
        write_slowly(used, 1, ctypes.c_void_p(stream.native_handle))
        buffer.fill(0, stream=stream, blocking=False)
        buffer.close()
        other = trimmed.create_buffer(MIB)
        cuda.release()
    assert other.native_handle != used


def test_as_much_is_kept_as_one_asks(trimmed: nexus.Device) -> None:
    buffers = [trimmed.create_buffer(MIB) for _ in range(8)]
    for buffer in buffers[1:]:
        buffer.close()
    trimmed.trim_memory(4 * MIB)
    kept = trimmed.memory_reserved - trimmed.memory_used
    assert 0 < kept <= 4 * MIB
    assert buffers[0].numpy().nbytes == MIB


@pytest.mark.parametrize(
    "settings",
    [{"memory": "host"}, {"memory": "managed"}, {"shareable": True}, {}],
    ids=["host", "managed", "shareable", "pool"],
)
def test_all_memory_of_buffers_is_counted(trimmed: nexus.Device, settings: Any) -> None:
    before = trimmed.memory_reserved
    buffer = trimmed.create_buffer(MIB, **settings)
    assert trimmed.memory_reserved >= before + MIB
    buffer.close()
    trimmed.synchronize()
    trimmed.trim_memory()
    assert trimmed.memory_reserved <= before


def test_nothing_is_too_much_to_keep(trimmed: nexus.Device) -> None:
    trimmed.create_buffer(MIB).close()
    before = trimmed.memory_reserved
    trimmed.trim_memory((1 << 63) - 1)
    assert trimmed.memory_reserved == before


@pytest.fixture
def keeping_none(trimmed: nexus.Device) -> Iterator[nexus.Device]:
    """Yields the device with a release threshold of 0."""
    trimmed.set_release_threshold(0)
    yield trimmed
    trimmed.set_release_threshold(None)


def test_memory_that_work_used_goes_back_when_the_work_was_waited_for(
    cuda: simulated.Driver, keeping_none: nexus.Device, write_slowly: Write
) -> None:
    used = keeping_none.memory_reserved
    with keeping_none.create_stream() as stream:
        buffer = keeping_none.create_buffer(MIB)
        write_slowly(buffer.native_handle, 1.0, ctypes.c_void_p(stream.native_handle))
        buffer.fill(0, stream=stream, blocking=False)
        buffer.close()
        assert keeping_none.memory_reserved >= used + MIB
        cuda.release()
        stream.synchronize(60)
    assert keeping_none.memory_reserved == used


def test_so_much_is_kept_as_the_threshold_says(trimmed: nexus.Device) -> None:
    trimmed.set_release_threshold(trimmed.memory_reserved + 2 * MIB)
    trimmed.create_buffer(MIB).close()
    kept = trimmed.memory_reserved
    trimmed.set_release_threshold(None)
    assert kept >= trimmed.memory_used + MIB


def test_a_threshold_is_told_and_ends_with_none(trimmed: nexus.Device) -> None:
    told = [trimmed.release_threshold]
    for most in (5 * MIB, 0, None):
        trimmed.set_release_threshold(most)
        told.append(trimmed.release_threshold)
    assert told == [None, 5 * MIB, 0, None]
    trimmed.create_buffer(MIB).close()
    assert trimmed.memory_reserved >= trimmed.memory_used + MIB


def test_a_lower_threshold_acts_at_once(trimmed: nexus.Device) -> None:
    trimmed.create_buffer(MIB).close()
    trimmed.set_release_threshold(0)
    reserved = trimmed.memory_reserved
    trimmed.set_release_threshold(None)
    assert reserved < trimmed.memory_used + MIB


def test_a_device_that_nobody_used_is_not_started_for_it() -> None:
    assert run_alone(UNUSED).split() == ["0", "0"]
