# SPDX-License-Identifier: Apache-2.0
"""Calls of the driver while a schedule is recorded and its graph is made."""

from __future__ import annotations

from typing import Any

import numpy as np
import simulated

import nexus

GROUPS, GROUP = 8, 32
COMMANDS = 50


def record(gpu: nexus.Device, places: nexus.Kernel, out: nexus.Buffer, **size: Any
           ) -> nexus.Schedule:  # fmt: skip
    """Returns a schedule of COMMANDS commands, of which the last writes COMMANDS - 1."""
    schedule = gpu.create_schedule()
    for mark in range(COMMANDS):
        schedule.create_command(places, (out, np.int32(mark)), grid_size=256, **size)
    return schedule


def test_recording_with_a_group_size_asks_the_driver_nothing(
    cuda: simulated.Driver, gpu: nexus.Device, places: nexus.Kernel, out: nexus.Buffer
) -> None:
    record(gpu, places, out, group_size=GROUP)
    cuda.forget()
    record(gpu, places, out, group_size=GROUP)
    assert cuda.log() == []


def test_the_driver_is_asked_once_for_the_best_group_size(
    cuda: simulated.Driver, gpu: nexus.Device, library: nexus.Library, out: nexus.Buffer
) -> None:
    places = library.get_kernel("places")
    cuda.forget()
    record(gpu, places, out)
    assert cuda.calls("cuOccupancyMaxPotentialBlockSize") == 1


def test_the_graph_is_there_after_the_first_run(
    cuda: simulated.Driver, gpu: nexus.Device, places: nexus.Kernel, out: nexus.Buffer
) -> None:
    schedule = record(gpu, places, out, group_size=GROUP)
    schedule.run()
    assert cuda.calls("cuGraphInstantiateWithFlags") == 1
    assert cuda.calls("cuGraphAddKernelNode") == COMMANDS
    assert cuda.calls("cuGraphLaunch") == 0
    cuda.forget()
    schedule.run()
    assert cuda.calls("cuGraphLaunch") == 1
    assert cuda.calls("cuGraphInstantiateWithFlags") == 0
    assert list(out.numpy()[:GROUPS]) == [1000 + COMMANDS - 1] * GROUPS


def test_the_graph_is_there_after_prepare(
    cuda: simulated.Driver, gpu: nexus.Device, places: nexus.Kernel, out: nexus.Buffer
) -> None:
    schedule = record(gpu, places, out, group_size=GROUP)
    schedule.prepare()
    assert cuda.calls("cuGraphInstantiateWithFlags") == 1
    cuda.forget()
    schedule.run()
    assert cuda.calls("cuGraphLaunch") == 1
    assert cuda.calls("cuGraphInstantiateWithFlags") == 0


def test_a_schedule_that_changes_after_each_run_gets_no_graph_again(
    cuda: simulated.Driver, gpu: nexus.Device, places: nexus.Kernel, out: nexus.Buffer
) -> None:
    """A graph that is launched once costs more than it saves."""
    schedule = record(gpu, places, out, group_size=GROUP)
    last = schedule.get_commands()[-1]
    for _ in range(4):
        schedule.run()
        last.finalize(GROUP, 256)
    assert cuda.calls("cuGraphInstantiateWithFlags") == 1
    for _ in range(2):
        schedule.run()
    assert cuda.calls("cuGraphInstantiateWithFlags") == 2
    assert cuda.calls("cuGraphLaunch") == 1


def test_a_graph_that_fails_behind_the_first_run_fails_no_run(
    cuda: simulated.Driver, gpu: nexus.Device, places: nexus.Kernel, out: nexus.Buffer
) -> None:
    schedule = record(gpu, places, out, group_size=GROUP)
    cuda.fail("cuGraphInstantiateWithFlags", 1, simulated.OUT_OF_MEMORY)
    for _ in range(3):
        schedule.run()
    assert cuda.calls("cuGraphLaunch") == 0
    assert list(out.numpy()[:GROUPS]) == [1000 + COMMANDS - 1] * GROUPS
