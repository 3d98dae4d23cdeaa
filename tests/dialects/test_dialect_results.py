# SPDX-License-Identifier: Apache-2.0
"""The corpus run on every device that is here, and compared with numpy.

Proves what the dialects of those devices compute, and that it is the same: the CPU's, OpenCL C on
PoCL's CPU device, CUDA C++ where there is an NVIDIA GPU, and Metal as the double of tests/drivers
compiles it for the CPU. Nothing runs on AMD's or Apple's GPUs.
"""

from __future__ import annotations

import cuda_driver
import numpy as np
import pytest
from description import SCALAR, Argument, read_description
from launchers import Launcher, Local

I32, U32, F32 = np.int32, np.uint32, np.float32


def test_ids_and_sizes_in_three_dimensions(device: Launcher) -> None:
    grid, group, count = (5, 3, 2), (4, 2, 1), (2, 2, 2)
    launch = (8, 4, 2)
    seen = np.full((2, 4, 8, 7, 3), -1, I32)
    device.run("all_ids", [seen], grid, group)
    for z, y, x in np.ndindex(2, 4, 8):
        at = (x, y, z)
        groups = tuple(i // size for i, size in zip(at, group, strict=True))
        locals_ = tuple(i % size for i, size in zip(at, group, strict=True))
        expected = [at, groups, locals_, group, count, grid, launch]
        assert np.array_equal(seen[z, y, x], expected)


@pytest.mark.parametrize("n", [1, 63, 64, 1000])
def test_a_bound_ends_the_work(device: Launcher, n: int) -> None:
    x, y = np.arange(1024, dtype=F32), np.ones(1024, F32)
    device.run("saxpy", [x, y, F32(2), I32(n)], (n,), (64,))
    assert np.array_equal(y[:n], 2 * x[:n] + 1)
    assert np.all(y[n:] == 1)


def test_bounds_in_two_and_three_dimensions(device: Launcher) -> None:
    plane = np.zeros((7, 13), I32)
    device.run("fill_plane", [plane, I32(13), I32(7)], (13, 7), (8, 4))
    assert np.all(plane == 1)
    box = np.zeros((3, 7, 13), I32)
    device.run("fill_box", [box, np.int64(3)], (13, 7, 3), (8, 2, 2))
    assert np.all(box == 4)


def test_a_kernel_without_parameters_runs(device: Launcher) -> None:
    device.run("nothing", [], (10,), (4,))


def test_local_memory_of_both_kinds_and_barriers(device: Launcher) -> None:
    values = np.arange(256, dtype=I32)
    device.run("reverse_groups", [values, Local(64 * 4)], (256,), (64,))
    assert np.array_equal(values, np.arange(256).reshape(4, 64)[:, ::-1].ravel())
    out = np.zeros(96, F32)
    device.run("two_locals", [Local(33 * 4), out, Local(33 * 4)], (96,), (32,))
    assert np.array_equal(out.reshape(3, 32), np.tile(3.0 * np.arange(31, -1, -1), (3, 1)))


@pytest.mark.parametrize("n", [1, 255, 256, 1000])
def test_phases_with_steps_that_end_early(device: Launcher, n: int) -> None:
    x = np.arange(n, dtype=F32)
    sums = np.zeros(-(-n // 256), F32)
    device.run("sum_groups", [x, sums, I32(n)], (n,), (256,))
    padded = np.zeros(len(sums) * 256, F32)
    padded[:n] = x
    assert np.array_equal(sums, padded.reshape(-1, 256).sum(1))


def test_values_that_live_across_phases(device: Launcher) -> None:
    starts = np.arange(1, 129, dtype=I32).reshape(8, 16)
    steps, longest = np.zeros_like(starts), np.zeros_like(starts)
    device.run("longest_collatz", [starts, steps, longest], (16, 8), (8, 4))

    def collatz(at: int) -> int:
        count = 0
        while at != 1:
            at, count = 3 * at + 1 if at % 2 else at // 2, count + 1
        return count

    expected = np.vectorize(collatz)(starts)
    assert np.array_equal(steps, expected)
    largest = expected.reshape(2, 4, 2, 8).max(axis=(1, 3))
    assert np.array_equal(longest, np.kron(largest, np.ones((4, 8), int)))


def test_constant_memory_as_argument_and_beside_the_kernels(device: Launcher) -> None:
    x = np.arange(102, dtype=F32) ** 2
    y, z = np.zeros(102, F32), np.zeros(102, F32)
    device.run("smooth", [x, np.array([1, 2, 3], F32), y, z, I32(100)], (100,), (32,))
    assert np.array_equal(y[1:101], x[:100] + 2 * x[1:101] + 3 * x[2:])
    assert np.array_equal(z[1:101], (x[:100] + 2 * x[1:101] + x[2:]) / 4)


def test_functions_write_to_their_callers_variables(device: Launcher) -> None:
    x, y = np.arange(10, dtype=F32), np.full(10, 4.5, F32)
    device.run("sort_pairs", [x, y, I32(10)], (10,), (8,))
    assert np.array_equal(x, np.minimum(np.arange(10), 4.5))
    assert np.array_equal(y, np.maximum(np.arange(10), 4.5))


def test_every_type_as_an_argument(device: Launcher) -> None:
    values = [
        np.int8(-100), np.int16(-30000), I32(-70000), np.int64(-(2**40)), np.uint8(200),
        np.uint16(60000), U32(2**31), np.uint64(2**63), np.bool_(True), I32(7), F32(0.25),
    ]  # fmt: skip
    out = np.zeros(13, F32)
    device.run("all_scalars", [out, *values], (1,), (1,))
    sizes = [1 + 2 * 2 + 4 * 4 + 8 * 8, 1 + 2 * 2 + 4 * 4 + 8 * 8 + 16]
    assert np.array_equal(out, [float(value) for value in values] + sizes)


def test_buffers_of_narrow_and_wide_types(device: Launcher) -> None:
    a = np.arange(-8, 8, dtype=np.int8)
    b, c, d = np.zeros(16, np.uint16), np.zeros(16, np.int64), np.zeros(16, np.bool_)
    device.run("narrow_buffers", [a, b, c, d], (16,), (8,))
    assert np.array_equal(b, a.astype(int) ** 2)
    assert np.array_equal(c, a.astype(np.int64) * 4_000_000_000)
    assert np.array_equal(d, a > 0)


def test_vectors(device: Launcher) -> None:
    n = 8
    a = np.arange(4 * n, dtype=F32).reshape(n, 4)
    v = np.array([1, 2, 3, 4], F32)
    b, c, dots = np.zeros((n, 4), F32), np.zeros((n, 2), F32), np.zeros((n, 2), F32)
    device.run("float_vectors", [a, b, c, dots], (n,), (4,))
    total = (a + v) * (a - v) / (v * 2 + 1)
    total[:, 3] = v[0]
    assert np.allclose(b, 1 - total, rtol=1e-6, atol=1e-5)
    low, high = a[:, :2], a[:, 2:]
    assert np.array_equal(c, (low + high) * (low - high) / 4 + 0.5)
    assert np.array_equal(dots, np.stack([a @ v, (low * high).sum(1)], axis=1))

    a4, b4 = np.zeros((n, 4), I32), np.zeros((n, 4), U32)
    c2, d2 = np.zeros((n, 2), I32), np.zeros((n, 2), U32)
    device.run("int_vectors", [a4, b4, c2, d2], (n,), (4,))
    s = np.arange(n)[:, None] + np.arange(4)
    assert np.array_equal(a4, (s * 3 - s // 2 + s) * s)
    u = np.arange(7, 11)
    assert np.array_equal(b4, np.tile((u + u * u - u // 3) * 2, (n, 1)))
    s2 = s[:, [0, 3]]
    assert np.array_equal(c2, s2 * s2 - s2 // 2 + 1)
    assert np.all(d2 == 10)


def test_vectors_by_value(device: Launcher) -> None:
    a, b = np.array([1, 2, 3, 4], F32), np.array([7, -3], I32)
    out = np.zeros(3, F32)
    device.run("vectors_by_value", [out, a.tobytes(), b.tobytes(), F32(0.5)], (1,), (1,))
    assert np.array_equal(out, [30, 10, 0.5])


ATOMIC_VALUES = {
    "mixed": np.arange(-100, 101),
    "negative": np.arange(-300, -99),
    "positive": np.arange(5, 206),
}


@pytest.mark.parametrize("name", ATOMIC_VALUES)
@pytest.mark.parametrize(("kernel", "dtype"), [("int", I32), ("uint", U32), ("float", F32)])
@pytest.mark.parametrize("start", [0, -150, 150])
def test_atomics_in_global_memory(
    device: Launcher, kernel: str, dtype: type[np.generic], name: str, start: int
) -> None:
    values = ATOMIC_VALUES[name].astype(dtype)
    n = len(values)
    begin = np.array(start).astype(dtype)
    cells = np.array([0, 0, begin, begin, 6, 5, 7], dtype)
    old = np.zeros(n + 3, dtype)
    device.run(f"atomics_of_{kernel}", [cells, old, values, I32(n)], (n,), (64,))
    total = values.sum(dtype=dtype)
    every = np.append(values, begin).tolist()
    assert np.array_equal(cells, np.array([n, total, min(every), max(every), 77, 55, 7], dtype))
    assert np.array_equal(np.sort(old[:n]), np.arange(n))
    assert np.array_equal(old[n:], np.array([6, 5, 7], dtype))


def test_each_dialect_has_atomics_in_local_memory(device: Launcher) -> None:
    values = np.arange(-20, 44, dtype=I32)
    begin = [1, 2, 3, 0, 8, 5]
    ints, uints, floats = np.array(begin, I32), np.array(begin, U32), np.array(begin, F32)
    device.run("atomics_in_local", [ints, uints, floats, values], (64,), (64,))
    for cells in (ints, uints, floats):
        own = values.astype(cells.dtype)
        total = own.sum(dtype=cells.dtype) + cells.dtype.type(1)
        least, most = min([*own.tolist(), 2]), max([*own.tolist(), 3])
        assert np.array_equal(cells, np.array([total, least, most, 8, 9, 55], cells.dtype))


def test_the_gpu_describes_its_kernels() -> None:
    if cuda_driver.driver() is None:
        pytest.skip(cuda_driver.HOW_TO_GET)
    described = read_description(cuda_driver.CudaLauncher().symbol("nexus_kernel_saxpy"))
    assert described.arguments[3] == Argument("n", "int", SCALAR, 8, 4, read_only=False)
