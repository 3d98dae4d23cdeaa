# SPDX-License-Identifier: Apache-2.0
"""nexus_barrier(), in groups of each shape."""

from __future__ import annotations

import numpy as np
import pytest
from building_kernels import Launch


@pytest.mark.parametrize(
    ("group", "groups"),
    [
        ((1, 1, 1), (3, 2, 1)),
        ((256, 1, 1), (9, 1, 1)),
        ((7, 1, 1), (50, 1, 1)),
        ((16, 16, 1), (5, 3, 1)),
        ((4, 5, 6), (3, 2, 2)),
        ((1, 64, 2), (4, 1, 3)),
    ],
)
def test_all_items_of_a_group_meet(
    launch: Launch, group: tuple[int, int, int], groups: tuple[int, int, int]
) -> None:
    size = int(np.prod(group))
    data = np.arange(size * int(np.prod(groups)), dtype=np.int32)
    out = np.zeros_like(data)
    grid = tuple(g * c for g, c in zip(group, groups, strict=True))
    launch("reverse", [data, out], grid, group)
    np.testing.assert_array_equal(out, data.reshape(-1, size)[:, ::-1].ravel())


@pytest.mark.parametrize("group", [(8, 1), (100, 1), (4, 4), (64, 3)])
def test_groups_may_do_without_the_barriers_of_others(
    launch: Launch, group: tuple[int, int]
) -> None:
    size = group[0] * group[1]
    data = np.arange(size * 7 * 2, dtype=np.int32)
    out = np.zeros_like(data)
    launch("reverse_odd_groups", [data, out, [4 * size]], (group[0] * 7, group[1] * 2), group)
    expected = data.reshape(2, 7, size).copy()
    expected[:, 1::2] = expected[:, 1::2, ::-1]
    np.testing.assert_array_equal(out, expected.ravel())
