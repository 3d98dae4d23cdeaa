# SPDX-License-Identifier: Apache-2.0
"""nexus.zeros and similar functions, which create buffers from a shape and contents."""

from __future__ import annotations

import math
import operator
from typing import TYPE_CHECKING, Any, SupportsIndex

from nexus import _checks, _core

if TYPE_CHECKING:
    from nexus import Buffer, Device
    from nexus._types import DTypeLike, Number

    Shape = SupportsIndex | tuple[SupportsIndex, ...] | list[SupportsIndex]
    On = Device | str | None

_MOST = 1 << 62  # more elements than any memory has


def empty(shape: Shape, dtype: DTypeLike = "float32", *, device: On = None) -> Buffer:
    """Returns a new buffer whose contents are not set.

    Args:
        shape: an int or a tuple of them.
        dtype: the type of the elements.
        device: a device, its selector, or None for `get_device()`.

    Example:
        >>> nexus.empty((2, 3), "int32", device="cpu").shape
        (2, 3)
    """
    lengths = lengths_of(shape)
    name = _core.dtype_name(dtype, "dtype")
    return _device(device).create_buffer(lengths, name)


def zeros(shape: Shape, dtype: DTypeLike = "float32", *, device: On = None) -> Buffer:
    """Returns a new buffer of zeros. Takes the arguments of `nexus.empty`.

    Example:
        >>> print(nexus.zeros(3, device="cpu"))
        [0. 0. 0.]
    """
    return _filled(empty(shape, dtype, device=device), 0)


def ones(shape: Shape, dtype: DTypeLike = "float32", *, device: On = None) -> Buffer:
    """Returns a new buffer of ones. Takes the arguments of `nexus.empty`.

    Example:
        >>> print(nexus.ones(3, "int32", device="cpu"))
        [1 1 1]
    """
    return _filled(empty(shape, dtype, device=device), 1)


def full(
    shape: Shape, value: Number, dtype: DTypeLike | None = None, *, device: On = None
) -> Buffer:
    """Returns a new buffer of one value.

    Args:
        shape: an int or a tuple of them.
        value: the value of all elements.
        dtype: the type of the elements. None takes the dtype of a numpy value, and bool, int64 or
            float32 for a Python number.
        device: a device, its selector, or None for `get_device()`.

    Raises:
        ValueError: value does not fit dtype.

    Example:
        >>> print(nexus.full((2, 2), 7, device="cpu"))
        [[7 7]
         [7 7]]
    """
    return _filled(empty(shape, _dtype_of(value, dtype), device=device), value)


def arange(
    start: Number,
    stop: Number | None = None,
    step: Number = 1,
    dtype: DTypeLike | None = None,
    *,
    device: On = None,
) -> Buffer:
    """Returns a new buffer of evenly spaced numbers, as numpy.arange does.

    Args:
        start: the first number. Without stop, this is the end, and the first number is 0.
        stop: the end, which is not included.
        step: the distance between neighbouring numbers.
        dtype: the type of the elements. None takes int64 for ints and float32 for floats.
        device: a device, its selector, or None for `get_device()`.

    Example:
        >>> print(nexus.arange(2, 8, 2, device="cpu"))
        [2 4 6]
    """
    import numpy as np

    from nexus._arrays._values import named_dtype

    for name, number in (("start", start), ("stop", stop), ("step", step)):
        if number is not None or name != "stop":
            _check_number(name, number)
    if step == 0:
        raise _checks.wrong_value("step", step, "it has to differ from 0")
    bounds = (0, start, step) if stop is None else (start, stop, step)
    count = math.ceil((bounds[1] - bounds[0]) / step)
    if count > _MOST:
        raise _checks.wrong_value(
            "start" if stop is None else "stop",
            bounds[1],
            "the array has more elements than any memory holds",
        )
    if dtype is None:
        dtype = "float32" if any(_dtype_of(each, None) == "float32" for each in bounds) else "int64"
    wanted = named_dtype(_core.dtype_name(dtype, "dtype"))
    return _device(device).create_buffer(np.arange(*bounds).astype(wanted))


def empty_like(x: Any, dtype: DTypeLike | None = None, *, device: On = None) -> Buffer:
    """Returns a new buffer with the shape of a buffer or array x, whose contents are not set.

    Args:
        x: a buffer, or an array with shape and dtype.
        dtype: the type of the elements; None takes the dtype of x.
        device: a device or its selector; None takes the device of a buffer, else `get_device()`.

    Example:
        >>> x = nexus.zeros((2, 3), "int32", device="cpu")
        >>> nexus.empty_like(x).shape
        (2, 3)
    """
    shape, own = getattr(x, "shape", None), getattr(x, "dtype", None)
    if not isinstance(shape, tuple):
        raise _checks.wrong_type("x", "a nexus.Buffer or an array", x)
    wanted = own if dtype is None else dtype
    name = _core.dtype_name("uint8" if wanted is None else wanted, "dtype")
    if device is None and isinstance(x, _core.Buffer):
        if x.device is None:
            return _core.create_system_buffer(shape, name)
        device = x.device
    return _device(device).create_buffer(shape, name)


def zeros_like(x: Any, dtype: DTypeLike | None = None, *, device: On = None) -> Buffer:
    """Returns a buffer of zeros with the shape of x. Takes the arguments of `nexus.empty_like`.

    Example:
        >>> x = nexus.ones(3, device="cpu")
        >>> print(nexus.zeros_like(x))
        [0. 0. 0.]
    """
    return _filled(empty_like(x, dtype, device=device), 0)


def ones_like(x: Any, dtype: DTypeLike | None = None, *, device: On = None) -> Buffer:
    """Returns a buffer of ones with the shape of x. Takes the arguments of `nexus.empty_like`.

    Example:
        >>> x = nexus.zeros(3, device="cpu")
        >>> print(nexus.ones_like(x, "int32"))
        [1 1 1]
    """
    return _filled(empty_like(x, dtype, device=device), 1)


def full_like(
    x: Any, value: Number, dtype: DTypeLike | None = None, *, device: On = None
) -> Buffer:
    """Returns a buffer of one value with the shape of x. The arguments are as in `empty_like`.

    Example:
        >>> x = nexus.zeros(3, device="cpu")
        >>> print(nexus.full_like(x, 2.5))
        [2.5 2.5 2.5]
    """
    return _filled(empty_like(x, dtype, device=device), value)


def _filled(buffer: Buffer, value: Number) -> Buffer:
    if hasattr(buffer.dtype, "fields"):
        buffer[...] = value
    else:
        buffer.fill(bool(value) if buffer.dtype == "bool" else value)
    return buffer


def _check_number(name: str, number: object) -> None:
    is_scalar = hasattr(number, "dtype") and getattr(number, "shape", None) == ()
    if not isinstance(number, (int, float)) and not is_scalar:
        raise _checks.wrong_type(name, "a number", number)
    if not -_MOST <= number <= _MOST:  # type: ignore[operator]
        raise _checks.wrong_value(name, number, "it has to be finite and below 2**62")


def _device(device: object) -> Device:
    if isinstance(device, _core.Device):
        return device
    from nexus import get_device

    if device is not None and not isinstance(device, str):
        raise _checks.wrong_type("device", "a nexus.Device, a selector or None", device)
    return get_device(device)


def lengths_of(shape: object) -> tuple[int, ...]:
    """Returns the lengths of a shape: an int, or a tuple or list of ints."""
    lengths = shape if isinstance(shape, (tuple, list)) else (shape,)
    checked = tuple(_checks.integer("shape", each) for each in lengths)
    if any(not 0 <= each <= _MOST for each in checked):
        raise _checks.wrong_value("shape", shape, "its lengths have to be from 0 to 2**62")
    return checked


def _dtype_of(value: object, dtype: DTypeLike | None) -> DTypeLike:
    """Returns the dtype for a value; dtype itself if given."""
    if dtype is not None:
        return dtype
    own = getattr(value, "dtype", None)
    if own is not None and isinstance(getattr(value, "shape", None), tuple):
        return _core.dtype_name(own, "value")
    if isinstance(value, bool):
        return "bool"
    try:
        operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        return "float32"
    return "int64"
