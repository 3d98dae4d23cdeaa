# SPDX-License-Identifier: Apache-2.0
"""Random launches: what is legal runs as counted, what is not is refused with the size named."""

from __future__ import annotations

import math

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from workbench import LONG, Backend, Workbench

modest = settings(
    deadline=None,
    max_examples=60,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)

Sizes = tuple[int, ...]


def three(sizes: Sizes) -> tuple[int, int, int]:
    """As many as three, 1 where left out."""
    x, y, z = (*sizes, 1, 1)[:3]
    return x, y, z


def sizes_of(most: int) -> st.SearchStrategy[Sizes]:
    return st.lists(st.integers(1, most), min_size=1, max_size=3).map(tuple)


@pytest.mark.smoke
@modest
@given(group=sizes_of(8), grid=sizes_of(20))
def test_whole_groups_are_launched(on_cpu: Backend, group: Sizes, grid: Sizes) -> None:
    out = on_cpu.device.create_buffer((9,), dtype="int32")
    schedule = on_cpu.device.create_schedule()
    kernel = on_cpu.library.get_kernel("sizes")
    command = schedule.create_command(kernel, (out,), group, grid)
    schedule.run(timeout=LONG)
    count = tuple(math.ceil(g / s) for g, s in zip(three(grid), three(group), strict=True))
    seen = tuple(out.numpy().tolist())
    assert seen == (*three(group), *count, *three(grid))
    assert (command.group_size, command.group_count, command.grid_size) == (
        three(group), count, three(grid),
    )  # fmt: skip


@modest
@given(group=sizes_of(8), count=sizes_of(8))
def test_a_count_of_groups_makes_a_grid(on_cpu: Backend, group: Sizes, count: Sizes) -> None:
    out = on_cpu.device.create_buffer((9,), dtype="int32")
    command = on_cpu.device.create_schedule().create_command(on_cpu.library.get_kernel("sizes"))
    command.set_buffer(0, out)
    command.finalize(group, group_count=count)
    assert command.group_count == three(count)
    assert command.grid_size == tuple(
        g * c for g, c in zip(three(group), three(count), strict=True)
    )


ANY = st.lists(
    st.one_of(st.integers(-2, 10_000), st.integers(-(2**70), 2**70)), min_size=0, max_size=5
)


def refusal(sizes: list[int], most: int) -> bool:
    """Returns whether a list is not a launch size, or its product exceeds a limit."""
    if not 1 <= len(sizes) <= 3 or any(not 1 <= each < 2**63 for each in sizes):
        return True
    return math.prod(sizes) > most


@modest
@given(group=ANY, grid=ANY)
def test_any_sizes_are_launched_or_refused_by_name(
    bench: Workbench, group: list[int], grid: list[int]
) -> None:
    limit = bench.device.get_property_int("MaxThreadsPerBlock")
    given = [("group_size", group, limit), ("grid_size", grid, 2**64)]
    wrong = [name for name, sizes, most in given if refusal(sizes, most)]
    command = bench.bound()
    try:
        command.finalize(group, grid)
    except ValueError as error:
        told = str(error)
        # A grid may also be beyond the device's own limit, which it tells by name.
        assert any(name in told for name in wrong) or "the device's" in told, told
        assert command.group_size is None
    else:
        assert wrong == []
        assert command.group_size == three(tuple(group))
        assert command.grid_size == three(tuple(grid))
