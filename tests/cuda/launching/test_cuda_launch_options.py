# SPDX-License-Identifier: Apache-2.0
"""Cluster, cooperative and programmatic launches, as the driver sees them."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
import simulated

import nexus
from nexus.status import NXS_NotSupported

GROUPS, GROUP = 8, 32
KINDS = ("cooperative kernel", "clustered kernel", "programmatic kernel")


def add(schedule: nexus.Schedule, kernel: nexus.Kernel, out: nexus.Buffer, mark: int,
        **options: Any) -> nexus.Command:  # fmt: skip
    """Adds a command, of GROUPS groups by default."""
    sizes = {"group_size": GROUP} | ({} if "group_count" in options else {"grid_size": 256})
    arguments = (out, np.int32(mark))
    return schedule.create_command(kernel, arguments, **(sizes | options))


def kinds(cuda: simulated.Driver) -> tuple[int, ...]:
    """Counts the launches of each of KINDS."""
    return tuple(cuda.calls(kind) for kind in KINDS)


# ---- Launches of one command ----


def test_a_command_without_options_is_launched_without_attributes(
    cuda: simulated.Driver, gpu: nexus.Device, places: nexus.Kernel, out: nexus.Buffer
) -> None:
    schedule = gpu.create_schedule()
    add(schedule, places, out, 7)
    schedule.run()
    assert list(out.numpy()[: GROUPS + 1]) == [1007] * GROUPS + [0]
    assert kinds(cuda) == (0, 0, 0)
    assert cuda.calls("cuLaunchKernelEx") == 1


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"cooperative_launch": True}, (1, 0, 0)),
        ({"cluster_size": 2}, (0, 1, 0)),
        ({"programmatic_launch": True}, (0, 0, 1)),
        ({"cluster_size": (4, 1, 1), "cooperative_launch": True}, (1, 1, 0)),
        ({"cluster_size": 8, "cooperative_launch": True, "programmatic_launch": True}, (1, 1, 1)),
    ],
)
def test_the_driver_is_told_of_each_option(
    cuda: simulated.Driver, gpu: nexus.Device, places: nexus.Kernel, out: nexus.Buffer,
    options: dict[str, Any], told: tuple[int, ...],
) -> None:  # fmt: skip
    schedule = gpu.create_schedule()
    add(schedule, places, out, 1, **options)
    schedule.run()
    assert kinds(cuda) == told
    size = options.get("cluster_size", 1)
    in_x = size if isinstance(size, int) else size[0]
    assert list(out.numpy()[:GROUPS]) == [in_x * 1000 + 1] * GROUPS


def test_a_grid_is_covered_by_whole_clusters(
    gpu: nexus.Device, places: nexus.Kernel, out: nexus.Buffer
) -> None:
    schedule = gpu.create_schedule()
    command = add(schedule, places, out, 1, grid_size=GROUP * 9, cluster_size=4)
    schedule.run()
    assert command.group_count == (12, 1, 1)
    assert list(out.numpy()[:13]) == [4001] * 12 + [0]


def test_a_command_is_finalized_again_without_its_options(
    cuda: simulated.Driver, gpu: nexus.Device, places: nexus.Kernel, out: nexus.Buffer
) -> None:
    schedule = gpu.create_schedule()
    command = add(schedule, places, out, 1, cluster_size=2, cooperative_launch=True)
    command.finalize(GROUP, 256)
    schedule.run()
    assert kinds(cuda) == (0, 0, 0)


# ---- Replays ----


def test_options_hold_for_replays_and_for_what_is_bound_later(
    cuda: simulated.Driver, gpu: nexus.Device, places: nexus.Kernel, out: nexus.Buffer
) -> None:
    schedule = gpu.create_schedule()
    add(schedule, places, out, 1)
    last = add(schedule, places, out, 2, cluster_size=4, cooperative_launch=True)
    for _ in range(3):
        schedule.run()
    assert list(out.numpy()[:GROUPS]) == [4002] * GROUPS
    last.set_arg(1, np.int32(5))
    schedule.run()
    assert list(out.numpy()[:GROUPS]) == [4005] * GROUPS
    assert kinds(cuda) == (4, 4, 0)
    assert cuda.calls("cuGraphLaunch") == 3
    assert cuda.calls("cuGraphInstantiateWithFlags") == 1


def test_a_kernel_begins_early_behind_kernels_alone(
    cuda: simulated.Driver, gpu: nexus.Device, places: nexus.Kernel, out: nexus.Buffer
) -> None:
    """Two edges: the first kernel has no predecessor, and the fourth follows the fill."""
    schedule = gpu.create_schedule()
    for mark in (1, 2, 3):
        add(schedule, places, out, mark, programmatic_launch=True)
    schedule.create_fill_command(out, 0)
    add(schedule, places, out, 4, programmatic_launch=True)
    add(schedule, places, out, 5)
    schedule.run()
    assert kinds(cuda) == (0, 0, 4)
    assert cuda.calls("cuGraphAddDependencies") == 2
    cuda.forget()
    schedule.run()
    assert kinds(cuda) == (0, 0, 2)
    assert list(out.numpy()[:GROUPS]) == [1005] * GROUPS


def test_a_driver_without_early_edges_replays_as_well(run_on: Any) -> None:
    told = run_on(
        """
import numpy as np
out = gpu.create_buffer(np.zeros(8, np.int32))
schedule = gpu.create_schedule()
for mark in (1, 2):
    schedule.create_command(library.get_kernel("places"), (out, np.int32(mark)), 32, 256,
                            programmatic_launch=True)
for _ in range(3):
    schedule.run()
print(out.numpy().tolist())
""",
        driver=12020,
    )
    assert told.strip() == str([1002] * 8)


@pytest.mark.parametrize("function", ["cuGraphKernelNodeSetAttribute", "cuGraphAddDependencies"])
def test_where_the_driver_makes_no_such_graph_the_commands_run_one_by_one(
    cuda: simulated.Driver, gpu: nexus.Device, places: nexus.Kernel, out: nexus.Buffer,
    function: str,
) -> None:  # fmt: skip
    schedule = gpu.create_schedule()
    for mark in (1, 2):
        add(schedule, places, out, mark, cluster_size=2, programmatic_launch=True)
    graphs = cuda.live("graphs")
    cuda.fail(function, 1, simulated.OUT_OF_MEMORY)
    for _ in range(3):
        schedule.run()
    assert list(out.numpy()[:GROUPS]) == [2002] * GROUPS
    assert cuda.calls("cuGraphLaunch") == 0
    assert cuda.live("graphs") == graphs
    assert kinds(cuda) == (0, 6, 6)


# ---- What is refused ----


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"cluster_size": 17, "grid_size": 17 * GROUP}, ["cluster_size", "17", "16 groups"]),
        ({"cluster_size": (3, 1, 1), "group_count": 8}, ["group_count", "(3, 1, 1)"]),
        ({"cooperative_launch": True, "group_count": 10**6}, ["cooperative_launch", "1000000"]),
        ({"cluster_size": (2, 2, 0)}, ["cluster_size[2]", "0"]),
    ],
)
def test_what_does_not_fit_is_a_value_error(
    gpu: nexus.Device, places: nexus.Kernel, out: nexus.Buffer, options: dict[str, Any],
    words: list[str],
) -> None:  # fmt: skip
    schedule = gpu.create_schedule()
    with pytest.raises(ValueError, match=re.escape(words[0])) as refused:
        add(schedule, places, out, 1, **options)
    assert all(word in str(refused.value) for word in words), refused.value
    assert len(schedule.get_commands()) == 0


def test_a_cluster_for_which_there_is_no_room_is_refused(
    cuda: simulated.Driver, gpu: nexus.Device, places: nexus.Kernel, out: nexus.Buffer
) -> None:
    """For example since a GPC is too small for a cluster with so much shared memory."""
    cuda.fail("cuOccupancyMaxActiveClusters", 1, simulated.INVALID_CLUSTER_SIZE)
    with pytest.raises(ValueError, match=r"cluster_size is 16 x 1 x 1.*does not fit"):
        add(gpu.create_schedule(), places, out, 1, cluster_size=16, grid_size=16 * GROUP)


@pytest.mark.parametrize(
    ("function", "options"),
    [
        ("cuOccupancyMaxActiveClusters", {"cluster_size": 2}),
        ("cuOccupancyMaxPotentialClusterSize", {"cluster_size": 2}),
        ("cuFuncSetAttribute", {"cluster_size": 2}),
        ("cuOccupancyMaxActiveBlocksPerMultiprocessor", {"cooperative_launch": True}),
    ],
)
def test_a_driver_that_refuses_leaves_no_command(
    cuda: simulated.Driver, gpu: nexus.Device, places: nexus.Kernel, out: nexus.Buffer,
    function: str, options: dict[str, Any],
) -> None:  # fmt: skip
    schedule = gpu.create_schedule()
    cuda.fail(function, 1, simulated.INVALID_VALUE)
    with pytest.raises(nexus.NexusError, match="'places'"):
        add(schedule, places, out, 1, **options)
    assert len(schedule.get_commands()) == 0
    add(schedule, places, out, 1, **options)
    schedule.run()
    assert out.numpy()[0] % 1000 == 1


OLDER = """
kernel, arguments = library.get_kernel("tiled"), (gpu.create_buffer(64),)
try:
    gpu.create_schedule().create_command(kernel, arguments, 32, 256, **{option: value})
    print("taken")
except nexus.NexusError as error:
    print(int(error.status), error)
"""


@pytest.mark.parametrize(
    ("option", "value", "machine"),
    [
        ("cluster_size", 2, {"architecture": 80}),
        ("programmatic_launch", True, {"architecture": 80}),
        ("cooperative_launch", True, {"attribute.95": 0}),
    ],
)
def test_a_device_that_lacks_an_option_says_so(
    run_on: Any, option: str, value: Any, machine: dict[str, Any]
) -> None:
    told = run_on(f"option, value = {option!r}, {value!r}{OLDER}", **machine)
    assert told.startswith(str(int(NXS_NotSupported)))
    assert option in told
    assert "Simulated GPU" in told


@pytest.mark.parametrize(("architecture", "has"), [(80, 0), (90, 1)])
def test_the_device_tells_what_it_has(run_on: Any, architecture: int, has: int) -> None:
    names = ("ClusterLaunch", "ProgrammaticLaunch", "CooperativeLaunch")
    program = f"print([gpu.get_property_int(name) for name in {names}])"
    assert run_on(program, architecture=architecture).strip() == str([has, has, 1])
