# SPDX-License-Identifier: Apache-2.0
"""Sorting."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from nexus.algorithms import _dtypes
from nexus.algorithms._dtypes import C_TYPES, unsigned_code
from nexus.algorithms._recorder import Operand, Recorder, chunks_of, perform
from nexus.algorithms._scan import record_scan

if TYPE_CHECKING:
    from nexus import Buffer, Schedule, Stream

# On a GPU.
_GROUP = 256
_ITEMS = {4: 23, 8: 13}  # keys per work item, by the bytes of the larger of key and value

_KEYS = ("uint32", "int32", "float32", "uint64", "int64", "float64")


def sort(
    x: Buffer,
    *,
    out: Buffer | None = None,
    schedule: Schedule | None = None,
    stream: Stream | None = None,
    blocking: bool = True,
) -> Buffer:
    """Returns the sorted elements of a buffer of one dimension.

    NaNs are last, as in numpy.sort(). For the parameters see `nexus.algorithms`; out may be x.

    Args:
        x: a buffer of uint32, int32, float32, uint64, int64 or float64.

    Example:
        >>> import numpy
        >>> x = nexus.get_device("cpu").create_buffer(numpy.array([3, 1, 2]))
        >>> nexus.algorithms.sort(x).numpy()
        array([1, 2, 3])
    """
    keys, kind = _keys("x", x)
    device = _dtypes.device_of(x=keys)
    result = _dtypes.output("out", out, device, keys.shape, kind)
    size = keys.size
    bits = _bits(kind)

    def record(recorder: Recorder, source: Operand, target: Operand) -> None:
        _record(recorder, kind, None, size, source, target, source, target)

    operands = (keys.view(bits), result.view(bits))
    perform(device, ("sort", kind, size), record, operands, schedule, stream, blocking)
    return result


def sort_by_key(
    keys: Buffer,
    values: Buffer,
    *,
    out: tuple[Buffer, Buffer] | None = None,
    schedule: Schedule | None = None,
    stream: Stream | None = None,
    blocking: bool = True,
) -> tuple[Buffer, Buffer]:
    """Returns the sorted keys, and the values in the order of their keys.

    The sort is stable: values of equal keys keep their order. NaNs are last. For the parameters see
    `nexus.algorithms`; out is a tuple, which may be (keys, values).

    Args:
        keys: a buffer of one dimension, with a dtype that `sort()` accepts.
        values: a buffer with the shape of keys, of any dtype.

    Example:
        >>> import numpy
        >>> device = nexus.get_device("cpu")
        >>> keys = device.create_buffer(numpy.array([3, 1, 2]))
        >>> values = device.create_buffer(numpy.array([0, 1, 2]))
        >>> nexus.algorithms.sort_by_key(keys, values)[1].numpy()
        array([1, 2, 0])
    """
    keys, kind = _keys("keys", keys)
    values = _dtypes.buffer("values", values)
    if values.shape != keys.shape:
        raise ValueError(
            f"values has the shape {values.shape}, and keys {keys.shape}: give equal ones."
        )
    device = _dtypes.device_of(keys=keys, values=values)
    given: Any = (None, None) if out is None else out
    if not isinstance(given, tuple) or len(given) != 2:
        raise TypeError("out has to be a tuple of two buffers: for the keys and the values.")
    made = _dtypes.output("out[0]", given[0], device, keys.shape, kind)
    carried = _dtypes.name_of("values", values)
    moved = _dtypes.output("out[1]", given[1], device, keys.shape, carried)
    size = keys.size
    bits, value_bits = _bits(kind), _bits(carried)

    def record(recorder: Recorder, *operands: Operand) -> None:
        _record(recorder, kind, value_bits, size, *operands)

    operands = (keys.view(bits), made.view(bits), values.view(value_bits), moved.view(value_bits))
    key = ("sort_by_key", kind, value_bits, size)
    perform(device, key, record, operands, schedule, stream, blocking)
    return made, moved


def _keys(parameter: str, value: Buffer) -> tuple[Buffer, str]:
    value = _dtypes.buffer(parameter, value)
    if value.dtype not in _KEYS:
        raise TypeError(
            f"{parameter} has the dtype {value.dtype}; it has to be one of {', '.join(_KEYS)}."
        )
    if len(value.shape) != 1:
        raise ValueError(f"{parameter} has the shape {value.shape}: give one dimension.")
    return value, value.dtype


def _bits(dtype: str) -> str:
    """Returns the unsigned type of the same size."""
    return f"uint{8 * np.dtype(dtype).itemsize}"


def _record(
    recorder: Recorder,
    kind: str,
    value_bits: str | None,
    size: int,
    source: Any,
    target: Any,
    values: Any,
    moved: Any,
) -> None:
    if size == 0:
        return
    bits, width = _bits(kind), 8 * np.dtype(kind).itemsize
    infinity = int(np.array(np.inf, f"float{width}").view(bits))
    wide = max(bits, value_bits or bits, key=lambda each: np.dtype(each).itemsize)
    items = _ITEMS[np.dtype(wide).itemsize]
    defines: dict[str, str | int] = {
        "K": C_TYPES[bits],
        "SIGN": unsigned_code(1 << width - 1),
        "KIND": f"'{np.dtype(kind).kind}'",
        "INFINITY": unsigned_code(infinity),
        "V": C_TYPES[value_bits or bits],
        "VALUES": int(value_bits is not None),
        "W": C_TYPES[wide],
        "PASSES": width // 8,
        "GROUP": _GROUP,
        "ITEMS": items,
    }
    count = recorder.kernel("sort.c", "sort_count", defines)
    move = recorder.kernel("sort.c", "sort_move", defines)
    groups, chunk = chunks_of(size, least=1 << 18 if recorder.on_cpu else 1 << 13)
    tiles = -(-size // (_GROUP * items))
    spare = recorder.scratch(size, bits)
    spare_values = spare if value_bits is None else recorder.scratch(size, value_bits)
    if recorder.on_cpu:
        counts, places = (recorder.scratch(groups << 8, "uint32") for _ in range(2))
    else:
        shared = recorder.scratch((width // 8 + 1 + 2 * tiles) << 8, "uint32")
        recorder.fill(shared, 0)
        recorder.launch(count, (source, shared, size, chunk), groups=groups)
    # The number of passes is even, so the last one writes the target.
    here, there = (source, values), (spare, spare_values)
    for number in range(width // 8):
        arguments = (here[0], there[0], here[1], there[1])
        if recorder.on_cpu:
            shift = 8 * number
            recorder.launch(count, (here[0], counts, size, chunk, shift), groups=groups)
            zero = np.uint32(0)
            record_scan(recorder, counts, counts, places, zero, groups << 8, types=("uint32",),
                        kind="uint32")  # fmt: skip
            recorder.launch(move, (*arguments, places, size, chunk, shift), groups=groups)
        else:
            recorder.launch(move, (*arguments, shared, size, number), groups=tiles)
        here, there = there, ((target, moved) if number == 0 else here)
