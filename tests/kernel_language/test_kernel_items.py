# SPDX-License-Identifier: Apache-2.0
"""NEXUS_KERNEL and NEXUS_KERNEL_BOUNDED: which items run, what they know, what they are given."""

from __future__ import annotations

import numpy as np
import pytest
from building_kernels import Array, Launch

import nexus


def expected_ids(grid: tuple[int, int, int], group: tuple[int, int, int]) -> Array:
    """Returns the expected output of tell_ids, computed with numpy: [z, y, x, 18]."""
    count = tuple(-(-n // g) for n, g in zip(grid, group, strict=True))
    launched = tuple(c * g for c, g in zip(count, group, strict=True))
    ids = np.stack(np.meshgrid(*(np.arange(n) for n in launched), indexing="ij"), -1)
    columns = [ids, ids // group, ids % group]
    columns += [np.broadcast_to(sizes, ids.shape) for sizes in (group, count, grid)]
    told = np.concatenate(columns, axis=-1).transpose(2, 1, 0, 3)
    return np.ascontiguousarray(told, np.int32)


@pytest.mark.parametrize(
    ("grid", "group"),
    [
        ((1, 1, 1), (1, 1, 1)),
        ((1000, 1, 1), (64, 1, 1)),
        ((1001, 1, 1), (7, 1, 1)),
        ((37, 11, 1), (16, 4, 1)),
        ((5, 7, 9), (2, 3, 4)),
        ((3, 130, 2), (1, 64, 2)),
        ((200, 3, 2), (100, 1, 1)),
    ],
)
def test_each_item_knows_its_ids(
    launch: Launch, grid: tuple[int, int, int], group: tuple[int, int, int]
) -> None:
    expected = expected_ids(grid, group)
    told = np.full_like(expected, -1)
    launch("tell_ids", [told], grid, group)
    np.testing.assert_array_equal(told, expected)


@pytest.mark.parametrize("grid", [(1, 1, 1), (4, 3, 2), (41, 5, 3), (3, 100, 1)])
def test_ids_in_a_phase_are_those_of_the_item(launch: Launch, grid: tuple[int, int, int]) -> None:
    expected = expected_ids(grid, (4, 3, 2))
    told = np.full_like(expected, -1)
    launch("tell_ids_in_phase", [told], grid)
    np.testing.assert_array_equal(told, expected)


@pytest.mark.parametrize("bounds", [(1, 1, 1), (37, 5, 3), (64, 8, 4), (0, 5, 3), (-5, 3, 2)])
@pytest.mark.parametrize("group", [(16, 2, 1), (64, 1, 1), (5, 3, 2)])
def test_only_items_below_the_bounds_run(
    launch: Launch, bounds: tuple[int, int, int], group: tuple[int, int, int]
) -> None:
    shape = tuple(-(-n // g) * g for n, g in zip((64, 8, 4), group, strict=True))
    counts = np.zeros(shape[::-1], np.int32)
    expected = np.zeros_like(counts)
    expected[: bounds[2], : bounds[1], : max(bounds[0], 0)] = 1
    launch("count_bounded", [counts, *bounds], (64, 8, 4), group)
    np.testing.assert_array_equal(counts, expected)


@pytest.mark.parametrize(("n", "runs"), [(60, 20), (50, 0), (20, 0), (100, 100)])
def test_a_bound_is_any_expression_of_the_parameters(launch: Launch, n: int, runs: int) -> None:
    counts = np.zeros(112, np.int32)
    launch("count_expression", [counts, n], 100, 16)
    np.testing.assert_array_equal(counts, np.arange(112) < runs)


@pytest.mark.parametrize("n", [1, 2, 1023, 100_000])
def test_a_guarded_kernel_with_a_table_and_a_function(launch: Launch, n: int) -> None:
    x = np.random.default_rng(1).random(n, np.float32)
    y = np.zeros_like(x)
    launch("smooth", [x, y, n], n)
    padded = np.pad(x, 1)
    np.testing.assert_allclose(
        y, 0.25 * padded[:-2] + 0.5 * padded[1:-1] + 0.25 * padded[2:], rtol=1e-6
    )


@pytest.mark.parametrize("n", [1, 4097])
def test_constant_memory_is_read(launch: Launch, n: int) -> None:
    rng = np.random.default_rng(2)
    table = rng.random(256, np.float32)
    index = rng.integers(0, 256, n).astype(np.uint8)
    out = np.zeros(n, np.float32)
    launch("look_up", [table, index, out, n], n)
    np.testing.assert_array_equal(out, table[index])


@pytest.mark.parametrize("group", [1, 5, 64, 300])
def test_local_memory_of_the_command_is_the_groups_own(launch: Launch, group: int) -> None:
    data = np.arange(group * 40, dtype=np.int32)
    out = np.zeros_like(data)
    launch("through_local", [data, out, [4 * group]], group * 40, group)
    np.testing.assert_array_equal(out, data + 1)


def test_a_number_of_each_type_arrives(launch: Launch) -> None:
    out = np.zeros(11)
    numbers = [-128, 255, -32768, 65535, -(2**31), 2**32 - 1, -(2**53), 2**53, 0.1, 0.1, True]
    launch("each_type", [out, *numbers], 1)
    np.testing.assert_array_equal(out, [float(np.float32(0.1)) if i == 8 else n
                                        for i, n in enumerate(numbers)])  # fmt: skip


def test_a_kernel_without_arguments_runs(launch: Launch) -> None:
    launch("no_arguments", [], 10)


def test_a_kernel_of_c_describes_its_arguments(library: nexus.Library) -> None:
    kernel = library.get_kernel("describe")
    names = kernel.get_property_str_vec("ArgumentNames")
    assert names == ["x", "table", "scratch", "v", "y", "flag"]
    kinds = kernel.get_property_str_vec("ArgumentKinds")
    assert kinds == ["buffer", "buffer", "local", "scalar", "buffer", "scalar"]
    types = kernel.get_property_str_vec("ArgumentTypes")
    assert types[0] == "float32"
    assert types[1] == "int32"
    assert types[2] == "uint16"
    assert types[4:] == ["uint64", "bool"]
    assert kernel.get_property_int("LocalMemorySize") == 30 * 4 + 4 * 8


LAST_ROWS = """
NEXUS_KERNEL(last_rows, (NEXUS_GLOBAL int *, counts)) {
  const int row = nexus_global_id(1) - (nexus_grid_size(1) - 2);
  if (row >= 0) nexus_atomic_add(&counts[row], 1);
}
"""


def test_a_grid_of_more_items_than_32_bits_count_runs_to_its_end() -> None:
    device = nexus.get_device("cpu")
    counts = device.create_buffer(np.zeros(2, np.int32))
    schedule = device.create_schedule()
    kernel = device.compile(LAST_ROWS).get_kernel("last_rows")
    command = schedule.create_command(kernel, (counts,), grid_size=(2**16, 2**17))
    schedule.run()
    assert command.grid_size == (2**16, 2**17, 1)
    assert counts.numpy().tolist() == [2**16, 2**16]
