# SPDX-License-Identifier: Apache-2.0
"""Order: in a stream, in a schedule, and of host calls."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import nexus
from nexus.conformance.api.workbench import COUNT, LONG, Obstacle, Workbench, values

OLD, NEW, OTHER = 1, 2, 3

# ---- In a stream, in a schedule ----


@pytest.mark.promise("order-stream")
def test_work_of_one_stream_runs_in_its_order(obstacle: Obstacle) -> None:
    work, rounds = obstacle.work, 20
    stream = work.device.create_stream()
    number, results = work.ints(), [work.ints() for _ in range(rounds)]
    host = np.zeros((rounds, COUNT), np.int32)
    with obstacle.before(stream) as release:
        for i in range(rounds):
            number.fill(i, stream=stream, blocking=False)
            work.copying(number, results[i]).run(stream, blocking=False)
            number.copy_from(np.full(COUNT, -1, np.int32), stream=stream, blocking=False)
            results[i].copy(host[i], stream=stream, blocking=False)
        release()
        stream.synchronize(LONG)
    assert (host == np.arange(rounds)[:, None]).all()


@pytest.mark.promise("order-stream")
def test_a_kernel_sees_the_one_before_it_though_that_takes_long(work: Workbench) -> None:
    out = work.device.create_buffer(np.zeros(1, np.uint32))
    result = work.device.create_buffer(np.zeros(1, np.uint32))
    stream = work.device.create_stream()
    work.spinning(out).run(stream, blocking=False)
    result.copy_from(out, stream=stream, blocking=False)
    stream.synchronize(LONG)
    assert result.numpy()[0] == out.numpy()[0] != 0


@pytest.mark.promise("order-schedule")
def test_commands_of_a_schedule_run_in_their_order(work: Workbench) -> None:
    schedule = work.device.create_schedule()
    steps = [work.ints() for _ in range(30)]
    for before, after in itertools.pairwise(steps):
        work.add(schedule, before, work.ints(1), after)
    schedule.run(timeout=LONG)
    assert [values(each) for each in steps] == [{i} for i in range(30)]


@pytest.mark.promise("order-schedule")
def test_commands_of_all_kinds_see_those_before_them(work: Workbench) -> None:
    number, copied, added = work.ints(), work.ints(), work.ints()
    schedule = work.device.create_schedule()
    schedule.create_fill_command(number, 5)
    schedule.create_copy_command(copied, number)
    work.add(schedule, number, copied, added)
    schedule.create_fill_command(copied, 6)
    schedule.create_copy_command(number, added)
    for _ in range(3):
        schedule.run(timeout=LONG)
        assert [values(each) for each in (number, copied, added)] == [{10}, {6}, {10}]


@pytest.mark.promise("order-default-stream")
def test_the_default_stream_is_one_object_and_ordered(obstacle: Obstacle) -> None:
    device = obstacle.work.device
    number, copied = obstacle.work.ints(), obstacle.work.ints()
    with obstacle.before(device.default_stream) as release:
        obstacle.work.filling(number, 4).run(blocking=False)
        obstacle.work.copying(number, copied).run(device.default_stream, blocking=False)
        release()
        device.default_stream.synchronize(LONG)
    assert device.default_stream is device.default_stream
    assert values(copied) == {4}


@pytest.mark.promise("order-default-stream")
def test_the_default_stream_waits_for_no_other(work: Workbench) -> None:
    waiting, go, number = work.device.create_stream(), work.device.create_event(), work.ints()
    waiting.wait(go, 1)
    work.filling(number, 1).run(timeout=LONG)
    assert not waiting.is_idle
    go.signal(1)
    waiting.synchronize(LONG)
    assert values(number) == {1}


@pytest.mark.promise("order-nonblocking")
def test_a_call_that_does_not_block_returns_before_the_work(work: Workbench) -> None:
    stream, go = work.device.create_stream(), work.device.create_event()
    number = work.ints(OLD)
    stream.wait(go, 1)
    work.filling(number, NEW).run(stream, blocking=False)
    number.copy(np.zeros(COUNT, np.int32), stream=stream, blocking=False)
    number.copy_from(np.full(COUNT, OTHER, np.int32), stream=stream, blocking=False)
    number.copy_from(work.ints(4), stream=stream, blocking=False)
    number.fill(5, stream=stream, blocking=False)
    idle_before = stream.is_idle
    go.signal(1)
    stream.synchronize(LONG)
    assert (idle_before, stream.is_idle) == (False, True)
    assert values(number) == {5}


@pytest.mark.promise("order-nonblocking")
def test_a_blocking_run_returns_after_the_work(work: Workbench) -> None:
    out = work.device.create_buffer(np.zeros(1, np.uint32))
    spinning, stream = work.spinning(out), work.device.create_stream()
    host = np.zeros(1, np.uint32)
    spinning.run(stream, timeout=LONG)
    out.copy(host, stream=work.device.create_stream())  # ordered after the run's end only
    assert host[0] == out.numpy()[0] != 0
    assert stream.is_idle


# ---- Calls of the host ----


def copy_to_host(buffer: nexus.Buffer) -> Any:
    host = np.zeros(COUNT, np.int32)
    buffer.copy(host)
    return host


def copy_of_buffer(buffer: nexus.Buffer) -> Any:
    assert buffer.device
    return buffer.device.copy_buffer(buffer).numpy()


READS: dict[str, Callable[[nexus.Buffer], Any]] = {
    "numpy": lambda buffer: buffer.numpy(),
    "copy": copy_to_host,
    "copy_buffer": copy_of_buffer,
    "slice": lambda buffer: buffer[: COUNT // 2].numpy(),
}


def behind_running_work(work: Workbench, buffer: nexus.Buffer) -> nexus.Stream:
    """Runs long work in its own stream, then sets the buffer to NEW."""
    stream = work.device.create_stream()
    work.spinning().run(stream, blocking=False)
    work.filling(buffer, NEW).run(stream, blocking=False)
    return stream


@pytest.mark.promise("order-copy", "share-slice")
@pytest.mark.parametrize("read", READS)
def test_what_the_host_reads_is_what_the_work_wrote(work: Workbench, read: str) -> None:
    buffer = work.ints(OLD)
    stream = behind_running_work(work, buffer)
    assert set(READS[read](buffer).tolist()) == {NEW}
    stream.synchronize(LONG)


def fill_by_slices(buffer: nexus.Buffer) -> None:
    buffer[:4].fill(OTHER)
    buffer[4:].fill(OTHER)


WRITES: dict[str, Callable[[nexus.Buffer], None]] = {
    "copy_from": lambda buffer: buffer.copy_from(np.full(COUNT, OTHER, np.int32)),
    "fill": lambda buffer: buffer.fill(OTHER),
    "slices": fill_by_slices,
}


@pytest.mark.promise("order-copy")
@pytest.mark.parametrize("write", WRITES)
def test_what_the_host_writes_stays(work: Workbench, write: str) -> None:
    buffer = work.ints(OLD)
    stream = behind_running_work(work, buffer)
    WRITES[write](buffer)
    stream.synchronize(LONG)
    assert values(buffer) == {OTHER}


@pytest.mark.promise("order-copy")
def test_calls_that_do_not_block_come_after_the_work_too(work: Workbench) -> None:
    buffer = work.ints(OLD)
    first, second = np.zeros(COUNT, np.int32), np.zeros(COUNT, np.int32)
    behind = behind_running_work(work, buffer)
    buffer.copy(first, blocking=False)
    buffer.fill(OTHER, blocking=False)
    buffer.copy(second, blocking=False)
    buffer.copy_from(np.full(COUNT, 4, np.int32), blocking=False)
    work.device.synchronize(LONG)
    assert behind.is_idle
    assert (set(first.tolist()), set(second.tolist())) == ({NEW}, {OTHER})
    assert values(buffer) == {4}


@pytest.mark.promise("order-copy")
def test_a_copy_in_a_stream_is_ordered_in_that_stream_only(work: Workbench) -> None:
    buffer, host = work.ints(OLD), np.zeros(COUNT, np.int32)
    held, go = work.device.create_stream(), work.device.create_event()
    held.wait(go, 1)
    work.filling(buffer, NEW).run(held, blocking=False)
    buffer.copy(host, stream=work.device.create_stream())  # must not wait for the other stream
    go.signal(1)
    held.synchronize(LONG)
    assert set(host.tolist()) == {OLD}
