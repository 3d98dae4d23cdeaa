# SPDX-License-Identifier: Apache-2.0
"""NEXUS_PHASED_KERNEL: groups whose items work in phases and steps."""

from __future__ import annotations

import numpy as np
import pytest
from building_kernels import Launch

import nexus


@pytest.mark.parametrize("n", [1, 63, 64, 65, 5000])
def test_prefix_sums(launch: Launch, n: int) -> None:
    x = np.random.default_rng(2).integers(-100, 100, n).astype(np.int32)
    y = np.zeros_like(x)
    launch("prefix_groups", [x, y, n], n, 64)
    expected = np.pad(x, (0, -n % 64)).reshape(-1, 64).cumsum(axis=1).ravel()[:n]
    np.testing.assert_array_equal(y, expected)


@pytest.mark.parametrize("shape", [(1, 1, 1), (16, 16, 16), (33, 17, 50), (5, 100, 64)])
def test_a_tiled_matrix_product(launch: Launch, shape: tuple[int, int, int]) -> None:
    rows, inner, columns = shape
    rng = np.random.default_rng(3)
    a = rng.integers(-8, 8, (rows, inner)).astype(np.float32)
    b = rng.integers(-8, 8, (inner, columns)).astype(np.float32)
    c = np.full((rows, columns), np.nan, np.float32)
    launch("multiply", [a, b, c, rows, inner, columns], (columns, rows))
    np.testing.assert_array_equal(c, a @ b)


def test_a_group_goes_on_while_any_of_its_items_has_work(launch: Launch) -> None:
    x = np.array([1, 2, 1, 4, 1, 1, 1, 8, 1, 1, 1, 1, 1, 1, 1, 0, 1000, 3], np.int32)
    out, turns = np.full(18, -1, np.int32), np.full(3, -1, np.int32)
    launch("halvings", [x, out, turns, 18], 18)
    assert turns.tolist() == [3, 0, 4]
    expected = [0, 1, 0, 2, 0, 0, 0, 3, *[0] * 8, 4, 1]
    assert out.tolist() == expected


@pytest.mark.parametrize("groups", [1, 7])
def test_items_of_three_dimensions(launch: Launch, groups: int) -> None:
    x = np.arange(groups * 30, dtype=np.int32)
    y = np.zeros_like(x)
    launch("mirror", [x, y], (5 * groups, 3, 2))
    np.testing.assert_array_equal(y, x.reshape(-1, 30)[:, ::-1].ravel())


def test_a_group_returns_on_a_value_that_all_share(launch: Launch) -> None:
    x = np.arange(96, dtype=np.int32)
    x[63] = -1
    expected = x.copy()
    expected[:32] -= 31
    expected[64:] -= 95
    launch("subtract_last", [x], 96)
    np.testing.assert_array_equal(x, expected)


def test_a_kernel_says_which_group_size_it_requires(library: nexus.Library) -> None:
    kernel = library.get_kernel("multiply")
    assert kernel.get_property_int_vec("RequiredGroupSize") == [16, 16, 1]
    assert kernel.get_property_int("MaxThreadsPerBlock") == 256
    assert kernel.get_property_int("LocalMemorySize") == 2 * 16 * 16 * 4


@pytest.mark.parametrize("size", [1, 16, (4, 2), (8, 4), 64, (32, 2), 4096, 5000])
def test_another_group_size_is_refused(
    library: nexus.Library, cpu: nexus.Device, size: int | tuple[int, ...]
) -> None:
    command = cpu.create_schedule().create_command(library.get_kernel("subtract_last"))
    command.set_buffer(0, cpu.create_buffer(np.zeros(64, np.int32)))
    with pytest.raises(ValueError, match=r"subtract_last.*groups of \(32, 1, 1\)"):
        command.finalize(size, 64)


def test_arrays_of_the_kernel_count_as_local_memory(
    library: nexus.Library, cpu: nexus.Device
) -> None:
    kernel = library.get_kernel("subtract_last")
    limit = kernel.get_property_int("MaxThreadgroupMemorySize")
    command = cpu.create_schedule().create_command(kernel)
    command.set_buffer(0, cpu.create_buffer(np.zeros(64, np.int32)))
    with pytest.raises(nexus.NexusError, match="local memory"):
        command.finalize(32, 64, limit - 100)
    command.finalize(32, 64, limit - 128)
