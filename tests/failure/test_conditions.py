# SPDX-License-Identifier: Apache-2.0
"""Conditions whose integer can't be read, or whose schedule can't be run."""

from __future__ import annotations

import numpy as np
import pytest
from eventually import eventually
from faulty_device import COUNT, LONG, REFUSED, Bench, faults, live_objects

import nexus


@pytest.mark.parametrize("how", ["", "late:"])
@pytest.mark.parametrize("function", ["CopyBuffer", "CopyBuffer:2", "RunSchedule"])
def test_what_fails_in_a_loop_fails_the_run(bench: Bench, function: str, how: str) -> None:
    going_on = bench.device.create_buffer(np.ones(1, np.int32))
    schedule = bench.device.create_schedule()
    schedule.create_while_command(going_on, bench.filling(3), max_count=5)
    schedule.run(timeout=LONG)
    before = live_objects(bench.device)
    stream, name = bench.device.create_stream(), schedule.get_property_str("Name").capitalize()
    with faults(f"{function}={how}NXS_OutOfResources"):
        with pytest.raises(nexus.NexusError) as error:
            schedule.run(stream, timeout=LONG)
        assert error.value.status == REFUSED
        assert f"{name}, run 2: command 0 (while" in str(error.value)
    stream.close()
    schedule.run(bench.stream, timeout=LONG)
    assert bench.buffer.numpy().tolist() == [3] * COUNT
    bench.check_works()
    del error, stream

    def is_as_before() -> bool:  # a failed loop's queue is released when its work is done
        bench.device.synchronize(LONG)
        return live_objects(bench.device) == before

    assert eventually(is_as_before)
