# SPDX-License-Identifier: Apache-2.0
"""System buffers: nexus.create_buffer makes host memory that every device takes."""

from __future__ import annotations

import mmap
from typing import Any

import numpy as np
import pytest

import nexus


@pytest.fixture
def system(floats: Any) -> nexus.Buffer:
    """A system buffer that holds `floats`."""
    return nexus.create_buffer(floats)


def test_a_size_is_a_number_of_bytes() -> None:
    buffer = nexus.create_buffer(100)
    assert (buffer.nbytes, buffer.shape, buffer.dtype) == (100, (100,), None)


def test_a_size_with_a_dtype_is_a_number_of_elements() -> None:
    buffer = nexus.create_buffer(25, dtype="f32")
    assert (buffer.nbytes, buffer.shape) == (100, (25,))


def test_a_shape_and_an_array(system: nexus.Buffer, floats: Any) -> None:
    assert nexus.create_buffer((2, 3), "fp16").dtype == "float16"
    np.testing.assert_array_equal(system.numpy(), floats)
    floats[:] = 0.0
    assert system.numpy()[1] == 1.0


def test_it_has_no_device(system: nexus.Buffer) -> None:
    assert system.device is None
    assert repr(system) == "<nexus.Buffer float32 (1024,) in system memory>"


def test_it_begins_at_a_page(system: nexus.Buffer) -> None:
    assert np.asarray(system).ctypes.data % mmap.PAGESIZE == 0


def test_views_and_exports_share_it(system: nexus.Buffer) -> None:
    np.asarray(system)[:] = 3.0
    assert (np.from_dlpack(system) == 3.0).all()
    assert system.__dlpack_device__() == (1, 0)


def test_copies_and_fills(system: nexus.Buffer) -> None:
    system.fill(2.0)
    system[0:2].copy_from(np.array([5.0, 6.0], np.float32))
    host = np.empty(1024, np.float32)
    system.copy(host)
    assert host[:3].tolist() == [5.0, 6.0, 2.0]


def test_copies_between_it_and_a_device(
    device: nexus.Device, system: nexus.Buffer, floats: Any
) -> None:
    buffer = device.create_buffer((1024,))
    buffer.copy_from(system)
    np.testing.assert_array_equal(buffer.numpy(), floats)
    buffer.fill(9.0)
    system.copy_from(buffer)
    assert (system.numpy() == 9.0).all()


def test_copy_buffer_takes_it(device: nexus.Device, system: nexus.Buffer, floats: Any) -> None:
    buffer = device.copy_buffer(system)
    assert buffer.device == device
    np.testing.assert_array_equal(buffer.numpy(), floats)


def test_it_is_an_argument(
    system: nexus.Buffer, library: nexus.Library, schedule: nexus.Schedule
) -> None:
    command = schedule.create_command(library.get_kernel("scale"))
    command.set_buffer(0, system)
    command.set_arg(1, 2.0)
    command.finalize(32, 1024)
    schedule.run()
    assert system.numpy()[1023] == 2046.0


def test_a_copy_in_a_stream_need_not_block(device: nexus.Device, system: nexus.Buffer) -> None:
    stream = device.create_stream()
    system.fill(4.0, stream, blocking=False)
    stream.synchronize()
    assert (system.numpy() == 4.0).all()


@pytest.mark.parametrize("call", ["copy", "copy_from"])
def test_without_a_stream_a_copy_has_to_block(system: nexus.Buffer, floats: Any, call: str) -> None:
    with pytest.raises(ValueError, match=r"blocking is False.*give a stream"):
        getattr(system, call)(floats, blocking=False)


def test_without_a_stream_a_fill_has_to_block(system: nexus.Buffer) -> None:
    with pytest.raises(ValueError, match="blocking"):
        system.fill(0.0, blocking=False)


@pytest.mark.parametrize("data", [-1, (1, -1), 2**63])
def test_sizes_that_no_buffer_has_are_value_errors(data: Any) -> None:
    with pytest.raises(ValueError, match="data"):
        nexus.create_buffer(data)


@pytest.mark.parametrize("data", [[1, 2], True, 1.5, None, "text"])
def test_what_is_no_size_and_no_array_is_a_type_error(data: Any) -> None:
    with pytest.raises(TypeError, match="data has to be"):
        nexus.create_buffer(data)


def test_a_closed_one_is_refused(system: nexus.Buffer) -> None:
    with system:
        pass
    with pytest.raises(nexus.NexusError) as caught:
        system.numpy()
    assert caught.value.status == nexus.status.NXS_InvalidBuffer
