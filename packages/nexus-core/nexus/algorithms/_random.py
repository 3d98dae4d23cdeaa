# SPDX-License-Identifier: Apache-2.0
"""Random numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from nexus import _checks, _core
from nexus._arrays._create import lengths_of
from nexus.algorithms import _dtypes
from nexus.algorithms._dtypes import C_TYPES
from nexus.algorithms._recorder import Operand, Recorder, perform

if TYPE_CHECKING:
    from nexus import Buffer, Device, Schedule, Stream
    from nexus._types import DTypeLike

_GROUP = 128  # counters of a group, on a CPU
# For each dtype, the number of results from one counter, and the expression that makes a result
# from the bits x.
_MADE = {
    "float32": (8, "((float)((x) >> 8) * (1.0f / 16777216.0f))"),
    "float64": (4, "((double)((x) >> 11) * (1.0 / 9007199254740992.0))"),
    "uint32": (8, "(x)"),
    "int32": (8, "((nexus_int32)((x) ^ 0x80000000u))"),
    "uint64": (4, "(x)"),
    "int64": (4, "((nexus_int64)((x) ^ NXA_U64(0x80000000u, 0u)))"),
}


def random(
    device: Device,
    shape: int | tuple[int, ...],
    dtype: DTypeLike = "float32",
    *,
    seed: int | None = None,
    key: int | None = None,
    counter: int = 0,
    out: Buffer | None = None,
    schedule: Schedule | None = None,
    stream: Stream | None = None,
    blocking: bool = True,
) -> Buffer:
    """Generates random numbers with Philox4x64-10, the same on every device as in numpy.

    They match `numpy.random.Generator(numpy.random.Philox(seed))`, or
    `numpy.random.Philox(key=key, counter=counter)`: floats from 0 to below 1 match `random()`,
    integers match `integers()` over the whole range of the dtype, and uint64 matches
    `random_raw()`.

    Args:
        dtype: float32, float64, int32, uint32, int64 or uint64.
        seed: any int from 0 on. If it is None, give a key.
        key: a 128-bit int, instead of a seed.
        counter: a 256-bit int. It increases by one for every four 64-bit or eight 32-bit numbers:
            to continue, call again with counter + ceil(size / 4), or ceil(size / 8).
        out, schedule, stream, blocking: see `nexus.algorithms`. Each run of a schedule gives the
            same numbers.

    Example:
        >>> nexus.algorithms.random(nexus.get_device("cpu"), 2, "uint64", seed=1).numpy()
        array([1232279569898196538, 1457532264001425278], dtype=uint64)
    """
    if not isinstance(device, _core.Device):
        raise _checks.wrong_type("device", "a nexus.Device", device)
    lengths = lengths_of(shape)
    kind = _core.dtype_name(dtype, "dtype")
    if kind not in _MADE:
        raise TypeError(f"dtype is {kind}: random numbers support {', '.join(_MADE)}.")
    words = [*_key(seed, key), *_words("counter", counter, 4)]
    result = _dtypes.output("out", out, device, lengths, kind)
    size = _dtypes.buffer("the result", result).size
    count, make = _MADE[kind]

    # numpy increments the counter before it generates numbers.
    first = (sum(word << 64 * at for at, word in enumerate(words[2:])) + 1) % 2**256
    words[2:] = [first >> 64 * at & 2**64 - 1 for at in range(4)]

    def record(recorder: Recorder, *operands: Operand) -> None:
        defines: dict[str, str | int] = {
            "T": C_TYPES[kind],
            "COUNT": count,
            "MAKE(x)": make,
            "GROUP": _GROUP,
        }
        kernel = recorder.kernel("random.c", "philox", defines)
        if recorder.on_cpu:
            recorder.launch(kernel, (*operands, size), groups=-(-size // (count * _GROUP)))
        else:
            recorder.launch(kernel, (*operands, size), items=-(-size // count))

    operands = (*words, result)
    perform(device, ("random", kind, size), record, operands, schedule, stream, blocking)
    return result


def _key(seed: object, key: object) -> list[int]:
    if (seed is None) == (key is None):
        raise TypeError("Give either seed or key, not both or neither.")
    if seed is None:
        return _words("key", key, 2)
    if _checks.integer("seed", seed) < 0:
        raise _checks.wrong_value("seed", seed, "it has to be at least 0")
    state: Any = np.random.Philox(_checks.integer("seed", seed)).state
    return [int(each) for each in state["state"]["key"]]


def _words(parameter: str, value: object, count: int) -> list[int]:
    """Returns the 64-bit words of an int, the lowest first."""
    number = _checks.integer(parameter, value)
    if not 0 <= number < 2 ** (64 * count):
        raise _checks.wrong_value(parameter, value, f"it has to be an int of {64 * count} bits")
    return [number >> 64 * at & 2**64 - 1 for at in range(count)]
