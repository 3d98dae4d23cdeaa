# SPDX-License-Identifier: Apache-2.0
"""Vectors of two and four, and atomics."""

from __future__ import annotations

import numpy as np
import pytest
from building_kernels import Launch


@pytest.mark.parametrize("n", [1, 7, 1000])
def test_vectors_of_four_floats(launch: Launch, n: int) -> None:
    rng = np.random.default_rng(1)
    a, b = (rng.integers(1, 9, (n, 4)).astype(np.float32) for _ in range(2))
    out, dots = np.zeros_like(a), np.zeros(n, np.float32)
    launch("float4s", [a, b, out, dots, n], n)
    expected = a * 2 + b / a - 1
    expected[:, 3] = a[:, 0] + b[:, 1] / 2 - a[:, 2]
    np.testing.assert_allclose(out, expected, rtol=1e-6)
    np.testing.assert_array_equal(dots, (a * b).sum(axis=1))


@pytest.mark.parametrize("n", [1, 7, 1000])
def test_vectors_of_two_floats(launch: Launch, n: int) -> None:
    a = np.random.default_rng(2).integers(-9, 9, (n, 2)).astype(np.float32)
    out, dots = np.zeros_like(a), np.zeros(n, np.float32)
    launch("float2s", [a, out, dots, n], n)
    turned = np.stack([-a[:, 1], a[:, 0]], axis=1)
    np.testing.assert_array_equal(out, 3 * turned * a)
    np.testing.assert_array_equal(dots, (a * (a + turned)).sum(axis=1))


@pytest.mark.parametrize("n", [1, 7, 1000])
def test_vectors_of_ints(launch: Launch, n: int) -> None:
    a = np.random.default_rng(3).integers(0, 1000, (n, 4)).astype(np.int32)
    b, c = np.zeros_like(a), np.zeros((n, 2), np.uint32)
    launch("ints", [a, b, c, n], n)
    half = a[:, [0, 3]] // 2
    np.testing.assert_array_equal(b, a * [1, 2, 3, 4] - half[:, 1:])
    np.testing.assert_array_equal(c, half[:, :1] * [4, 4])


def test_a_vector_may_begin_at_any_component(launch: Launch) -> None:
    a = np.arange(17, dtype=np.float32)[1:].reshape(4, 4)
    b, out, dots = a * 2, np.zeros_like(a), np.zeros(4, np.float32)
    launch("float4s", [a, b, out, dots, 4], 4)
    np.testing.assert_array_equal(dots, (a * b).sum(axis=1))


@pytest.mark.parametrize("n", [1, 1000, 300_001])
def test_a_histogram_loses_no_addition(launch: Launch, n: int) -> None:
    x = (np.random.default_rng(4).normal(40, 9, n)).astype(np.uint8)
    bins = [np.zeros(256, dtype) for dtype in (np.int32, np.uint32, np.float32)]
    launch("histogram", [x, *bins, n], n)
    counts = np.bincount(x, minlength=256)
    for times, found in zip((1, 2, 0.5), bins, strict=True):
        np.testing.assert_array_equal(found, counts * times)


@pytest.mark.parametrize("n", [1, 50_001])
def test_the_smallest_and_largest_of_all(launch: Launch, n: int) -> None:
    x = np.random.default_rng(5).integers(-(2**24), 2**24, n).astype(np.int32)
    ints = np.array([2**31 - 1, -(2**31)], np.int32)
    unsigneds = np.array([2**32 - 1, 0], np.uint32)
    floats = np.array([np.inf, -np.inf], np.float32)
    launch("extremes", [x, ints, unsigneds, floats, n], n)
    assert ints.tolist() == [np.min(x), np.max(x)]
    assert unsigneds.tolist() == [np.min(x.view(np.uint32)), np.max(x.view(np.uint32))]
    assert floats.tolist() == [np.min(x), np.max(x)]


def test_each_item_gets_the_value_before_its_own_change(launch: Launch) -> None:
    n = 100_000
    counters, added, compared = np.zeros(2, np.int32), np.zeros(n, np.int32), np.zeros(n, np.int32)
    launch("tickets", [counters, added, compared, n], n)
    assert counters.tolist() == [n, n]
    np.testing.assert_array_equal(np.sort(added), np.arange(n))
    np.testing.assert_array_equal(np.sort(compared), np.arange(n))


def test_an_exchange_gives_back_what_was_there(launch: Launch) -> None:
    ints = np.array([3, 0, 5, 0], np.int32)
    unsigneds = np.array([3, 0, 5, 0], np.uint32)
    floats = np.array([3, 0, 2.5, 0], np.float32)
    launch("exchanges", [ints, unsigneds, floats], 1)
    assert ints.tolist() == [-7, 3, 6, 5]
    assert unsigneds.tolist() == [4000000000, 3, 5, 5]  # 5 is not 8, so it stays
    assert floats.tolist() == [1.5, 3, 3.5, 2.5]


@pytest.mark.parametrize("n", [1, 128, 40_001])
def test_atomics_in_local_memory(launch: Launch, n: int) -> None:
    x = np.random.default_rng(6).normal(size=n).astype(np.float32)
    counts = np.full(-(-n // 128), -1, np.int32)
    launch("count_positive", [x, counts, n], n)
    np.testing.assert_array_equal(counts, np.pad(x > 0, (0, -n % 128)).reshape(-1, 128).sum(axis=1))
