# SPDX-License-Identifier: Apache-2.0
"""numpy arrays from buffers. This module imports numpy; only calls that make an array import it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from nexus import _core

if TYPE_CHECKING:
    from nexus import Buffer

# numpy's own types; others are ml_dtypes'.
_NUMPY_NAMES = frozenset({"bool", "float16", "float32", "float64"}) | {
    f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)
}
# Types of which numpy puts one in a byte, and a device two.
_PACKED_NAMES = frozenset({"int4", "uint4", "float4_e2m1fn", "bfloat4"})


def copy_to_numpy(buffer: Buffer) -> np.ndarray[Any, Any]:
    """Returns a new array with the buffer's contents."""
    array = np.empty(buffer.shape, _numpy_dtype(buffer))
    buffer.copy(array)
    return array


def to_array(buffer: Buffer, dtype: Any, copy: bool | None) -> np.ndarray[Any, Any]:
    """Implements numpy.asarray(buffer): shares the memory unless dtype or copy demand a copy."""
    own = _numpy_dtype(buffer)
    wanted = own if dtype is None else np.dtype(dtype)
    if copy:
        return copy_to_numpy(buffer).astype(wanted, copy=False)
    shared = _share(buffer, own)
    if wanted == own:
        return shared
    if copy is False:
        raise ValueError(f"An array of dtype {wanted} can't share a buffer of dtype {own}.")
    return shared.astype(wanted)


def _share(buffer: Buffer, dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
    return np.frombuffer(_core.buffer_bytes(buffer), dtype).reshape(buffer.shape)


def _numpy_dtype(buffer: Buffer) -> np.dtype[Any]:
    return named_dtype(buffer.dtype)


def named_dtype(name: str | None) -> np.dtype[Any]:
    """Returns numpy's dtype for a dtype's name in Nexus; plain bytes for None."""
    if name is None:
        return np.dtype(np.uint8)
    if name in _NUMPY_NAMES:
        return np.dtype(name)
    if name in _PACKED_NAMES:
        raise TypeError(
            f"numpy has no packed {name}: copy the bytes with "
            "buffer.copy(bytearray(buffer.nbytes)), two elements a byte."
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
