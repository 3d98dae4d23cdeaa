# SPDX-License-Identifier: Apache-2.0
"""Teaches Dask to send, measure and compare buffers."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import cloudpickle
import numpy as np
from dask.base import normalize_token
from dask.sizeof import sizeof
from distributed.protocol import dask_deserialize, dask_serialize

import nexus
from nexus import _core
from nexus.distributed import _worker

if TYPE_CHECKING:
    from nexus import Buffer, Device

Header = dict[str, Any]

_ALIGNMENT = 16  # bytes, enough for every dtype


def register() -> None:
    """Registers the functions of this module with Dask, for this process."""
    dask_serialize.register(nexus.Buffer)(serialize)
    dask_deserialize.register(nexus.Buffer)(deserialize)
    sizeof.register(nexus.Buffer)(_size)
    normalize_token.register(nexus.Buffer, _token)
    # Dask uses cloudpickle for objects that contain functions defined in a notebook or in a
    # function.
    cloudpickle.CloudPickler.dispatch_table[nexus.Buffer] = _reduce


def serialize(buffer: Buffer) -> tuple[Header, list[pickle.PickleBuffer]]:
    """Returns a buffer's header and its bytes, copied only if the host can't access the memory.

    The frame is a PickleBuffer, so that a buffer inside another object can be pickled too.
    """
    buffer = buffer.ascontiguous()
    dtype = buffer.dtype
    if dtype is not None and not isinstance(dtype, str):
        dtype = pickle.dumps(dtype)  # numpy's dtype, for structured elements
    header = {
        "dtype": None if dtype is None else dtype if isinstance(dtype, bytes) else str(dtype),
        "shape": buffer.shape,
        "readonly": buffer.readonly,
    }
    return header, [pickle.PickleBuffer(_bytes_of(buffer))]


def deserialize(header: Header, frames: Sequence[Any]) -> Buffer:
    """Returns the buffer on the device of this process."""
    data = np.frombuffer(memoryview(frames[0]), np.uint8)
    dtype, shape = header["dtype"], tuple(header["shape"])
    if isinstance(dtype, bytes):
        dtype = pickle.loads(dtype)  # noqa: S301  Dask's own messages are pickles too
    device = _worker.get_device()
    if not data.size:
        return device.create_buffer(shape, dtype)
    whole = _worker.retried(lambda: _placed(device, data, header["readonly"]))
    return typed(whole, dtype, shape)


def typed(whole: Buffer, dtype: Any, shape: tuple[int, ...]) -> Buffer:
    """Returns a buffer of plain bytes with a dtype and a shape."""
    if dtype is None or isinstance(dtype, str):
        return _core.part_of_memory(whole, 0, whole.nbytes, dtype, shape)
    return whole.view(dtype).reshape(shape)


def _placed(device: Device, data: np.ndarray[Any, Any], readonly: bool) -> Buffer:
    """Returns a buffer of bytes. On the CPU it uses the received memory, if that can be written."""
    usable = data.flags.writeable and not readonly and data.ctypes.data % _ALIGNMENT == 0
    if device.backend == "cpu" and usable:
        return nexus.from_dlpack(data, device)
    return device.create_buffer(data)


def _bytes_of(buffer: Buffer) -> memoryview:
    if not buffer.nbytes:
        return memoryview(b"")
    try:
        return _core.buffer_bytes(buffer)
    except BufferError:  # memory of a GPU
        data = _core.part_of_memory(buffer, 0, buffer.nbytes, None, (buffer.nbytes,))
        return memoryview(data.numpy())


def _reduce(buffer: Buffer) -> tuple[Any, ...]:
    return deserialize, serialize(buffer)


def _size(buffer: Buffer) -> int:
    return buffer.nbytes


def _token(buffer: Buffer) -> tuple[Any, ...]:
    header, frames = serialize(buffer)
    content = normalize_token(np.frombuffer(frames[0], np.uint8))
    return "nexus.Buffer", normalize_token(header["dtype"]), header["shape"], content


def is_on_device(value: object) -> bool:
    """Returns whether Dask would send the value as buffers: a buffer, or a collection of them."""
    if type(value) in (list, tuple) and value:
        return is_on_device(next(iter(value)))  # type: ignore[call-overload]
    if type(value) is dict and value:
        return is_on_device(next(iter(value.values())))
    return isinstance(value, nexus.Buffer)
