# SPDX-License-Identifier: Apache-2.0
"""Kernels report the driver's occupancy."""

from __future__ import annotations

from typing import Any

import pytest
import simulated

import nexus

PER_CORE = 2048  # threads of a multiprocessor of the simulated device
CORES = 132


def test_groups_fill_a_compute_unit_and_the_device(places: nexus.Kernel) -> None:
    told = places.get_occupancy(256)
    assert told.active_groups == PER_CORE // 256
    assert told.max_groups == told.active_groups * CORES
    assert places.get_occupancy((16, 4, 4)) == told


def test_without_a_size_it_is_of_the_best_one(places: nexus.Kernel) -> None:
    told = places.get_occupancy()
    assert told.best_group_size * told.active_groups == PER_CORE
    assert places.get_occupancy(told.best_group_size) == told


def test_what_is_free_can_be_had_with_as_many_groups(places: nexus.Kernel) -> None:
    told = places.get_occupancy(128)
    again = places.get_occupancy(128, told.free_local_memory)
    more = places.get_occupancy(128, told.free_local_memory + 1024)
    assert told.free_local_memory > 0
    assert again.active_groups == told.active_groups
    assert more.active_groups < told.active_groups


def test_clusters_are_counted(places: nexus.Kernel) -> None:
    told = places.get_occupancy(256, cluster_size=4)
    assert told.active_clusters == PER_CORE // 256 * CORES // 4
    assert told.max_groups == told.active_clusters * 4
    assert told.max_cluster_size == 16
    assert places.get_occupancy(256).active_clusters == 0


def test_asking_starts_nothing(cuda: simulated.Driver, places: nexus.Kernel) -> None:
    places.get_occupancy(64, cluster_size=2)
    assert cuda.calls("kernel") == 0


def test_as_many_groups_as_told_are_launched_cooperatively(
    gpu: nexus.Device, library: nexus.Library, out: nexus.Buffer
) -> None:
    kernel, schedule = library.get_kernel("tiled"), gpu.create_schedule()
    most = kernel.get_occupancy(1024, 50_000).max_groups
    options: Any = {"local_memory": 50_000, "cooperative_launch": True}
    schedule.create_command(kernel, (out,), 1024, group_count=most, **options)
    with pytest.raises(ValueError, match=f"the device runs {most} of them"):
        schedule.create_command(kernel, (out,), 1024, group_count=most + 1, **options)


@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        ({"group_size": 2048}, ValueError, "group_size"),
        ({"group_size": 0}, ValueError, "group_size"),
        ({"group_size": "64"}, TypeError, "group_size"),
        ({"local_memory": -1}, ValueError, "local_memory"),
        ({"group_size": 32, "local_memory": 10**9}, nexus.NexusError, "1000000000 bytes"),
        ({"cluster_size": 17}, ValueError, "cluster_size"),
        ({"cluster_size": True}, TypeError, "cluster_size"),
    ],
)
def test_what_can_t_be_is_refused_by_its_name(
    places: nexus.Kernel, given: dict[str, Any], error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        places.get_occupancy(**given)


@pytest.mark.parametrize(
    "function",
    [
        "cuOccupancyMaxActiveBlocksPerMultiprocessor",
        "cuOccupancyAvailableDynamicSMemPerBlock",
        "cuOccupancyMaxPotentialClusterSize",
    ],
)
def test_a_driver_that_does_not_answer_is_an_error_and_the_next_call_works(
    cuda: simulated.Driver, places: nexus.Kernel, function: str
) -> None:
    cuda.fail(function, 1, simulated.INVALID_VALUE)
    with pytest.raises(nexus.NexusError, match="occupancy"):
        places.get_occupancy(32)
    assert places.get_occupancy(32).active_groups > 0


def test_a_device_without_clusters_has_clusters_of_no_size(run_on: Any) -> None:
    program = "print(library.get_kernel('places').get_occupancy(32).max_cluster_size)"
    assert run_on(program, architecture=80).strip() == "0"


def test_the_kernel_tells_what_a_work_item_takes(places: nexus.Kernel) -> None:
    told = places.attributes
    assert (told.registers, told.private_memory_size) == (32, 0)
    assert told.constant_memory_size == 0
    assert told.required_cluster_size is None
    assert places.get_property_int("RegistersPerThread") == told.registers
