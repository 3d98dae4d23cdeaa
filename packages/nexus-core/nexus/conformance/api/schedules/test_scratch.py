# SPDX-License-Identifier: Apache-2.0
"""Scratch buffers of schedules: which share memory, who may use them, and for how long."""

from __future__ import annotations

import gc
import queue
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

import nexus
from nexus.conformance.api.workbench import COUNT, LONG, Obstacle, Workbench, refused, values

LARGE = 1 << 16  # elements; far more than the alignment of scratch memory
BYTES = LARGE * 4

Calls = queue.Queue[Any]


@pytest.fixture
def calls() -> Calls:
    return queue.Queue()


def scratch(schedule: nexus.Schedule, count: int = COUNT) -> nexus.Buffer:
    return schedule.create_buffer((count,), "int32")


def size_of(schedule: nexus.Schedule) -> int:
    return schedule.get_property_int("ScratchSize")


def allocated(work: Workbench) -> int:
    gc.collect()
    return work.device.get_property_int("MemoryUsed")


def chain(work: Workbench, length: int) -> tuple[nexus.Schedule, nexus.Buffer, nexus.Buffer]:
    """Creates a schedule that copies through a chain of scratch buffers; returns the ends too."""
    schedule, first, last = work.device.create_schedule(), work.ints(1, LARGE), work.ints(0, LARGE)
    before = first
    for _ in range(length):
        after = scratch(schedule, LARGE)
        work.copy(schedule, before, after)
        before = after
    work.copy(schedule, before, last)
    return schedule, first, last


# ---- Sharing memory ----


@pytest.mark.promise("scratch-shared")
def test_a_chain_of_equal_buffers_needs_two(work: Workbench) -> None:
    schedule, first, last = chain(work, 10)
    assert size_of(schedule) == 2 * BYTES
    for number in (3, 4):
        first.fill(number)
        schedule.run(timeout=LONG)
        assert values(last) == {number}
    assert size_of(schedule) == 2 * BYTES


@pytest.mark.promise("scratch-shared")
def test_those_in_use_at_the_same_time_do_not_share(work: Workbench) -> None:
    schedule, out = work.device.create_schedule(), work.ints(0, LARGE)
    parts = [scratch(schedule, LARGE) for _ in range(4)]
    for number, part in enumerate(parts):
        work.fill(schedule, part, 10**number)
    sums = [scratch(schedule, LARGE) for _ in range(2)]
    work.add(schedule, parts[0], parts[1], sums[0])
    work.add(schedule, parts[2], parts[3], sums[1])
    work.add(schedule, sums[0], sums[1], out)
    schedule.run(timeout=LONG)
    assert values(out) == {1111}
    assert size_of(schedule) == 5 * BYTES  # the second sum is where the first two parts were


@pytest.mark.promise("scratch-shared")
def test_slices_belong_to_their_buffer(work: Workbench) -> None:
    schedule, out = work.device.create_schedule(), work.ints(0, 2 * LARGE)
    whole = scratch(schedule, 2 * LARGE)
    schedule.create_fill_command(whole[:LARGE], 1)
    schedule.create_fill_command(whole[LARGE:], 2)
    schedule.create_copy_command(out, whole)
    schedule.run(timeout=LONG)
    assert np.array_equal(out.numpy(), np.repeat(np.array([1, 2], np.int32), LARGE))
    assert size_of(schedule) == 2 * BYTES


@pytest.mark.promise("scratch-shared", "order-branches")
def test_branches_share_only_what_the_other_is_done_with(work: Workbench) -> None:
    schedule, outs = work.device.create_schedule(), [work.ints(0, LARGE) for _ in range(4)]
    heads: list[nexus.Command | None] = [None, None]
    for step in range(2):
        for branch in range(2):
            buffer, number = scratch(schedule, LARGE), 2 * step + branch
            before = heads[branch]
            fill = work.fill(schedule, buffer, number, after=[before] if before else [])
            heads[branch] = work.copy(schedule, buffer, outs[number], after=[fill])
    assert size_of(schedule) == 2 * BYTES  # one for each branch
    for _ in range(3):
        schedule.run(timeout=LONG)
        assert [values(each) for each in outs] == [{0}, {1}, {2}, {3}]


@pytest.mark.promise("scratch-shared", "nest-order")
def test_a_nested_schedule_has_its_own(work: Workbench) -> None:
    inner, first, last = chain(work, 3)
    outer = work.device.create_schedule()
    mine, out = scratch(outer, LARGE), work.ints(0, LARGE)
    work.copy(outer, first, mine)
    outer.create_schedule_command(inner)
    outer.create_schedule_command(inner)
    work.add(outer, mine, last, out)
    assert (size_of(inner), size_of(outer)) == (2 * BYTES, BYTES)
    for number in (1, 5):
        first.fill(number)
        outer.run(timeout=LONG)
        inner.run(timeout=LONG)
        assert values(out) == {2 * number}


# ---- Its place and time ----


@pytest.mark.promise("scratch-memory")
def test_memory_is_allocated_by_the_first_run_and_freed_by_close(work: Workbench) -> None:
    schedule, first, last = chain(work, 4)
    before = allocated(work)
    schedule.run(timeout=LONG)
    assert allocated(work) - before == 2 * BYTES
    schedule.run(timeout=LONG)
    assert allocated(work) - before == 2 * BYTES
    del first, last
    buffers = scratch(schedule)
    schedule.close()
    assert allocated(work) <= before
    assert buffers.shape == (COUNT,)


@pytest.mark.promise("scratch-memory")
def test_prepare_allocates_it(work: Workbench) -> None:
    schedule, first, last = chain(work, 2)
    before = allocated(work)
    schedule.prepare()
    assert allocated(work) - before == 2 * BYTES
    schedule.run(timeout=LONG)
    assert values(last) == values(first)


@pytest.mark.promise("scratch-memory")
def test_later_commands_get_more(work: Workbench) -> None:
    schedule, out = work.device.create_schedule(), work.ints(0, LARGE)
    one, other = scratch(schedule, LARGE), scratch(schedule, LARGE)
    work.fill(schedule, one, 3)
    schedule.run(timeout=LONG)
    assert size_of(schedule) == BYTES
    work.fill(schedule, other, 4)
    work.add(schedule, one, other, out)
    for _ in range(2):
        schedule.run(timeout=LONG)
        assert values(out) == {7}
    assert size_of(schedule) == 2 * BYTES
    for command in schedule.get_commands()[1:]:
        command.remove()
    work.copy(schedule, one, out)
    schedule.run(timeout=LONG)
    assert (values(out), size_of(schedule)) == ({3}, BYTES)


@pytest.mark.promise("scratch-memory")
def test_an_address_stays_while_it_can(work: Workbench, calls: Calls) -> None:
    schedule, out = work.device.create_schedule(), work.ints()
    buffer = scratch(schedule)

    def note(noted: nexus.Buffer) -> None:
        try:
            calls.put(noted.get_property_int("NativeHandle"))
        except nexus.PropertyNotFoundError:
            calls.put(None)

    work.fill(schedule, buffer, 1)
    schedule.create_host_command(note, buffer)
    for _ in range(3):
        schedule.run(timeout=LONG)
        work.fill(schedule, scratch(schedule, LARGE), 2)
    work.copy(schedule, buffer, out)
    schedule.run(timeout=LONG)
    assert values(out) == {1}
    assert len({calls.get_nowait() for _ in range(4)}) == 1


@pytest.mark.promise("scratch-memory")
def test_a_use_that_is_added_moves_what_shared(work: Workbench) -> None:
    schedule, outs = work.device.create_schedule(), [work.ints(0, LARGE) for _ in range(2)]
    one, other = scratch(schedule, LARGE), scratch(schedule, LARGE)
    work.fill(schedule, one, 1)
    work.fill(schedule, other, 2)
    work.copy(schedule, other, outs[1])
    schedule.run(timeout=LONG)
    assert size_of(schedule) == BYTES
    work.copy(schedule, one, outs[0])
    schedule.run(timeout=LONG)
    assert [values(each) for each in outs] == [{1}, {2}]


# ---- Changes and held runs ----


@pytest.mark.promise("scratch-memory", "edit-rebind")
def test_commands_change_between_scratch_and_ordinary_buffers(work: Workbench) -> None:
    schedule, out, ordinary = work.device.create_schedule(), work.ints(), work.ints(9)
    one, other = scratch(schedule), scratch(schedule)
    fill = schedule.create_fill_command(one, 1)
    kernel = work.copy(schedule, one, other)
    copy = schedule.create_copy_command(out, other)
    seen: list[int | None] = []
    changes: list[tuple[Callable[[], None], int | None]] = [
        (lambda: None, 1),
        (lambda: kernel.set_arg(0, ordinary), 9),
        (lambda: fill.set_buffer(0, ordinary), 1),
        (lambda: kernel.set_arg(0, one), None),
        (lambda: fill.set_buffer(0, one), 1),
        (lambda: copy.set_buffer(1, ordinary), 1),
        (lambda: copy.set_buffer(1, other), 1),
    ]
    for change, number in changes:
        change()
        schedule.run(timeout=LONG)
        if number is not None:
            assert values(out) == {number}, seen
        seen.append(number)


@pytest.mark.promise("scratch-memory", "replay-snapshot")
def test_a_held_run_keeps_what_it_began_with(obstacle: Obstacle) -> None:
    work = obstacle.work
    schedule, outs = work.device.create_schedule(), [work.ints(0, LARGE) for _ in range(2)]
    one, other = scratch(schedule, LARGE), scratch(schedule, LARGE)
    work.fill(schedule, one, 1)
    copy = work.copy(schedule, one, outs[0])
    work.fill(schedule, other, 2)
    second = work.copy(schedule, other, outs[1])
    stream = work.device.create_stream()
    with obstacle.before(stream) as release:
        schedule.run(stream, blocking=False)
        copy.set_arg(1, outs[1])
        second.set_arg(0, one)
        second.set_arg(1, outs[0])
        schedule.run(stream, blocking=False)
        release()
        stream.synchronize(LONG)
    assert [values(each) for each in outs] == [{1}, {1}]


@pytest.mark.promise("scratch-memory")
def test_a_closed_schedule_keeps_it_until_its_runs_are_done(obstacle: Obstacle) -> None:
    work = obstacle.work
    schedule, first, last = chain(work, 3)
    stream = work.device.create_stream()
    first.fill(6)
    with obstacle.before(stream) as release:
        schedule.run(stream, blocking=False)
        schedule.close()
        release()
        stream.synchronize(LONG)
    assert values(last) == {6}


# ---- Who may use it ----


@pytest.mark.promise("scratch-use")
def test_a_host_function_reads_and_writes_what_it_is_given(work: Workbench, calls: Calls) -> None:
    schedule, out = work.device.create_schedule(), work.ints(0, LARGE)
    one, other, late = (scratch(schedule, LARGE) for _ in range(3))

    def work_on(read: nexus.Buffer, written: nexus.Buffer) -> None:
        calls.put((values(read), values(read[COUNT : 2 * COUNT])))
        written.copy_from(np.full(LARGE, 8, np.int32))
        written[:COUNT].fill(8)

    work.fill(schedule, one, 5)
    work.fill(schedule, late, 6)
    work.copy(schedule, late, out)
    schedule.create_host_command(work_on, one, other)
    work.copy(schedule, other, out)
    for _ in range(2):
        schedule.run(timeout=LONG)
        assert calls.get_nowait() == ({5}, {5})
        assert values(out) == {8}
    assert size_of(schedule) == 2 * BYTES


@pytest.mark.promise("scratch-use")
def test_a_host_function_does_not_use_what_it_is_not_given(work: Workbench, calls: Calls) -> None:
    schedule, stream = work.device.create_schedule(), work.device.create_stream()
    buffer = scratch(schedule)
    work.fill(schedule, buffer, 5)

    def read() -> None:
        calls.put(refused(buffer.numpy).status)

    schedule.create_host_command(read)
    schedule.run(stream, timeout=LONG)
    assert calls.get_nowait() == nexus.status.NXS_InvalidOperation


@pytest.mark.promise("scratch-use")
def test_it_is_not_used_outside_of_its_schedule(work: Workbench) -> None:
    schedule, other = work.device.create_schedule(), work.device.create_schedule()
    buffer, out, array = scratch(schedule), work.ints(), np.zeros(COUNT, np.int32)
    name = schedule.get_property_str("Name")
    add = work.copy(other, out, work.ints())
    outer = work.device.create_schedule()
    outer.create_schedule_command(schedule)
    for ran in (False, True):
        if ran:
            work.fill(schedule, buffer, 1)
            schedule.run(timeout=LONG)
        for use in (
            buffer.numpy,
            lambda: buffer.fill(0),
            lambda: buffer.copy_from(array),
            lambda: out.copy_from(buffer),
            lambda: buffer.copy(array),
            lambda: buffer[:4].numpy(),
            lambda: work.device.copy_buffer(buffer),
            lambda: buffer.native_handle,
            lambda: add.set_arg(0, buffer),
            lambda: other.create_fill_command(buffer, 1),
            lambda: other.create_copy_command(buffer, out),
            lambda: other.create_host_command(print, buffer),
            lambda: outer.create_copy_command(array, buffer),
        ):
            error = refused(use)
            assert error.status == nexus.status.NXS_InvalidOperation
            assert f"scratch memory of {name}" in str(error)
    assert len(other.get_commands()) == 1
    assert values(out) == {0}


@pytest.mark.promise("scratch-use")
def test_no_array_shares_its_memory(work: Workbench, calls: Calls) -> None:
    schedule = work.device.create_schedule()
    buffer = scratch(schedule)

    def share(shared: nexus.Buffer) -> None:
        for use in (memoryview, np.asarray, np.from_dlpack):
            with pytest.raises((nexus.NexusError, BufferError), match="scratch memory"):
                use(shared)
            calls.put(use)

    share(buffer)
    work.fill(schedule, buffer, 1)
    schedule.create_host_command(share, buffer)
    schedule.run(timeout=LONG)
    assert calls.qsize() == 6


@pytest.mark.promise("scratch-use")
def test_copies_with_arrays_use_it(work: Workbench) -> None:
    schedule = work.device.create_schedule()
    source, result = np.arange(LARGE, dtype=np.int32), np.zeros(LARGE, np.int32)
    one, other = scratch(schedule, LARGE), scratch(schedule, LARGE)
    schedule.create_copy_command(one, source)
    work.add(schedule, one, one, other)
    schedule.create_copy_command(result, other)
    for _ in range(2):
        schedule.run(timeout=LONG)
        assert np.array_equal(result, source * 2)
        source += 1


@pytest.mark.promise("scratch-use")
def test_mistakes_are_refused_when_the_command_is_made(work: Workbench) -> None:
    schedule = work.device.create_schedule()
    buffer = scratch(schedule)
    statuses = [
        refused(partial(schedule.create_copy_command, buffer[1:9], buffer[:8])).status,
        refused(partial(schedule.create_copy_command, work.ints(count=COUNT + 1), buffer)).status,
        refused(
            partial(schedule.create_command, work.kernel("fill_i32"), [buffer], None, 1)
        ).status,
    ]
    assert statuses == [
        nexus.status.NXS_MemCopyOverlap,
        nexus.status.NXS_InvalidValue,
        nexus.status.NXS_InvalidKernelArgs,
    ]
    assert list(schedule.get_commands()) == []
    schedule.run(timeout=LONG)
    assert size_of(schedule) == 0


@pytest.mark.promise("scratch-use")
def test_an_empty_one_is_used_like_others(work: Workbench) -> None:
    schedule, out = work.device.create_schedule(), work.ints()
    empty = schedule.create_buffer((0,), "int32")
    schedule.create_fill_command(empty, 1)
    work.fill(schedule, out, 2)
    schedule.run(timeout=LONG)
    assert values(out) == {2}


@pytest.mark.promise("scratch-use")
def test_a_closed_schedule_makes_none(work: Workbench) -> None:
    schedule = work.device.create_schedule()
    schedule.close()
    assert refused(lambda: scratch(schedule)).status == nexus.status.NXS_InvalidSchedule
