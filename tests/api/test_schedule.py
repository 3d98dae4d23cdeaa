# SPDX-License-Identifier: Apache-2.0
"""Schedules: recorded once, run many times."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest

import nexus
from nexus.command_type import CommandType

pytestmark = pytest.mark.smoke


def test_runs_that_do_not_block_happen_in_order(
    device: nexus.Device, doubling: nexus.Schedule, buffer: nexus.Buffer, floats: Any
) -> None:
    for _ in range(4):
        doubling.run(blocking=False)
    device.synchronize()
    np.testing.assert_array_equal(buffer.numpy(), floats * 16)


def test_a_command_sees_what_those_before_it_did(
    device: nexus.Device, schedule: nexus.Schedule, library: nexus.Library, floats: Any
) -> None:
    a, b, c = (device.create_buffer(floats) for _ in range(3))
    schedule.create_command(library.get_kernel("scale"), (a, 2.0), 32, 1024)
    schedule.create_command(library.get_kernel("add"), (a, b, c, 1024), 64, 1024)
    schedule.create_command(library.get_kernel("scale"), (c, 10.0), 128, 1024)
    schedule.run()
    np.testing.assert_array_equal(c.numpy(), floats * 30)


def test_copies_and_fills_are_commands(
    device: nexus.Device, schedule: nexus.Schedule, buffer: nexus.Buffer, floats: Any
) -> None:
    other = device.create_buffer(floats.shape)
    schedule.create_copy_command(other, buffer)
    schedule.create_fill_command(buffer, 5.0)
    schedule.run()
    np.testing.assert_array_equal(other.numpy(), floats)
    assert (buffer.numpy() == 5.0).all()


def test_commands_are_listed_in_order(doubling: nexus.Schedule, buffer: nexus.Buffer) -> None:
    doubling.create_fill_command(buffer, 1.0)
    commands = doubling.get_commands()
    assert [each.type for each in commands] == [CommandType.Dispatch, CommandType.Fill]
    assert commands.size() == doubling.get_property_int("Size") == 2


def test_a_schedule_keeps_what_it_uses(
    device: nexus.Device, schedule: nexus.Schedule, library: nexus.Library, floats: Any
) -> None:
    result = device.create_buffer(floats.shape)
    schedule.create_command(
        library.get_kernel("add"),
        (device.create_buffer(floats), device.create_buffer(floats), result, 1024),
        32,
        1024,
    )
    del library
    schedule.run()
    np.testing.assert_array_equal(result.numpy(), floats * 2)


def test_a_run_that_takes_too_long_is_a_timeout_and_goes_on(
    device: nexus.Device, schedule: nexus.Schedule, library: nexus.Library
) -> None:
    rounds = 200_000_000
    out = device.create_buffer((1,), dtype="float64")
    schedule.create_command(library.get_kernel("spin"), (out, rounds), 1, 1)
    with pytest.raises(TimeoutError) as error:
        schedule.run(timeout=0.001)
    assert isinstance(error.value, nexus.NexusError)
    assert error.value.status == nexus.status.NXS_Timeout
    device.synchronize()
    assert out.numpy()[0] == rounds


def test_other_threads_run_while_a_run_blocks(
    device: nexus.Device, schedule: nexus.Schedule, library: nexus.Library
) -> None:
    out = device.create_buffer((1,), dtype="float64")
    schedule.create_command(library.get_kernel("spin"), (out, 200_000_000), 1, 1)
    ended = threading.Event()

    def run() -> None:
        schedule.run()
        ended.set()

    runner = threading.Thread(target=run)
    runner.start()
    steps = 0
    while not ended.is_set():
        steps += 1
    runner.join()
    assert steps > 1


def test_run_reads_its_arguments_as_python_does(doubling: nexus.Schedule) -> None:
    run: Any = doubling.run
    with pytest.raises(TypeError, match=r"Schedule\.run\(\) takes at most 4 .* \(5 given\)"):
        run(None, True, None, False, None)
    with pytest.raises(TypeError, match="unexpected keyword argument 'wait'"):
        run(wait=True)
    with pytest.raises(TypeError, match="multiple values for argument 'stream'"):
        run(None, stream=None)
    with pytest.raises(TypeError, match="timing has to be a bool"):
        run(timing=0.5)


def test_a_schedule_knows_its_device(device: nexus.Device, schedule: nexus.Schedule) -> None:
    assert schedule.device == device


@pytest.mark.parametrize("bad", [{"args": (1.0, 2.0)}, {"group_size": 32}, {"grid_size": -1}])
def test_a_mistake_in_create_command_adds_none(
    doubling: nexus.Schedule, library: nexus.Library, buffer: nexus.Buffer, bad: dict[str, Any]
) -> None:
    arguments: dict[str, Any] = {"args": (buffer, 2.0), **bad}
    with pytest.raises((TypeError, ValueError)):
        doubling.create_command(library.get_kernel("scale"), **arguments)
    assert len(doubling.get_commands()) == 1
    doubling.run()


def test_the_time_of_a_run_is_a_property(doubling: nexus.Schedule) -> None:
    doubling.run(timing=True)
    assert doubling.elapsed_ms > 0
    assert doubling.get_property_flt("ElapsedTime") == pytest.approx(doubling.elapsed_ms)
    time = doubling.elapsed_ms
    doubling.run()  # without timing, which leaves the time of the run before
    assert doubling.elapsed_ms == time


def test_the_status_of_a_schedule_is_that_of_its_last_run(
    device: nexus.Device, doubling: nexus.Schedule
) -> None:
    stream, go = device.create_stream(), device.create_event()
    assert doubling.get_property_str("Status") == "Submitted"
    stream.wait(go, 1)
    doubling.run(stream, blocking=False)
    assert doubling.get_property_str("Status") == "Running"
    go.signal(1)
    stream.synchronize()
    assert doubling.get_property_str("Status") == "Complete"
