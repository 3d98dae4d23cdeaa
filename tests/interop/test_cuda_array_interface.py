# SPDX-License-Identifier: Apache-2.0
"""__cuda_array_interface__, version 3, in and out."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import pytest
from gpu_arrays import CudaArray, floats, slow_fill

import nexus


def content(address: int, count: int = 16) -> list[float]:
    return list((ctypes.c_float * count).from_address(address))


def test_the_memory_is_the_arrays(gpu: nexus.Device) -> None:
    array = floats()
    buffer = nexus.from_dlpack(CudaArray(array))
    assert (buffer.device, buffer.shape, buffer.dtype) == (gpu, (16,), "float32")
    buffer.fill(7.0)
    assert (array == 7.0).all()


def test_strides_of_c_order_are_contiguous(gpu: nexus.Device) -> None:
    array = floats(24).reshape(2, 1, 12)
    buffer = nexus.from_dlpack(CudaArray(array, strides=(48, 999, 4)), gpu)
    assert buffer.shape == (2, 1, 12)
    assert buffer.numpy().tolist() == array.tolist()


@pytest.mark.parametrize("later", [True, False])
def test_its_streams_work_comes_first(gpu: nexus.Device, later: bool) -> None:
    array = floats()
    stream = slow_fill(gpu, nexus.from_dlpack(CudaArray(array)), 3.0)
    ours = gpu.create_stream() if later else None
    buffer = nexus.from_dlpack(CudaArray(array, stream=stream.native_handle), stream=ours)
    if ours is None:
        assert (array == 3.0).all()
        return
    copy = gpu.create_buffer((16,))
    copy.copy_from(buffer, stream=ours)
    assert (copy.numpy() == 3.0).all()


def test_create_buffer_copies_it(gpu: nexus.Device) -> None:
    array = floats()
    interface = CudaArray(array, data=(array.ctypes.data, True))
    for device in (gpu, nexus.get_device("cpu")):
        assert device.create_buffer(interface).numpy().tolist() == array.tolist()


@pytest.mark.parametrize(
    ("entries", "error", "words"),
    [
        ({"strides": (1 << 62,)}, ValueError, "x has strides beyond any memory"),
        ({"strides": ("4",)}, TypeError, "integer"),
        (
            {"strides": (4, 4)},
            ValueError,
            r"__cuda_array_interface__\['strides'\] of x is \(4, 4\)",
        ),
        ({"strides": 4}, TypeError, r"\['strides'\] of x has to be a tuple"),
        ({"data": 64}, TypeError, r"\['data'\] of x has to be a tuple"),
        ({"data": (64,)}, TypeError, r"\['data'\] of x has to be an address and a bool"),
        ({"data": (-1, False)}, ValueError, "the address of x is -1"),
        ({"data": (0, False)}, nexus.NexusError, "handle is 0"),
        ({"shape": 16}, TypeError, r"\['shape'\] of x has to be a tuple"),
        ({"typestr": "<c32"}, ValueError, r"\['typestr'\] of x is '<c32'"),
        ({"typestr": ">f4"}, ValueError, r"\['typestr'\] of x is '>f4'"),
        ({"typestr": 4}, TypeError, "typestr"),
        ({"mask": object()}, ValueError, "x has a mask"),
        ({"stream": 0}, ValueError, r"\['stream'\] of x is 0"),
        ({"stream": "1"}, TypeError, r"\['stream'\] of x has to be"),
        ({"stream": 999}, ValueError, "999; no stream has it"),
    ],
)
def test_what_is_wrong_is_told(
    gpu: nexus.Device, entries: dict[str, Any], error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        nexus.from_dlpack(CudaArray(floats(), **entries))


def test_what_is_no_dict_is_told(gpu: nexus.Device) -> None:
    array = CudaArray(floats())
    array.__cuda_array_interface__ = [1]  # type: ignore[assignment]
    with pytest.raises(TypeError, match="__cuda_array_interface__ of x has to be a dict"):
        nexus.from_dlpack(array)


def test_a_device_of_another_kind_is_refused(gpu: nexus.Device) -> None:
    with pytest.raises(BufferError, match="device is 'cpu:0'"):
        nexus.from_dlpack(CudaArray(floats()), "cpu")


def test_out_it_tells_the_memory(gpu: nexus.Device) -> None:
    buffer = gpu.create_buffer(floats().reshape(4, 4))
    interface = buffer.__cuda_array_interface__
    assert interface["shape"] == (4, 4)
    assert interface["typestr"] == "<f4"
    assert interface["data"] == (buffer.native_handle, False)
    assert interface["version"] == 3
    assert interface["strides"] is None
    assert content(interface["data"][0]) == floats().tolist()


@pytest.mark.parametrize(
    ("dtype", "typestr"),
    [("float16", "<f2"), ("float64", "<f8"), ("int8", "|i1"), ("uint8", "|u1"), ("bool", "|b1"),
     ("int64", "<i8"), ("uint32", "<u4"), (None, "|u1")],
)  # fmt: skip
def test_dtypes_out(gpu: nexus.Device, dtype: str | None, typestr: str) -> None:
    buffer = gpu.create_buffer(64, dtype=dtype)
    assert buffer.__cuda_array_interface__["typestr"] == typestr


def test_a_dtype_without_letters_has_none(gpu: nexus.Device) -> None:
    buffer = gpu.create_buffer((8,), dtype="bfloat16")
    with pytest.raises(AttributeError, match="does not support dtype bfloat16: use DLPack"):
        buffer.__cuda_array_interface__  # noqa: B018
    assert not hasattr(buffer, "__cuda_array_interface__")


def test_its_stream_is_behind_the_work(gpu: nexus.Device) -> None:
    buffer = gpu.create_buffer(floats())
    slow_fill(gpu, buffer, 9.0)
    interface = buffer.__cuda_array_interface__
    assert interface["stream"] == gpu.default_stream.native_handle
    gpu.create_stream(foreign=interface["stream"]).synchronize()
    assert content(interface["data"][0]) == [9.0] * 16


@pytest.mark.parametrize("selector", ["cpu", "pretended_rocm"])
def test_other_devices_have_none(rocm: nexus.Device, selector: str) -> None:
    buffer = nexus.get_device(selector).create_buffer(64)
    assert not hasattr(buffer, "__cuda_array_interface__")
    assert not hasattr(nexus.create_buffer(64), "__cuda_array_interface__")


def test_the_memory_goes_out_and_in_again(gpu: nexus.Device) -> None:
    buffer = gpu.create_buffer(floats())

    class Plain:
        __cuda_array_interface__ = buffer.__cuda_array_interface__

    other = nexus.from_dlpack(Plain())
    other.fill(1.0)
    assert (buffer.numpy() == np.float32(1)).all()
