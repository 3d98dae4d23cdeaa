# SPDX-License-Identifier: Apache-2.0
"""Schedules: recorded once, run many times."""

from __future__ import annotations

import signal
import threading
from typing import Any

import numpy as np
import pytest

import nexus
from nexus.command_type import CommandType

pytestmark = pytest.mark.smoke


def test_commands_are_listed_in_order(doubling: nexus.Schedule, buffer: nexus.Buffer) -> None:
    doubling.create_fill_command(buffer, 1.0)
    commands = doubling.get_commands()
    assert [each.type for each in commands] == [CommandType.Dispatch, CommandType.Fill]
    assert commands.size() == doubling.get_property_int("Size") == 2


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


def test_ctrl_c_ends_the_submission_of_many_runs(schedule: nexus.Schedule) -> None:
    pressed = threading.Timer(0.1, signal.raise_signal, [signal.SIGINT])
    pressed.start()
    with pytest.raises(KeyboardInterrupt):
        schedule.run(blocking=False, times=2**40)
    pressed.join()


def test_ctrl_c_ends_the_wait_for_a_loop_without_end(
    device: nexus.Device, doubling: nexus.Schedule
) -> None:
    forever, loop = device.create_buffer((1,), "int32"), device.create_schedule()
    forever.fill(1)
    loop.create_while_command(forever, doubling)
    pressed = threading.Timer(0.1, signal.raise_signal, [signal.SIGINT])
    pressed.start()
    with device.create_stream() as stream:
        with pytest.raises(KeyboardInterrupt):
            loop.run(stream)
        assert loop.get_property_str("Status") == "Running"
        with device.create_stream() as other:
            forever.fill(0, stream=other)
        stream.synchronize(60)
    pressed.join()


def test_the_host_does_a_condition_whose_integer_is_not_aligned(device: nexus.Device) -> None:
    numbers = device.create_buffer(np.array([0, 1, 0, 0, 0, 0, 0, 0], np.uint8))
    aligned, askew = numbers[:4].view("int32"), numbers[1:5].view("int32")
    out, body = device.create_buffer((1,), "int32"), device.create_schedule()
    out.fill(0)
    body.create_fill_command(out, 5)
    replays = []
    for value in (aligned, askew):
        schedule = device.create_schedule()
        command = schedule.create_if_command(value, body)
        replays.append(command.get_property_str("Replay"))
        out.fill(0)
        schedule.run()
        assert out.numpy()[0] == 5
    assert replays == ["native", "host"]
