# SPDX-License-Identifier: Apache-2.0
"""Each kernel of examples/kernels as a Work, with sizes that keep a GPU busy."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from rows import black_scholes, mandelbrot, matrix_multiply, nbody, prefix_sum, reduce, vector_add
from work import Array, Arrays, Launch, Work, ulp_error

_NO_OPENCL = ""


def works(*, smoke: bool) -> Iterator[Work]:
    """Yields all works."""
    if smoke:
        yield vector_add.work(16)
        yield matrix_multiply.work(50)
        yield _bitonic_sort(10)
        return
    yield vector_add.work(25)
    yield black_scholes.work(22)
    yield nbody.work(8192)
    yield mandelbrot.work(1024)
    yield matrix_multiply.work(1024)
    yield reduce.work("reduce", 26)
    yield prefix_sum.work(24)
    yield _fill(27)
    yield _saxpy(26)
    yield _histogram(24)
    yield _stencil(4096, 10)
    yield _transpose(8192)
    yield _softmax(8192, 4096)
    yield _bitonic_sort(20)


def _floats(*shape: int) -> Array:
    return np.random.default_rng(1).random(shape, dtype=np.float32)


def _work(
    name: str,
    file: str,
    arrays: dict[str, Array],
    outputs: tuple[str, ...],
    launches: list[Launch],
    error: Callable[[Arrays], float],
    allowed: float,
) -> Work:
    return Work(name, file, arrays, outputs, tuple(launches), _NO_OPENCL, error, allowed)


def _differing(expected: dict[str, Array]) -> Callable[[Arrays], float]:
    """Returns how many values differ from the expected ones."""
    return lambda results: float(
        sum(np.count_nonzero(results[name] != value) for name, value in expected.items())
    )


def _fill(exponent: int) -> Work:
    items = 1 << exponent
    launch = Launch("fill", ("x", np.float32(0.1), np.int32(items)), (items,))
    expected = {"x": np.full(items, 0.1, np.float32)}
    arrays = {"x": np.zeros(items, np.float32)}
    return _work(f"fill, 2^{exponent}", "fill.c", arrays, ("x",), [launch], _differing(expected), 0)


def _saxpy(exponent: int) -> Work:
    items = 1 << exponent
    x, y = _floats(2, items)
    launch = Launch("saxpy", ("x", "y", np.float32(2.5), np.int32(items)), (items,))
    expected = {"y": 2.5 * x.astype(np.float64) + y}
    return _work(
        f"saxpy, 2^{exponent}", "saxpy.c", {"x": x, "y": y}, ("y",), [launch],
        lambda results: ulp_error(results, expected), 1,
    )  # fmt: skip


def _histogram(exponent: int) -> Work:
    items = 1 << exponent
    x = np.random.default_rng(1).integers(0, 256, items, dtype=np.uint8)
    launch = Launch("histogram", ("x", "bins", np.int32(items)), (256 * 256,), (256,))
    expected = {"bins": np.bincount(x, minlength=256).astype(np.uint32)}
    return _work(
        f"histogram, 2^{exponent}", "histogram.c", {"x": x, "bins": np.zeros(256, np.uint32)},
        ("bins",), [launch], _differing(expected), 0,
    )  # fmt: skip


def _stencil(side: int, steps: int) -> Work:
    here, rate = _floats(side, side), np.float32(0.9)
    sizes = (np.int32(side), np.int32(side), rate)
    pairs = (("here", "there"), ("there", "here"))
    launches = [
        Launch("stencil", (*pairs[step % 2], *sizes), (side, side)) for step in range(steps)
    ]
    expected = here.astype(np.float64)
    for _ in range(steps):
        inner = expected[1:-1, 1:-1]
        around = expected[1:-1, :-2] + expected[1:-1, 2:] + expected[:-2, 1:-1] + expected[2:, 1:-1]
        after = expected.copy()
        after[1:-1, 1:-1] = inner + float(rate) * (0.25 * around - inner)
        expected = after
    result = pairs[(steps - 1) % 2][1]
    return _work(
        f"stencil, {side} x {side}, {steps} steps", "stencil.c",
        {"here": here, "there": np.zeros_like(here)}, (result,), launches,
        lambda results: float(np.abs(results[result] - expected).max()) * 1e6, 2,
    )  # fmt: skip


def _transpose(side: int) -> Work:
    matrix = _floats(side, side)
    launch = Launch(
        "transpose", ("in", "out", np.int32(side), np.int32(side)), (side, side // 4), (32, 8)
    )
    arrays = {"in": matrix, "out": np.zeros_like(matrix)}
    return _work(
        f"transpose, {side} x {side}", "transpose.c", arrays, ("out",), [launch],
        _differing({"out": matrix.T}), 0,
    )  # fmt: skip


def _softmax(rows: int, columns: int) -> Work:
    matrix = _floats(rows, columns)
    launch = Launch("softmax_rows", ("in", "out", np.int32(columns)), (rows * 256,), (256,))
    powers = np.exp(matrix.astype(np.float64) - matrix.max(axis=1, keepdims=True))
    expected = {"out": powers / powers.sum(axis=1, keepdims=True)}
    return _work(
        f"softmax, {rows} x {columns}", "softmax.c",
        {"in": matrix, "out": np.zeros_like(matrix)}, ("out",), [launch],
        lambda results: ulp_error(results, expected), 32,
    )  # fmt: skip


def _bitonic_sort(exponent: int) -> Work:
    items = 1 << exponent
    x = _floats(items)
    launches = []
    for run in (1 << i for i in range(1, exponent + 1)):
        distance = run // 2
        while distance > 0:
            arguments = ("x", np.int32(run), np.int32(distance), np.int32(items // 2))
            launches.append(Launch("bitonic_step", arguments, (items // 2,)))
            distance //= 2
    return _work(
        f"bitonic sort, 2^{exponent}", "bitonic_sort.c", {"x": x}, ("x",), launches,
        _differing({"x": np.sort(x)}), 0,
    )  # fmt: skip
