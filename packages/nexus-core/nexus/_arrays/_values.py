# SPDX-License-Identifier: Apache-2.0
"""The values of buffers. This module imports numpy; only calls that need it import this."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from nexus import _checks, _core
from nexus._errors import NexusError

if TYPE_CHECKING:
    from nexus import Buffer

# numpy's own types; others are ml_dtypes'.
_NUMPY_NAMES = frozenset({"bool", "float16", "float32", "float64", "complex64", "complex128"}) | {
    f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)
}
# Types that numpy stores one to a byte, and devices two.
_PACKED_NAMES = frozenset({"int4", "uint4", "float4_e2m1fn", "bfloat4"})


def copy_to_numpy(buffer: Buffer) -> np.ndarray[Any, Any]:
    """Returns a new array with the buffer's contents."""
    array = np.empty(buffer.shape, _numpy_dtype(buffer))
    buffer.copy(array)
    return array


def to_array(buffer: Buffer, dtype: Any, copy: bool | None) -> np.ndarray[Any, Any]:
    """Implements numpy.asarray(buffer): shares the memory unless dtype or copy requires a copy."""
    own = _numpy_dtype(buffer)
    wanted = own if dtype is None else np.dtype(dtype)
    if copy:
        return copy_to_numpy(buffer).astype(wanted, copy=False)
    shared = _share(buffer, own)
    if wanted == own:
        return shared
    if copy is False:
        raise ValueError(
            f"dtype is {wanted}, and copy=False can only share the buffer's {own}: leave out dtype "
            "or copy."
        )
    return shared.astype(wanted)


def to_jax(buffer: Buffer) -> Any:
    """Implements jax.numpy.asarray(buffer), since jax does not accept the buffer's dtype, a str."""
    import jax

    return jax.dlpack.from_dlpack(buffer.ascontiguous())


def _share(buffer: Buffer, dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
    data = _core.buffer_bytes(buffer)
    if buffer.is_contiguous:
        return np.frombuffer(data, dtype).reshape(buffer.shape)
    first = _core.first_byte(buffer)
    shared: np.ndarray[Any, Any] = np.ndarray(buffer.shape, dtype, data, first, buffer.strides)
    return shared


def _numpy_dtype(buffer: Buffer) -> np.dtype[Any]:
    return named_dtype(buffer.dtype)


def assign(buffer: Buffer, key: Any, value: Any) -> None:
    """Implements buffer[key] = value."""
    part = buffer[key]
    if isinstance(value, _core.Buffer):
        same = (value.shape, value.dtype) == (part.shape, part.dtype)
        if same and not _share_memory(value, part):
            part.copy_from(value)
            return
        value = value.numpy()
    elif hasattr(value, "__cuda_array_interface__") and part.device is not None:
        assign(part, ..., part.device.create_buffer(value))
        return
    dtype = _numpy_dtype(part)
    if isinstance(value, np.ma.MaskedArray) or (
        isinstance(value, np.ndarray) and (value.shape, value.dtype) == (part.shape, dtype)
    ):
        part.copy_from(value)
        return
    one = np.ndim(value) == 0 and _can_fill(part, dtype)
    converted = np.empty(() if one else part.shape, dtype)
    converted[...] = value
    if one:
        part.fill(converted[()])
    else:
        part.copy_from(converted)


def _can_fill(part: Buffer, dtype: np.dtype[Any]) -> bool:
    """Returns whether fill() accepts the elements: not structures or misaligned fields."""
    places = (part.get_property_int("Offset"), *part.strides)
    return dtype.fields is None and not any(place % dtype.itemsize for place in places)


def _share_memory(one: Buffer, other: Buffer) -> bool:
    return one.device == other.device and one.get_property_int("ID") == other.get_property_int("ID")


def iterate(buffer: Buffer) -> Iterator[Buffer]:
    """Implements iter(buffer)."""
    return map(buffer.__getitem__, range(len(buffer)))


def item(buffer: Buffer) -> Any:
    """Implements buffer.item()."""
    if buffer.size != 1:
        raise ValueError(
            f"The buffer has {buffer.size} elements, and only a buffer with one converts to a "
            "number: take one with buffer[i], or all with buffer.numpy()."
        )
    return copy_to_numpy(buffer).item()


def truth(buffer: Buffer) -> bool:
    """Implements bool(buffer)."""
    return bool(item(buffer))


def number(buffer: Buffer, kind: str) -> Any:
    """Implements int(buffer) and float(buffer)."""
    value = item(buffer)
    return int(value) if kind == "int" else float(value)


def text(buffer: Buffer) -> str:
    """Implements str(buffer)."""
    try:
        named_dtype(buffer.dtype)
    except (TypeError, NexusError):  # a 4-bit type, or a closed buffer
        return repr(buffer)
    options = np.get_printoptions()
    if buffer.size <= options["threshold"]:
        return str(copy_to_numpy(buffer))
    return np.array2string(_edges(buffer, options["edgeitems"]), threshold=0)


def _edges(buffer: Buffer, count: int) -> np.ndarray[Any, Any]:
    """Returns count elements from both ends of each dimension, and one in between to leave out."""
    most = 2 * count + 1
    edges = np.zeros([min(length, most) for length in buffer.shape], _numpy_dtype(buffer))
    whole = slice(None)
    pairs = [
        [(whole, whole)]
        if length <= most
        else [(slice(count), slice(count)), (slice(length - count, None), slice(count + 1, None))]
        for length in buffer.shape
    ]
    for corner in itertools.product(*pairs):
        edges[tuple(to for _, to in corner)] = copy_to_numpy(buffer[tuple(of for of, _ in corner)])
    return edges


def reshape(buffer: Buffer, shape: tuple[Any, ...]) -> Buffer:
    """Implements buffer.reshape(*shape)."""
    if len(shape) == 1 and isinstance(shape[0], (tuple, list)):
        shape = tuple(shape[0])
    lengths = [_checks.integer("shape", each) for each in shape]
    unknown = [at for at, length in enumerate(lengths) if length < 0]
    if len(unknown) == 1 and lengths[unknown[0]] == -1:
        rest = math.prod(length for length in lengths if length != -1)
        lengths[unknown[0]] = buffer.size // rest if rest else 0
    elif unknown:
        raise _checks.wrong_value("shape", shape, "its lengths are at least 0, and one may be -1")
    if math.prod(lengths) != buffer.size:
        raise _checks.wrong_value("shape", shape, f"the buffer has {buffer.size} elements")
    if not buffer.is_contiguous:
        raise ValueError(
            "The buffer is not contiguous, so it can't be reshaped in place: use "
            "buffer.ascontiguous().reshape(...)."
        )
    return _core.part_of_memory(buffer, 0, buffer.nbytes, buffer.dtype, tuple(lengths))


def ascontiguous(buffer: Buffer) -> Buffer:
    """Implements buffer.ascontiguous()."""
    return buffer if buffer.is_contiguous else copied(buffer)


def copied(buffer: Buffer) -> Buffer:
    """Implements buffer.copy()."""
    if buffer.device is not None:
        return buffer.device.copy_buffer(buffer)
    dtype = "uint8" if buffer.dtype is None else buffer.dtype
    made = _core.create_system_buffer(buffer.shape, dtype)
    made.copy_from(buffer)
    return made


def named_dtype(name: str | np.dtype[Any] | None) -> np.dtype[Any]:
    """Returns numpy's dtype for a buffer's; plain bytes for None."""
    if name is None:
        return np.dtype(np.uint8)
    if isinstance(name, np.dtype):
        return name
    if name in _NUMPY_NAMES:
        return np.dtype(name)
    if name in _PACKED_NAMES:
        raise TypeError(
            f"numpy has no packed {name}: copy the bytes with "
            "buffer.copy(bytearray(buffer.nbytes)), two elements per byte."
        )
    return _ml_dtype(name)


def _ml_dtype(name: str) -> np.dtype[Any]:
    try:
        import ml_dtypes
    except ImportError:
        raise TypeError(
            f"numpy has no dtype {name}: pip install ml_dtypes, which adds it, or copy the bytes "
            "with buffer.copy(bytearray(buffer.nbytes))."
        ) from None
    dtype: np.dtype[Any] = np.dtype(getattr(ml_dtypes, name))
    return dtype
