# SPDX-License-Identifier: Apache-2.0
"""Calls of the driver for conditions of schedules."""

from __future__ import annotations

from typing import Any

import numpy as np
import simulated

import nexus

TURNS = 20


def loop(gpu: nexus.Device, places: nexus.Kernel, out: nexus.Buffer, turns: int) -> nexus.Schedule:
    """Makes a schedule with a loop of so many turns."""
    body, schedule = gpu.create_schedule(), gpu.create_schedule()
    body.create_command(places, (out, np.int32(1)), 32, 256)
    schedule.create_while_command(gpu.create_buffer(np.ones(1, np.int32)), body, max_count=turns)
    return schedule


def test_a_loop_is_one_launch(
    cuda: simulated.Driver, gpu: nexus.Device, places: nexus.Kernel, out: nexus.Buffer
) -> None:
    schedule = loop(gpu, places, out, TURNS)
    stream = gpu.create_stream()
    schedule.run(stream)
    cuda.forget()
    schedule.run(stream)
    assert cuda.calls("cuGraphLaunch") == 1
    assert cuda.calls("kernel places") == TURNS
    assert cuda.calls("kernel nexus_condition") == TURNS + 1
    assert cuda.calls("cuGraphExecKernelNodeSetParams") == 0


def test_a_run_in_another_stream_changes_the_loop(
    cuda: simulated.Driver, gpu: nexus.Device, places: nexus.Kernel, out: nexus.Buffer
) -> None:
    schedule = loop(gpu, places, out, TURNS)
    schedule.run(gpu.create_stream())
    cuda.forget()
    schedule.run(gpu.create_stream())
    assert cuda.calls("cuGraphExecKernelNodeSetParams") == 2  # before the loop, and in its body
    assert cuda.calls("cuGraphInstantiateWithFlags") == 0


def test_a_driver_that_can_not_change_the_loop_gets_a_new_graph(
    cuda: simulated.Driver, gpu: nexus.Device, places: nexus.Kernel, out: nexus.Buffer
) -> None:
    schedule = loop(gpu, places, out, TURNS)
    schedule.run(gpu.create_stream())
    cuda.forget()
    cuda.fail("cuGraphExecKernelNodeSetParams", 2, simulated.INVALID_VALUE)
    schedule.run(gpu.create_stream())
    assert cuda.calls("cuGraphInstantiateWithFlags") == 1
    assert cuda.calls("kernel places") == TURNS


def test_an_older_driver_leaves_conditions_to_nexus(run_on: Any) -> None:
    told = run_on(
        """
import numpy as np
import nexus
out = gpu.create_buffer(np.zeros(1, np.int32))
body, schedule = gpu.create_schedule(), gpu.create_schedule()
body.create_fill_command(out, 3)
one = gpu.create_buffer(np.ones(1, np.int32))
command = schedule.create_while_command(one, body, max_count=5)
schedule.run(timeout=60)
has = gpu.runtime.get_property_int("Capabilities") & nexus.capability.Conditions
print([int(has), command.get_property_str("Replay"), int(out.numpy()[0])])
""",
        driver=12030,
    )
    assert told.strip() == "[0, 'host', 3]"
