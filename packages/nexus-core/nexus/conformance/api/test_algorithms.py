# SPDX-License-Identifier: Apache-2.0
"""nexus.algorithms compared with numpy, if the backend compiles the portable language."""

from __future__ import annotations

import functools
import operator
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import nexus
from nexus import algorithms
from nexus.conformance._applies import not_applicable
from nexus.conformance.api.workbench import LONG, Obstacle, Workbench

pytestmark = [pytest.mark.needs("Compile"), pytest.mark.promise("algorithm-results")]

# Around the sizes of groups, tiles and chunks.
SIZES = [0, 1, 2, 63, 65, 255, 256, 257, 1024, 1025, 4095, 4097, 30_000]

Array = Any  # a numpy array: what the stubs of its methods take differs between its versions
Upload = Callable[[Any], nexus.Buffer]


@pytest.fixture
def upload(device: nexus.Device) -> Upload:
    """Returns a function that uploads an array. Ends the test without the portable language."""
    if "nexus" not in device.get_property_str_vec("Languages"):
        not_applicable("the backend compiles, but not the portable language ('nexus')")
    return device.create_buffer


def need_dtype(device: nexus.Device, dtype: str) -> None:
    """Ends the test if the device reports that it does not support the dtype."""
    told = "DataTypes" in device.get_property_keys()
    if dtype == "float64" and told and dtype not in device.get_property_str_vec("DataTypes"):
        not_applicable("the device does not compute with float64")


def numbers(size: int, dtype: str, seed: int = 1) -> Array:
    """Returns small numbers, whose sums are exact."""
    least = 0 if dtype[0] in "ub" else -50
    return np.random.default_rng(seed).integers(least, 50, size).astype(dtype)


def assert_same(result: nexus.Buffer, expected: Any) -> None:
    """Checks that the buffer has the dtype, the shape and the values."""
    wanted = np.asarray(expected)
    found = result.numpy()
    assert found.dtype == wanted.dtype
    assert found.shape == wanted.shape
    np.testing.assert_array_equal(found, wanted)


# ---- Elementwise ----

EXPRESSIONS: list[tuple[str, Callable[[Array, Array], Array]]] = [
    ("x + y", lambda x, y: x + y),
    ("x - 2 * y", lambda x, y: x - 2 * y),
    ("x // y + x % y", lambda x, y: x // y + x % y),
    ("min(x, y) if x > 3 else max(x, y)",
     lambda x, y: np.where(x > 3, np.minimum(x, y), np.maximum(x, y))),
    ("x < y and not y == 4", lambda x, y: np.logical_and(x < y, np.logical_not(y == 4))),
    ("(x + 1) ** 3", lambda x, y: (x + 1) ** 3),
]  # fmt: skip


@pytest.mark.parametrize(
    ("first", "second"),
    [("float32", "float32"), ("int32", "int32"), ("uint8", "int8"), ("int64", "uint32")],
)
def test_elementwise_has_the_values_and_dtypes_of_numpy(
    upload: Upload, first: str, second: str
) -> None:
    x, y = numbers(1000, first), numbers(1000, second, 2)
    x[x == 0], y[y == 0] = 1, 1
    text = "; ".join(f"r{at} = {each}" for at, (each, _) in enumerate(EXPRESSIONS))
    results = algorithms.elementwise(text)(x=upload(x), y=upload(y))
    with np.errstate(all="ignore"):
        for result, (_, expected) in zip(results, EXPRESSIONS, strict=True):
            assert_same(result, expected(x, y))


@pytest.mark.parametrize("size", SIZES)
def test_elementwise_of_any_size_and_in_place(upload: Upload, size: int) -> None:
    x, y = numbers(size, "float32"), numbers(size, "float32", 2)
    into = upload(y)
    saxpy = algorithms.elementwise("y = a * x + y")
    assert saxpy.inputs == ("a", "x", "y")
    assert saxpy(2.0, upload(x), into, out=into) is into
    assert_same(into, 2 * x + y)


def test_elementwise_functions(upload: Upload) -> None:
    x = np.linspace(0.1, 3, 500, dtype=np.float32)
    made = algorithms.elementwise("z = exp(sin(x)) + sqrt(x) * log(x)")(upload(x)).numpy()
    np.testing.assert_allclose(made, np.exp(np.sin(x)) + np.sqrt(x) * np.log(x), rtol=1e-5)


# ---- Reductions ----


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "uint8", "bool"])
def test_sums_and_extremes(upload: Upload, device: nexus.Device, dtype: str) -> None:
    need_dtype(device, dtype)
    for size in SIZES[1:]:
        x = numbers(size, dtype) if dtype != "bool" else numbers(size, "int32") > 20
        buffer = upload(x)
        assert_same(algorithms.sum(buffer), x.sum())
        assert_same(algorithms.min(buffer), x.min())
        assert_same(algorithms.max(buffer), x.max())
        assert_same(algorithms.argmin(buffer), x.argmin())
        assert_same(algorithms.argmax(buffer), x.argmax())


def test_a_nan_wins(upload: Upload) -> None:
    x = numbers(10_000, "float32")
    x[[700, 5000]] = np.nan
    buffer = upload(x)
    assert np.isnan(algorithms.min(buffer).numpy())
    assert np.isnan(algorithms.max(buffer).numpy())
    assert algorithms.argmin(buffer).numpy() == algorithms.argmax(buffer).numpy() == 700


def test_reductions_of_expressions(upload: Upload) -> None:
    x, y = numbers(5000, "int32"), numbers(5000, "int32", 2)
    dot = algorithms.reduce("a + b", map="x * y", x=upload(x), y=upload(y))
    assert_same(dot, (x * y).sum(dtype=np.int32))
    odd = algorithms.reduce("a ^ b", upload(x), initial=5)
    assert_same(odd, np.int32(functools.reduce(operator.xor, x.tolist(), 5)))
    none = upload(np.empty(0, np.float32))
    assert_same(algorithms.reduce("max(a, b)", none, initial=2.5), np.float32(2.5))
    assert_same(algorithms.sum(none), np.float32(0))


# ---- Scans ----


def segmented(x: Array, starts: Array, exclusive: bool) -> Array:
    """Returns the running sums of segments."""
    sums, total = np.zeros(x.size, np.int64), 0
    for at in range(x.size):
        total = 0 if starts[at] else total
        sums[at] = total if exclusive else total + x[at]
        total += x[at]
    return sums


@pytest.mark.parametrize("size", SIZES)
def test_scans(upload: Upload, size: int) -> None:
    x = numbers(size, "int32")
    buffer = upload(x)
    sums = x.cumsum()
    assert_same(algorithms.scan(buffer), sums)
    assert_same(algorithms.scan(buffer, exclusive=True), sums - x)
    assert_same(algorithms.scan(buffer, "max(a, b)"), np.maximum.accumulate(x))
    starts = np.random.default_rng(3).random(size) < 0.003
    for exclusive in (False, True):
        made = algorithms.scan(buffer, starts=upload(starts), exclusive=exclusive)
        assert_same(made, segmented(x, starts, exclusive))
    assert algorithms.scan(buffer, dtype="int32", out=buffer) is buffer
    assert_same(buffer, sums.astype(np.int32))


# ---- Random numbers ----

DRAWN: dict[str, Callable[[np.random.Generator, int], Array]] = {
    "uint64": lambda made, size: made.bit_generator.random_raw(size),
    "uint32": lambda made, size: made.integers(0, 2**32, size, dtype=np.uint32),
    "int32": lambda made, size: made.integers(-(2**31), 2**31, size, dtype=np.int32),
    "float32": lambda made, size: made.random(size, dtype=np.float32),
    "float64": lambda made, size: made.random(size),
}
STREAMS: list[dict[str, Any]] = [
    {"seed": 7},
    {"key": 2**127 + 5, "counter": 2**64 - 3},
    {"key": 1, "counter": 2**256 - 2},
]


@pytest.mark.parametrize("dtype", DRAWN)
def test_random_numbers_are_those_of_numpys_philox(
    upload: Upload, device: nexus.Device, dtype: str
) -> None:
    for given in STREAMS:
        for size in (1, 3, 8, 9, 1000):
            expected = DRAWN[dtype](np.random.Generator(np.random.Philox(**given)), size)
            assert_same(algorithms.random(device, size, dtype, **given), expected)


# ---- Sorting ----


@pytest.mark.parametrize("dtype", ["uint32", "int32", "float32", "uint64", "int64", "float64"])
def test_sorting(upload: Upload, dtype: str) -> None:
    draw = np.random.default_rng(4)
    for size in (0, 1, 2, 63, 1024, 1025, 70_000):
        x = draw.integers(0, 2**64, size, dtype=np.uint64)
        x = x.astype(dtype) if dtype[0] == "u" else x.astype(np.int64).astype(dtype)
        if dtype[0] == "f" and size > 8:
            x[:8] = [np.nan, 0.0, -0.0, np.inf, -np.inf, -np.nan, 1.5, -1.5]
        assert_same(algorithms.sort(upload(x)), np.sort(x))
        keys = upload((x % 50).astype(dtype) if dtype[0] != "f" else np.round(x / 1e18))
        order = np.argsort(keys.numpy(), kind="stable")
        sorted_keys, values = algorithms.sort_by_key(keys, upload(np.arange(size)))
        assert_same(values, order)
        assert_same(sorted_keys, keys.numpy()[order])


# ---- Histograms, chosen elements, matrices ----


@pytest.mark.parametrize("dtype", ["float32", "int32", "uint8"])
def test_histograms(upload: Upload, dtype: str) -> None:
    for size in (0, 1, 1000, 100_000):
        x = numbers(size, dtype) * (1 if dtype != "float32" else np.float32(0.1))
        for bins, edges in ((7, (-4.0, 3.0)), (256, (0, 256)), (5000, (-3.5, 20.25))):
            made = algorithms.histogram(upload(x), bins, edges)
            assert_same(made, np.histogram(x, bins, edges)[0].astype(np.int64))


@pytest.mark.parametrize("size", SIZES)
def test_chosen_elements(upload: Upload, size: int) -> None:
    x, mask = numbers(size, "int32"), numbers(size, "int32", 2) > 10
    values, count = algorithms.compact(upload(x), upload(mask))
    assert_same(count, np.int64(mask.sum()))
    assert_same(values[: int(count.numpy())], x[mask])


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32"])
@pytest.mark.parametrize("lengths", [(1, 1, 1), (3, 70, 5), (64, 64, 64), (65, 17, 130), (2, 0, 3)])
def test_matrices(
    upload: Upload, device: nexus.Device, dtype: str, lengths: tuple[int, int, int]
) -> None:
    need_dtype(device, dtype)
    m, k, n = lengths
    a, b = numbers(m * k, dtype).reshape(m, k), numbers(k * n, dtype, 2).reshape(k, n)
    for blas in (None, False):  # with cuBLAS where it is installed, and without
        assert_same(algorithms.matmul(upload(a), upload(b), blas=blas), a @ b)
    assert_same(algorithms.transpose(upload(a)), a.T)


# ---- Schedules, streams and threads ----


def test_algorithms_in_one_schedule(upload: Upload, device: nexus.Device) -> None:
    x = upload(numbers(5000, "int32"))
    schedule = device.create_schedule()
    squares = algorithms.elementwise("y = x * x")(x, schedule=schedule)
    total = algorithms.sum(squares, schedule=schedule)
    running = algorithms.scan(squares, schedule=schedule)
    ordered = algorithms.sort(x, schedule=schedule)
    for seed in range(3):
        given = numbers(5000, "int32", seed)
        x.copy_from(given)
        schedule.run(timeout=LONG)
        assert_same(total, (given * given).sum())
        assert_same(running, (given * given).cumsum())
        assert_same(ordered, np.sort(given))


def test_calls_are_in_the_order_of_their_stream(
    upload: Upload, work: Workbench, obstacle: Obstacle
) -> None:
    x, into = work.ints(count=5000), work.device.create_buffer((), "int64")
    stream = work.device.create_stream()
    algorithms.sum(x, out=into)
    with obstacle.before(stream):
        work.filling(x, 3).run(stream, blocking=False)
        assert algorithms.sum(x, out=into, stream=stream, blocking=False) is into
    stream.synchronize(LONG)
    assert_same(into, np.int64(15_000))


def test_threads_call_the_same(upload: Upload) -> None:
    found: dict[int, int] = {}

    def call(number: int) -> None:
        buffer = upload(np.full(5000, number, np.int32))
        for _ in range(10):
            found[number] = int(algorithms.sum(buffer).numpy())
            if found[number] != 5000 * number:
                return

    threads = [threading.Thread(target=call, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {number: 5000 * number for number in range(4)}


def test_a_call_keeps_no_buffer(upload: Upload, work: Workbench) -> None:
    x = upload(numbers(3000, "float32"))
    algorithms.sum(x)
    before = work.live("buffers")
    for _ in range(3):
        algorithms.sum(upload(numbers(3000, "float32")))
    assert work.live("buffers") == before
