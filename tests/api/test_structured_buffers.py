# SPDX-License-Identifier: Apache-2.0
"""Buffers of structures and of complex numbers."""

from __future__ import annotations

import ctypes
import pickle
from typing import Any

import numpy as np
import pytest

import nexus

BODY = np.dtype(
    [("mass", "f4"), ("at", "f8", (3,)), ("part", [("x", "i2"), ("z", "c8")])], align=True
)
PACKED = np.dtype([("kind", "u1"), ("value", "f4")])  # the field is not aligned


def bodies(*shape: int) -> Any:
    made = np.zeros(shape, BODY)
    made["mass"] = np.arange(made.size).reshape(shape)
    made["at"][..., 1] = 7
    made["part"]["z"] = 1 - 2j
    return made


@pytest.mark.parametrize("on", ["device", "system"])
def test_structures_come_back(device: nexus.Device, on: str) -> None:
    data = bodies(2, 3)
    buffer = (device if on == "device" else nexus).create_buffer(data)
    assert (buffer.dtype, buffer.shape, buffer.itemsize) == (BODY, (2, 3), BODY.itemsize)
    assert (buffer.size, buffer.nbytes, buffer.strides) == (6, data.nbytes, data.strides)
    for back in (buffer.numpy(), np.asarray(buffer)):
        assert back.dtype == BODY
        assert (back == data).all()
    assert np.shares_memory(np.asarray(buffer), np.asarray(buffer))
    assert str(buffer) == str(data)
    assert "mass" in repr(buffer)


def test_views_are_of_structures(device: nexus.Device) -> None:
    data = bodies(4, 3)
    buffer = device.create_buffer(data)
    assert (buffer.T.numpy() == data.T).all()
    assert (buffer[::2, 1].ascontiguous().numpy() == data[::2, 1]).all()
    assert buffer.reshape(12).dtype == BODY
    assert (device.create_buffer(data.T).numpy() == data.T).all()
    assert buffer[3, 2].numpy() == data[3, 2]
    raw = device.create_buffer(data.tobytes())
    assert (raw.view(BODY).numpy() == data.ravel()).all()
    assert (buffer.view("uint8").numpy().tobytes()) == data.tobytes()


def test_a_field_is_a_view(device: nexus.Device) -> None:
    data = bodies(4)
    buffer = device.create_buffer(data)
    buffer["mass"] = [4, 3, 2, 1]
    buffer["part"]["z"][1:] = 5j
    buffer["at"][:, 0] = -1
    data["mass"], data["at"][:, 0] = [4, 3, 2, 1], -1
    data["part"]["z"][1:] = 5j
    assert (buffer.numpy() == data).all()
    assert (buffer["at"].shape, buffer["at"].dtype) == ((4, 3), "float64")
    assert buffer["part"].dtype == BODY["part"]
    assert (np.asarray(buffer["at"]) == data["at"]).all()
    with pytest.raises(ValueError, match=r"'masss'.*\('mass', 'at', 'part'\)"):
        buffer["masss"]
    with pytest.raises(TypeError, match="The index of a buffer"):
        buffer["at"]["x"]


def test_fields_need_no_alignment(device: nexus.Device) -> None:
    data = np.array([(1, 1.5), (2, -2.5)], PACKED)
    buffer = device.create_buffer(data)
    assert buffer["value"].numpy().tolist() == [1.5, -2.5]
    buffer["value"] = 3
    assert buffer.numpy()["value"].tolist() == [3, 3]


def test_structures_are_assigned_and_made(device: nexus.Device) -> None:
    buffer = nexus.zeros(3, PACKED, device=device)
    assert buffer.numpy().tolist() == [(0, 0.0)] * 3
    buffer[1:] = (4, 0.5)
    assert buffer.numpy().tolist() == [(0, 0.0), (4, 0.5), (4, 0.5)]
    buffer.copy_from(nexus.empty_like(buffer))
    assert nexus.empty_like(buffer).dtype == PACKED
    with pytest.raises(TypeError, match=r"value: a scalar can't be of the data type \[\('kind'"):
        buffer.fill(1)
    with pytest.raises(TypeError, match=r"array has dtype float32, but the buffer has \[\('kind'"):
        buffer.copy_from(np.zeros(3, np.float32))


# numpy's, on Python 3.10 and 3.11, of structures with padding. It reads them correctly.
@pytest.mark.filterwarnings("ignore:A builtin ctypes object gave a PEP3118 format:RuntimeWarning")
def test_structures_of_ctypes(device: nexus.Device) -> None:
    class Pair(ctypes.Structure):
        _fields_ = [("x", ctypes.c_int32), ("y", ctypes.c_double)]

    buffer = device.create_buffer((Pair * 2)(Pair(1, 2.5), Pair(3, 4.5)))
    assert buffer["y"].numpy().tolist() == [2.5, 4.5]


def test_a_kernel_takes_structures_as_bytes(device: nexus.Device, library: nexus.Library) -> None:
    pairs = np.zeros(2, [("x", "f4"), ("y", "f4")])
    pairs["x"] = [1, 2]
    buffer = device.create_buffer(pairs)
    library.get_kernel("scale")(buffer, 2.0, grid=4)
    assert buffer["x"].numpy().tolist() == [2, 4]


def test_what_has_no_form_for_structures_says_so(device: nexus.Device) -> None:
    buffer = device.create_buffer(bodies(2))
    with pytest.raises(BufferError, match=r"DLPack does not support dtype .*mass"):
        buffer.__dlpack__()
    with pytest.raises(BufferError, match=r"does not support dtype .*mass"):
        memoryview(buffer)
    from nexus import algorithms

    with pytest.raises(TypeError, match=r"x has elements of .*mass.*: algorithms take"):
        algorithms.sum(buffer)
    with pytest.raises(TypeError, match=r"x has elements of complex64: algorithms take"):
        algorithms.sum(nexus.zeros(2, "complex64", device=device))


def test_structures_go_to_another_process(device: nexus.Device) -> None:
    shared = device.create_buffer((2,), PACKED, shareable=True)
    assert pickle.loads(pickle.dumps(shared)).dtype == PACKED


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_complex_numbers(device: nexus.Device, dtype: str) -> None:
    data = np.array([[1 + 2j, -3j], [0.5, 4]], dtype)
    buffer = device.create_buffer(data)
    assert buffer.dtype == dtype == np.dtype(dtype) == getattr(np, dtype)
    assert (np.asarray(buffer) == data).all()
    assert (np.asarray(memoryview(buffer)) == data).all()
    assert (np.from_dlpack(buffer) == data).all()
    assert (nexus.from_dlpack(data, device).numpy() == data).all()
    assert str(buffer) == str(data)
    assert buffer[0, 0].item() == 1 + 2j
    buffer[1] = 2 - 1j
    buffer[0, 1] = 7
    assert buffer.numpy().tolist() == [[1 + 2j, 7], [2 - 1j, 2 - 1j]]
    half = "float32" if dtype == "complex64" else "float64"
    assert buffer.view(half).numpy().tolist() == [[1, 2, 7, 0], [2, -1, 2, -1]]
    assert buffer.T.ascontiguous().astype("complex128").numpy()[0].tolist() == [1 + 2j, 2 - 1j]
    assert nexus.full(2, 1j, dtype, device=device).numpy().tolist() == [1j, 1j]


def test_a_kernel_takes_complex_numbers_as_pairs(
    device: nexus.Device, library: nexus.Library
) -> None:
    buffer = device.create_buffer(np.array([1 + 2j, 3j], np.complex64))
    library.get_kernel("scale")(buffer, 2.0, grid=4)
    assert buffer.numpy().tolist() == [2 + 4j, 6j]
    doubles = device.create_buffer(np.zeros(2, np.complex128))
    with pytest.raises(nexus.NexusError, match="has elements of complex128"):
        library.get_kernel("scale")(doubles, 2.0, grid=4)


def test_what_is_no_complex_number_does_not_fill(device: nexus.Device) -> None:
    buffer = nexus.zeros(2, "complex64", device=device)
    for value, error in ((True, TypeError), ("1", TypeError), (1e300j, ValueError)):
        with pytest.raises(error, match="value"):
            buffer.fill(value)
