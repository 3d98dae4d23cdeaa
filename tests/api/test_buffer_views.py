# SPDX-License-Identifier: Apache-2.0
"""Views: numpy.asarray(buffer) and memoryview(buffer) share the memory of a host-visible buffer."""

from __future__ import annotations

import numpy as np
import pytest

import nexus


@pytest.fixture(autouse=True)
def host_visible(device: nexus.Device) -> None:
    bits = device.runtime.get_property_int("Capabilities")
    if not bits & nexus.capability.HostVisibleMemory:
        pytest.skip("this backend's memory is not host-visible: NEXUS_DEVICE=cpu has such memory")


def test_asarray_of_another_dtype_converts(buffer: nexus.Buffer) -> None:
    assert np.asarray(buffer, dtype=np.float64).dtype == np.float64


def test_array_copies(buffer: nexus.Buffer) -> None:
    copy = np.array(buffer)
    buffer.fill(0.0)
    assert copy[1] == 1.0


def test_memoryview(device: nexus.Device) -> None:
    view = memoryview(device.create_buffer((2, 3), dtype="float64"))
    assert (view.format, view.shape, view.strides, view.readonly) == ("d", (2, 3), (24, 8), False)


def test_asarray_of_bfloat16_shares_too(device: nexus.Device) -> None:
    ml_dtypes = pytest.importorskip("ml_dtypes", reason="pip install ml_dtypes")
    buffer = device.create_buffer(np.ones(4, ml_dtypes.bfloat16))
    view = np.asarray(buffer)
    buffer.fill(2.0)
    assert view.dtype == ml_dtypes.bfloat16
    assert (view == 2).all()


def test_memoryview_of_bfloat16_names_the_way(device: nexus.Device) -> None:
    with pytest.raises(BufferError, match=r"buffer\.numpy\(\)"):
        memoryview(device.create_buffer((4,), dtype="bf16"))


def test_the_array_interface_shares_the_memory(device: nexus.Device) -> None:
    buffer = device.create_buffer((2, 3), dtype="int16")
    interface = buffer.__array_interface__
    assert interface["version"] == 3
    assert (interface["typestr"], interface["shape"]) == (np.dtype(np.int16).str, (2, 3))
    assert interface["data"] == (np.asarray(buffer).ctypes.data, False)


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int64", "float16", "float64"])
def test_the_type_of_the_array_interface_is_numpys(device: nexus.Device, dtype: str) -> None:
    buffer = device.create_buffer((4,), dtype=dtype)
    assert buffer.__array_interface__["typestr"] == np.dtype(dtype).str


@pytest.mark.parametrize("dtype", ["bf16", "fp8", "int4"])
def test_a_dtype_without_a_typestr_has_no_array_interface(device: nexus.Device, dtype: str) -> None:
    buffer = device.create_buffer((4,), dtype=dtype)
    with pytest.raises(AttributeError, match=r"no form for dtype .*numpy\.asarray\(buffer\)"):
        _ = buffer.__array_interface__
    assert not hasattr(buffer, "__array_interface__")


def test_views_of_one_buffer_count_whoever_made_them(buffer: nexus.Buffer) -> None:
    views = [np.asarray(buffer), memoryview(buffer), np.from_dlpack(buffer)]
    with pytest.raises(BufferError, match="3 live views"):
        buffer.close()
    views.clear()
    buffer.close()


def test_a_view_that_outlives_its_instance_counts_for_the_next(device: nexus.Device) -> None:
    shape = (16, 3, 7)  # of no other buffer, which may live a little longer
    buffer = device.create_buffer(shape)
    capsule = buffer.__dlpack__()
    schedule = device.create_schedule()
    schedule.create_fill_command(buffer, 1.0)
    del buffer
    (again,) = [found for found in device.get_buffers() if found.shape == shape]
    with pytest.raises(BufferError, match="1 live view "):
        again.close()
    del capsule
    again.close()
