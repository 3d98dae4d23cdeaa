# SPDX-License-Identifier: Apache-2.0
"""Clusters, cooperative and programmatic launches, and the occupancy of kernels."""

from __future__ import annotations

from typing import Any

import pytest

from nexus.conformance._applies import not_applicable
from nexus.conformance._native import N
from nexus.conformance.capi import calls
from nexus.conformance.capi.bench import (
    Bench,
    fill_arguments,
    group_of,
    launch,
    launch_3,
    launch_with,
    scalar_argument,
)

_OPTIONS: dict[str, dict[str, Any]] = {
    "CooperativeLaunch": {"flags": N()["NXS_LaunchFlags_Cooperative"]},
    "ProgrammaticLaunch": {"flags": N()["NXS_LaunchFlags_Programmatic"]},
    "ClusterLaunch": {"cluster_size": (2, 1, 1)},
}


def ready(bench: Bench, out: int, value: int = 5) -> tuple[int, int]:
    """Makes a schedule of a fill command that is not finalized."""
    schedule = bench.schedule()
    return schedule, bench.raw_command(schedule, *fill_arguments(out, value))


def has(bench: Bench, option: str) -> bool:
    """Returns whether backend and device have the option."""
    return bool(bench.claims(option) and bench.property("Device", bench.device, option))


def needs(bench: Bench, option: str) -> None:
    """Ends the test if the device does not have the option."""
    if not has(bench, option):
        not_applicable(f"the device has no {option}")


@pytest.mark.parametrize("option", sorted(_OPTIONS))
def test_an_option_is_taken_where_the_device_has_it_and_refused_elsewhere(
    bench: Bench, option: str
) -> None:
    out = bench.buffer(bytes(64))
    schedule, command = ready(bench, out)
    made = launch_with(launch(16, 4), **_OPTIONS[option])
    if not has(bench, option):
        bench.native.refuse("NXS_NotSupported", "FinalizeCommand", command, made)
        return
    bench.native.get("FinalizeCommand", command, made)
    for _ in range(3):
        bench.run(schedule)
    assert bench.integers(out, 16) == [5] * 16


@pytest.mark.parametrize("option", sorted(_OPTIONS))
def test_an_option_of_a_command_among_others_is_taken(bench: Bench, option: str) -> None:
    """Backends may replay several commands in another way than a single one."""
    needs(bench, option)
    out, schedule = bench.buffer(bytes(64)), bench.schedule()
    for value in (1, 2, 3):
        command = bench.raw_command(schedule, *fill_arguments(out, value))
        made = launch(16, 4)
        # The kernel does not wait for the one before, so only the first one may be programmatic.
        if option != "ProgrammaticLaunch" or value == 1:
            made = launch_with(made, **_OPTIONS[option])
        bench.native.get("FinalizeCommand", command, made)
    for _ in range(3):
        bench.run(schedule)
        assert bench.integers(out, 16) == [3] * 16
    bench.native.get("SetCommandArgument", command, 1, scalar_argument("i", 7))
    bench.run(schedule)
    assert bench.integers(out, 16) == [7] * 16


def test_a_flag_that_nobody_knows_is_refused(bench: Bench) -> None:
    _, command = ready(bench, bench.buffer(64))
    bench.native.refuse(
        "NXS_NotSupported", "FinalizeCommand", command, launch_with(launch(16, 4), flags=1 << 40)
    )


def test_clusters_that_the_device_lacks_are_refused(bench: Bench) -> None:
    if has(bench, "ClusterLaunch"):
        not_applicable("the device has clusters")
    made = launch_with(group_of(4), cluster_size=(2, 1, 1))
    bench.native.refuse("NXS_NotSupported", "GetKernelOccupancy", bench.kernel(), made)


def test_whole_clusters_are_launched_where_the_backend_chooses_the_group(bench: Bench) -> None:
    needs(bench, "ClusterLaunch")
    out = bench.buffer(bytes(64))
    schedule, command = ready(bench, out)
    made = launch_with(launch(16), cluster_size=(2, 1, 1))
    bench.native.get("FinalizeCommand", command, made)
    assert bench.property("Command", command, "GroupCount")[0] % 2 == 0
    bench.run(schedule)
    assert bench.integers(out, 16) == [5] * 16


def test_a_cooperative_launch_of_more_than_run_at_once_is_refused(bench: Bench) -> None:
    needs(bench, "CooperativeLaunch")
    _, command = ready(bench, bench.buffer(64))
    made = launch_with(launch(1 << 28, 4), **_OPTIONS["CooperativeLaunch"])
    bench.native.refuse("NXS_InvalidGlobalWorkSize", "FinalizeCommand", command, made)


# ---- Occupancy ----


def occupancy(bench: Bench, asked: Any) -> Any:
    """Returns a kernel's occupancy."""
    calls.need(bench, "GetKernelOccupancy")
    return bench.native.get("GetKernelOccupancy", bench.kernel(), asked)


def test_groups_of_the_best_size_have_room(bench: Bench) -> None:
    best = occupancy(bench, group_of(0))
    assert best.best_group_size >= 1
    assert best.active_groups >= 1
    assert best.max_groups >= best.active_groups
    assert best.active_clusters == 0
    again = occupancy(bench, group_of(best.best_group_size))
    assert (again.active_groups, again.max_groups) == (best.active_groups, best.max_groups)


def test_local_memory_leaves_room_for_no_more_groups(bench: Bench) -> None:
    without = occupancy(bench, group_of(32))
    assert without.free_local_memory > 0
    local = occupancy(bench, group_of(32, without.free_local_memory))
    assert local.active_groups >= 1
    assert local.active_groups <= without.active_groups


def test_as_many_groups_as_there_is_room_for_wait_for_each_other(bench: Bench) -> None:
    """A cooperative launch of that many groups succeeds; with one more group, it is refused."""
    needs(bench, "CooperativeLaunch")
    most = occupancy(bench, group_of(32)).max_groups
    _, command = ready(bench, bench.buffer(64))
    for groups in (most, most + 1):
        made = launch_with(launch(32 * groups, 32), **_OPTIONS["CooperativeLaunch"])
        if groups == most:
            bench.native.get("FinalizeCommand", command, made)
        else:
            bench.native.refuse("NXS_InvalidGlobalWorkSize", "FinalizeCommand", command, made)


def test_the_occupancy_tells_of_clusters_where_there_are_some(bench: Bench) -> None:
    told = occupancy(bench, group_of(32))
    if not has(bench, "ClusterLaunch"):
        assert told.max_cluster_size == 0
        return
    assert told.max_cluster_size >= 2
    asked = launch_with(group_of(32), cluster_size=(2, 1, 1))
    assert 1 <= occupancy(bench, asked).active_clusters <= told.max_groups


def test_the_occupancy_of_a_group_that_can_t_be_is_refused(bench: Bench) -> None:
    calls.need(bench, "GetKernelOccupancy")
    for size in ((1 << 20, 1, 1), (4, 0, 1), (0, 4, 1), ((1 << 64) - 1,) * 3):
        made = launch_3((0, 0, 0), size, (0, 0, 0))
        wanted = "NXS_InvalidWorkGroupSize"
        bench.native.refuse(wanted, "GetKernelOccupancy", bench.kernel(), made)


def test_the_occupancy_of_too_much_local_memory_is_refused(bench: Bench) -> None:
    calls.need(bench, "GetKernelOccupancy")
    for local in (1 << 50, (1 << 64) - 1):
        made = group_of(32, local)
        bench.native.refuse("NXS_OutOfResources", "GetKernelOccupancy", bench.kernel(), made)
