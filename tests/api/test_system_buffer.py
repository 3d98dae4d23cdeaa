# SPDX-License-Identifier: Apache-2.0
"""System buffers: nexus.create_buffer makes host memory for every device."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import nexus


@pytest.fixture
def system(floats: Any) -> nexus.Buffer:
    """Returns a system buffer that holds `floats`."""
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


def test_views_and_exports_share_it(system: nexus.Buffer) -> None:
    np.asarray(system)[:] = 3.0
    assert (np.from_dlpack(system) == 3.0).all()
    assert system.__dlpack_device__() == (1, 0)


def test_copies_and_fills(device: nexus.Device, system: nexus.Buffer) -> None:
    system.fill(2.0)
    system[0:2].copy_from(np.array([5.0, 6.0], np.float32))
    buffer = device.create_buffer((1024,))
    buffer.copy_from(system)
    assert buffer.numpy()[:3].tolist() == [5.0, 6.0, 2.0]
    buffer.fill(9.0)
    system[1:].copy_from(buffer[1:])
    host = np.empty(1024, np.float32)
    system.copy(host)
    assert host.tolist() == [5.0] + [9.0] * 1023


def test_a_slice_of_it_is_an_argument(
    schedule: nexus.Schedule, library: nexus.Library, system: nexus.Buffer
) -> None:
    schedule.create_command(library.get_kernel("scale"), (system[16:18], 2.0), 2, 2)
    schedule.run()
    assert system.numpy()[15:19].tolist() == [15, 32, 34, 18]


@pytest.mark.parametrize("call", ["copy", "copy_from"])
def test_without_a_stream_a_copy_has_to_block(system: nexus.Buffer, floats: Any, call: str) -> None:
    with pytest.raises(ValueError, match=r"blocking is False.*give a stream"):
        getattr(system, call)(floats, blocking=False)


def test_without_a_stream_a_copy_into_a_device_has_to_block(
    buffer: nexus.Buffer, system: nexus.Buffer
) -> None:
    with pytest.raises(ValueError, match="blocking is false"):
        buffer.copy_from(system, blocking=False)


def test_without_a_stream_a_fill_has_to_block(system: nexus.Buffer) -> None:
    with pytest.raises(ValueError, match="blocking"):
        system.fill(0.0, blocking=False)
