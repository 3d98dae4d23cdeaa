# SPDX-License-Identifier: Apache-2.0
"""Order within and between queues, and in schedules, beyond the conformance suite."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from conftest import HOW_TO_GET, devices, run_python

import nexus

COUNT = 256
LONG = 30.0  # seconds
SOURCE = b"""
__kernel void add(__global int *values, int more) { values[get_global_id(0)] += more; }
__kernel void gate(volatile __global int *gate) {
  gate[0] = 1;
  for (long i = 0; i < 20000000000L && !gate[1]; ++i) {}
}
"""


def adding(device: nexus.Device, values: nexus.Buffer, *amounts: int) -> nexus.Schedule:
    """Returns a schedule with one command for each amount."""
    schedule = device.create_schedule()
    kernel = device.load_library(SOURCE).get_kernel("add")
    for amount in amounts:
        schedule.create_command(kernel, (values, np.int32(amount)), 64, COUNT)
    return schedule


def zeros(device: nexus.Device) -> nexus.Buffer:
    """Makes a buffer of the kernels' size."""
    return device.create_buffer(np.zeros(COUNT, np.int32))


def test_many_commands_run_many_times_in_many_streams(device: nexus.Device) -> None:
    values = zeros(device)
    schedule = adding(device, values, 1, 2, 3)
    streams = [device.create_stream() for _ in range(3)]
    for stream in streams * 20:
        schedule.run(stream, blocking=False)
    for stream in streams:
        stream.synchronize(LONG)
    assert set(values.numpy().tolist()) == {360}


def test_a_recorded_run_takes_an_argument_that_changed(device: nexus.Device) -> None:
    first, second = zeros(device), zeros(device)
    schedule = adding(device, first, 1, 2)
    for _ in range(3):  # the second run records the commands
        schedule.run(timeout=LONG)
    for command in schedule.get_commands():
        command.set_buffer(0, second)
    for _ in range(2):
        schedule.run(timeout=LONG)
    assert (set(first.numpy().tolist()), set(second.numpy().tolist())) == ({9}, {6})


def test_a_wait_for_one_stream_ends_while_another_is_busy(device: nexus.Device) -> None:
    gate = device.create_buffer(np.zeros(2, np.int32))
    flags = np.asarray(gate)
    schedule = device.create_schedule()
    schedule.create_command(device.load_library(SOURCE).get_kernel("gate"), (gate,), 1, 1)
    busy, other = device.create_stream(), device.create_stream()
    schedule.run(busy, blocking=False)
    while not flags[0]:
        pass
    try:
        adding(device, zeros(device), 1).run(other, timeout=LONG)
        assert not busy.is_idle
    finally:
        flags[1] = 1
        busy.synchronize(LONG)


def test_streams_of_two_platforms_wait_for_each_other() -> None:
    if len(devices()) < 2:
        pytest.skip(HOW_TO_GET)
    sides = []
    for device in devices()[:2]:
        values = zeros(device)
        sides.append((device.create_stream(), adding(device, values, 1), values))
    for (stream, schedule, _), (other, _, _) in itertools.islice(
        itertools.cycle([(sides[0], sides[1]), (sides[1], sides[0])]), 40
    ):
        schedule.run(stream, blocking=False)
        other.wait(stream)
    for stream, _, values in sides:
        stream.synchronize(LONG)
        assert set(values.numpy().tolist()) == {20}


def test_command_buffers_do_what_single_commands_do() -> None:
    if not devices():
        pytest.skip(HOW_TO_GET)
    tests = "many_commands or argument_that_changed"
    run_python("-m", "pytest", "-q", "-p", "no:cacheprovider", __file__, "-k", tests,
               environment={"NEXUS_OPENCL_COMMAND_BUFFERS": "1"})  # fmt: skip
