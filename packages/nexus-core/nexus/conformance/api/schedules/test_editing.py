# SPDX-License-Identifier: Apache-2.0
"""Changes of a schedule between runs: other buffers for copies and fills, commands that are
disabled or removed. And copies from and to arrays in host memory."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from functools import partial

import numpy as np
import pytest

import nexus
from nexus.conformance.api.workbench import (
    COUNT,
    LONG,
    Obstacle,
    Workbench,
    assert_released,
    refused,
    values,
)  # fmt: skip

CUTS = pytest.mark.parametrize("cut", [False, True], ids=["in one piece", "with a signal within"])


def recording(work: Workbench, cut: bool = False) -> nexus.Schedule:
    """Makes a schedule that begins with a signal if cut."""
    schedule = work.device.create_schedule()
    if cut:
        schedule.create_signal_command(work.device.create_event())
    return schedule


# ---- Other buffers and patterns ----


@pytest.mark.promise("edit-rebind")
@CUTS
def test_a_copy_gets_other_buffers(work: Workbench, cut: bool) -> None:
    sources, results = [work.ints(i + 1) for i in range(3)], [work.ints() for _ in range(3)]
    schedule = recording(work, cut)
    copy = schedule.create_copy_command(results[0], sources[0])
    twice = work.ints()
    work.add(schedule, results[0], results[0], twice)
    schedule.run(timeout=LONG)
    copy.set_buffer(1, sources[1])
    schedule.run(timeout=LONG)
    assert (values(results[0]), values(twice)) == ({2}, {4})
    copy.set_buffer(0, results[1])
    copy.set_buffer(1, sources[2])
    copy.set_buffer(0, results[2])
    schedule.prepare()
    schedule.run(timeout=LONG)
    assert [values(each) for each in results] == [{2}, {0}, {3}]
    assert values(twice) == {4}


@pytest.mark.promise("edit-rebind")
def test_a_copy_gets_slices(work: Workbench) -> None:
    whole, out = work.device.create_buffer(np.arange(64, dtype=np.int32)), work.ints()
    schedule = recording(work)
    copy = schedule.create_copy_command(out, whole[:COUNT])
    for start in (32, 16, 48):
        copy.set_buffer(1, whole[start : start + COUNT])
        schedule.run(timeout=LONG)
        assert out.numpy().tolist() == list(range(start, start + COUNT))


@pytest.mark.promise("edit-rebind")
@CUTS
def test_a_fill_gets_another_buffer_and_value(work: Workbench, cut: bool) -> None:
    results = [work.ints(), work.ints(count=COUNT * 5)]
    schedule = recording(work, cut)
    fill = schedule.create_fill_command(results[0], 1)
    schedule.run(timeout=LONG)
    fill.set_arg(1, -2)
    schedule.run(timeout=LONG)
    assert values(results[0]) == {-2}
    fill.set_buffer(0, results[1])
    fill.set_arg(1, 3)
    schedule.run(timeout=LONG)
    assert [values(each) for each in results] == [{-2}, {3}]
    fill.set_arg(0, results[0])
    fill.set_arg(1, 7, dtype="uint8")
    schedule.run(timeout=LONG)
    assert values(results[0]) == {0x07070707}


@pytest.mark.promise("edit-rebind", "replay-snapshot")
@CUTS
def test_a_run_uses_the_buffers_of_its_submission(obstacle: Obstacle, cut: bool) -> None:
    work = obstacle.work
    stream, results = work.device.create_stream(), [work.ints() for _ in range(4)]
    source, copied = work.ints(), [work.ints() for _ in range(4)]
    schedule = recording(work, cut)
    kernel = work.fill(schedule, source, 0)
    copy = schedule.create_copy_command(copied[0], source)
    fill = schedule.create_fill_command(results[0], 0)
    with obstacle.before(stream) as release:
        for i in range(4):
            kernel.set_arg(1, np.int32(10 * i))
            copy.set_buffer(0, copied[i])
            fill.set_buffer(0, results[i])
            fill.set_arg(1, i + 1)
            if i % 2:
                kernel.set_arg(1, np.int32(10 * i + 1))
            schedule.run(stream, blocking=False)
        release()
        stream.synchronize(LONG)
    assert [values(each) for each in results] == [{1}, {2}, {3}, {4}]
    assert [values(each) for each in copied] == [{0}, {11}, {20}, {31}]


@pytest.mark.promise("edit-rebind", "replay-resubmit")
def test_runs_do_not_overlap_when_commands_change_between_them(work: Workbench) -> None:
    counter, unused = work.ints(count=256), [work.ints() for _ in range(2)]
    schedule = work.counting(counter)
    fill = schedule.create_fill_command(unused[0], 1)
    streams = [work.device.create_stream() for _ in range(3)]
    for i in range(60):
        if i % 3 == 0:
            fill.set_buffer(0, unused[i % 2])
        elif i % 7 == 0:
            fill.enabled = not fill.enabled
        schedule.run(streams[i % 3], blocking=False)
    for stream in streams:
        stream.synchronize(LONG)
    assert values(counter) == {60}


@pytest.mark.promise("edit-rebind", "nest-order")
@CUTS
def test_a_nested_copy_gets_other_buffers(work: Workbench, cut: bool) -> None:
    one, two, out = work.ints(1), work.ints(2), work.ints()
    inner, outer = recording(work, cut), work.device.create_schedule()
    copy = inner.create_copy_command(out, one)
    outer.create_schedule_command(inner)
    outer.run(timeout=LONG)
    copy.set_buffer(1, two)
    outer.run(timeout=LONG)
    assert values(out) == {2}
    assert inner.get_property_int("RunCount") == 2


@pytest.mark.promise("edit-rebind", "life-keep")
def test_a_former_buffer_is_kept_only_as_long_as_runs_use_it(work: Workbench) -> None:
    before = work.live("buffers")
    out = work.ints()
    schedule = recording(work)
    copy = schedule.create_copy_command(out, work.ints(1))
    stream, go = work.device.create_stream(), work.device.create_event()
    stream.wait(go, 1)
    schedule.run(stream, blocking=False)
    copy.set_buffer(1, work.ints(2))
    go.signal(1)
    stream.synchronize(LONG)
    assert values(out) == {1}
    schedule.run(timeout=LONG)
    assert values(out) == {2}
    del out, schedule, copy
    assert work.live("buffers") == before


Mistake = Callable[[Workbench, nexus.Command, nexus.Command], object]
MISTAKES: dict[str, tuple[Mistake, str, str]] = {
    "size": (lambda w, copy, fill: copy.set_buffer(1, w.ints(count=1)), "InvalidValue", "4 bytes"),
    "index of a copy": (
        lambda w, copy, fill: copy.set_buffer(2, w.ints()), "InvalidArgIndex", "index is 2"),
    "index of a fill": (
        lambda w, copy, fill: fill.set_buffer(1, w.ints()), "InvalidArgIndex", "index is 1"),
    "index of a pattern": (
        lambda w, copy, fill: fill.set_arg(0, 1), "InvalidArgIndex", "index is 0"),
    "value of a copy": (
        lambda w, copy, fill: copy.set_arg(1, 1), "InvalidOperation", "no kernel"),
    "size of a pattern": (
        lambda w, copy, fill: fill.set_buffer(0, w.device.create_buffer(6)), "InvalidValue", "6"),
}  # fmt: skip


@pytest.mark.promise("edit-rebind", "failure-at-once")
@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_changes_nothing(work: Workbench, mistake: str) -> None:
    source, out, filled = work.ints(1), work.ints(), work.ints()
    schedule = recording(work)
    copy = schedule.create_copy_command(out, source)
    fill = schedule.create_fill_command(filled, 2)
    call, status, words = MISTAKES[mistake]
    error = refused(lambda: call(work, copy, fill))
    assert error.status == getattr(nexus.status, f"NXS_{status}")
    assert words in str(error)
    schedule.run(timeout=LONG)
    assert (values(out), values(filled)) == ({1}, {2})


@pytest.mark.promise("edit-rebind", "failure-at-once")
def test_a_copy_onto_itself_is_refused(work: Workbench) -> None:
    whole, out = work.ints(1, COUNT * 2), work.ints()
    schedule = recording(work)
    copy = schedule.create_copy_command(out, whole[:COUNT])
    for part in (whole[:COUNT], whole[1 : COUNT + 1]):
        error = refused(partial(copy.set_buffer, 0, part))
        assert error.status == nexus.status.NXS_MemCopyOverlap
    copy.set_buffer(0, whole[COUNT:])
    schedule.run(timeout=LONG)


# ---- Commands that are not enabled ----


@pytest.mark.promise("edit-enabled")
@CUTS
def test_a_disabled_command_does_nothing_and_the_others_keep_their_order(
    work: Workbench, cut: bool
) -> None:
    x, y, one = work.ints(), work.ints(), work.ints(1)
    schedule = recording(work, cut)
    commands = [
        schedule.create_fill_command(x, 5),
        work.add(schedule, x, one, y),
        schedule.create_copy_command(x, y),
        work.add(schedule, x, x, y),
    ]
    assert all(each.enabled for each in commands)
    for off, expected in (
        ((), 12), ((0,), 14), ((1,), 10), ((2,), 10), ((3,), 6), ((0, 1, 2), 12), ((), 12),
        ((0, 1, 2, 3), 12), ((1, 2), 10), ((), 12),
    ):  # fmt: skip
        for i, each in enumerate(commands):
            each.enabled = i not in off
        y.fill(6)
        if off == (1,):
            y.fill(5)
        if off == (0, 1, 2, 3):
            y.fill(12)
        schedule.run(timeout=LONG)
        assert values(y) == {expected}
    assert [each.enabled for each in commands] == [True] * 4


@pytest.mark.promise("edit-enabled")
def test_signals_waits_and_nested_schedules_are_disabled_too(work: Workbench) -> None:
    event, never, number = work.device.create_event(), work.device.create_event(), work.ints()
    inner = work.counting(number)
    schedule = work.device.create_schedule()
    commands = [
        schedule.create_wait_command(never),
        schedule.create_signal_command(event, 10),
        schedule.create_schedule_command(inner),
    ]
    for each in commands:
        each.enabled = False
    schedule.run(timeout=LONG)
    assert (event.value, values(number), inner.get_property_int("RunCount")) == (0, {0}, 0)
    commands[1].enabled = commands[2].enabled = True
    schedule.run(timeout=LONG)
    assert (event.value, values(number), inner.get_property_int("RunCount")) == (11, {1}, 1)


@pytest.mark.promise("edit-enabled", "replay-snapshot")
@CUTS
def test_runs_in_flight_keep_what_was_enabled(obstacle: Obstacle, cut: bool) -> None:
    work = obstacle.work
    stream, results = work.device.create_stream(), [work.ints() for _ in range(4)]
    schedule = recording(work, cut)
    commands = [work.fill(schedule, each, i + 1) for i, each in enumerate(results)]
    with obstacle.before(stream) as release:
        for each in commands:
            each.enabled = False
        for i, each in enumerate(commands):
            each.enabled = True
            schedule.run(stream, blocking=False)
            each.enabled = False
            results[i].fill(0, stream=stream, blocking=False)
            if i % 2:
                each.set_arg(1, np.int32(10))
                each.enabled = True
        schedule.run(stream, blocking=False)
        release()
        stream.synchronize(LONG)
    assert [values(each) for each in results] == [{0}, {10}, {0}, {10}]


@pytest.mark.promise("edit-enabled")
def test_a_disabled_kernel_takes_arguments_and_a_launch(work: Workbench) -> None:
    number = work.ints()
    schedule = work.device.create_schedule()
    command = work.fill(schedule, number, 1)
    command.enabled = False
    schedule.run(timeout=LONG)
    command.set_arg(1, np.int32(2))
    command.finalize(1, COUNT)
    assert command.group_size == (1, 1, 1)
    schedule.run(timeout=LONG)
    assert values(number) == {0}
    command.enabled = True
    schedule.run(timeout=LONG)
    assert values(number) == {2}
    command.enabled = False
    command.finalize(1, 1)
    command.set_arg(1, np.int32(3))
    command.enabled = True
    schedule.run(timeout=LONG)
    assert values(number) == {2, 3}


@pytest.mark.promise("edit-enabled", "edit-rebind")
def test_a_disabled_copy_gets_other_buffers(work: Workbench) -> None:
    out = work.ints()
    schedule = work.device.create_schedule()
    copy = schedule.create_copy_command(out, work.ints(1))
    copy.enabled = False
    copy.set_buffer(1, work.ints(2))
    schedule.run(timeout=LONG)
    assert values(out) == {0}
    copy.enabled = True
    schedule.run(timeout=LONG)
    assert values(out) == {2}


# ---- Removing ----

KINDS: dict[str, Callable[[Workbench, nexus.Schedule, nexus.Buffer], nexus.Command]] = {
    "kernel": lambda work, schedule, out: work.fill(schedule, out, 9),
    "not finalized": lambda work, schedule, out: schedule.create_command(work.kernel("fill_i32")),
    "copy": lambda work, schedule, out: schedule.create_copy_command(out, work.ints(9)),
    "fill": lambda work, schedule, out: schedule.create_fill_command(out, 9),
    "signal": lambda work, schedule, out: schedule.create_signal_command(
        work.device.create_event()
    ),
    "wait": lambda work, schedule, out: schedule.create_wait_command(work.device.create_event()),
    "schedule": lambda work, schedule, out: schedule.create_schedule_command(work.filling(out, 9)),
    "array": lambda work, schedule, out: schedule.create_copy_command(
        out, np.full(COUNT, 9, np.int32)
    ),
}


@pytest.mark.promise("edit-remove")
@pytest.mark.parametrize("kind", KINDS)
def test_a_removed_command_is_as_if_it_had_not_been_added(work: Workbench, kind: str) -> None:
    before = work.live("buffers"), work.live("schedules")
    first, last, out = work.ints(), work.ints(), work.ints()
    schedule = work.device.create_schedule()
    kept = [work.fill(schedule, first, 1)]
    command = KINDS[kind](work, schedule, out)
    kept.append(work.copy(schedule, first, last))
    if kind not in ("wait", "not finalized"):
        schedule.run(timeout=LONG)
        kept[0].set_arg(1, np.int32(2))
    command.remove()
    assert list(schedule.get_commands()) == kept
    out.fill(0)
    schedule.run(timeout=LONG)
    assert values(out) == {0}
    assert values(last) == ({1} if kind in ("wait", "not finalized") else {2})
    for call in (command.remove, lambda: command.enabled, command.get_kernel):
        assert refused(call).status == nexus.status.NXS_InvalidCommand
    work.fill(schedule, last, 3)
    schedule.run(timeout=LONG)
    assert values(last) == {3}
    del first, last, out, schedule, kept, call
    command = None  # type: ignore[assignment]
    assert (work.live("buffers"), work.live("schedules")) == before


@pytest.mark.promise("edit-remove")
@CUTS
def test_a_cleared_schedule_is_empty_and_takes_new_commands(work: Workbench, cut: bool) -> None:
    number, other = work.ints(), work.ints()
    schedule = recording(work, cut)
    commands = [make(work, schedule, number) for kind, make in KINDS.items() if kind != "wait"]
    schedule.clear()
    assert len(schedule.get_commands()) == 0
    schedule.clear()
    schedule.run(timeout=LONG)
    assert values(number) == {0}
    for each in commands:
        assert refused(each.remove).status == nexus.status.NXS_InvalidCommand
    work.fill(schedule, other, 4)
    schedule.run(timeout=LONG)
    assert (values(number), values(other)) == ({0}, {4})
    assert schedule.get_property_int("RunCount") == 2


@pytest.mark.promise("edit-remove", "replay-frozen")
@pytest.mark.parametrize("nested", [False, True])
@pytest.mark.parametrize("change", ["remove", "clear"])
def test_no_command_is_removed_in_flight(work: Workbench, change: str, nested: bool) -> None:
    stream, go, number = work.device.create_stream(), work.device.create_event(), work.ints()
    schedule = work.filling(number, 1)
    run = schedule
    if nested:
        run = work.device.create_schedule()
        run.create_schedule_command(schedule)
    call = schedule.clear if change == "clear" else schedule.get_commands()[0].remove
    stream.wait(go, 1)
    run.run(stream, blocking=False)
    error = refused(call)
    assert error.status == nexus.status.NXS_InvalidOperation
    assert "in flight" in str(error)
    go.signal(1)
    stream.synchronize(LONG)
    assert values(number) == {1}
    call()
    number.fill(0)
    run.run(timeout=LONG)
    assert values(number) == {0}


@pytest.mark.promise("edit-remove", "nest-order")
def test_what_was_removed_from_a_nested_schedule_is_not_run(work: Workbench) -> None:
    number = work.ints()
    inner, middle, outer = (work.device.create_schedule() for _ in range(3))
    inner.create_fill_command(number, 1)
    command = middle.create_schedule_command(inner)
    outer.create_schedule_command(middle)
    outer.run(timeout=LONG)
    assert values(number) == {1}
    command.remove()
    number.fill(0)
    outer.run(timeout=LONG)
    assert values(number) == {0}


@pytest.mark.promise("edit-remove", "nest-circle")
def test_a_removed_nested_schedule_makes_no_circle(work: Workbench) -> None:
    a, b = work.device.create_schedule(), work.device.create_schedule()
    commands = [a.create_schedule_command(b) for _ in range(2)]
    commands[0].remove()
    assert refused(lambda: b.create_schedule_command(a)).status == (
        nexus.status.NXS_InvalidOperation
    )
    commands[1].remove()
    b.create_schedule_command(a)
    b.run(timeout=LONG)


# ---- Arrays in host memory ----


def array(size: int, aligned: bool) -> np.ndarray:
    """Creates an array of int32, at the start of a page or a few bytes after it."""
    memory = np.zeros(4 * size + 3 * 4096, np.uint8)
    start = -memory.ctypes.data % 4096 + (0 if aligned else 4)
    return memory[start : start + 4 * size].view(np.int32)


SIZES = pytest.mark.parametrize("size", [COUNT, 100_001], ids=["small", "large"])
PLACES = pytest.mark.parametrize("aligned", [False, True], ids=["anywhere", "at a page"])


@pytest.mark.promise("edit-array")
@SIZES
@PLACES
def test_an_array_is_read_and_written_at_each_run(
    work: Workbench, size: int, aligned: bool
) -> None:
    source, result = array(size, aligned), array(size, aligned)
    number, more = work.ints(count=size), work.ints(count=size)
    schedule = work.device.create_schedule()
    schedule.create_copy_command(number, source)
    work.add(schedule, number, number, more)
    schedule.create_copy_command(result, more)
    schedule.prepare()
    for i in range(1, 4):
        source[:] = np.arange(i, size + i)
        schedule.run(timeout=LONG)
        assert np.array_equal(result, 2 * source)


@pytest.mark.promise("edit-array", "order-schedule")
@PLACES
def test_an_array_is_used_in_the_order_of_the_commands(obstacle: Obstacle, aligned: bool) -> None:
    work = obstacle.work
    through, twice = array(5000, aligned), array(5000, aligned)
    number, back = work.ints(count=5000), work.ints(count=5000)
    schedule = work.counting(number)
    schedule.create_copy_command(through, number)
    schedule.create_copy_command(back, through)
    work.counting(back)
    schedule.create_copy_command(twice, back)
    stream = work.device.create_stream()
    with obstacle.before(stream) as release:
        for _ in range(5):
            schedule.run(stream, blocking=False)
        release()
        stream.synchronize(LONG)
    assert set(through) == set(twice) == values(back) == {5}


@pytest.mark.promise("edit-array", "edit-rebind")
def test_a_copy_gets_another_array(work: Workbench) -> None:
    out, schedule = work.ints(), work.device.create_schedule()
    arrays = [np.full(COUNT, i, np.int32) for i in range(4)]
    copy = schedule.create_copy_command(out, arrays[0])
    for value, source in ((1, arrays[1]), (7, work.ints(7)), (2, arrays[2]), (0, arrays[0])):
        copy.set_buffer(1, source)
        schedule.run(timeout=LONG)
        assert values(out) == {value}
    with pytest.raises(nexus.NexusError):
        copy.set_buffer(1, np.zeros(3, np.int32))
    result = np.zeros(COUNT, np.int32)
    back = schedule.create_copy_command(result, out)
    copy.set_buffer(1, arrays[3])
    schedule.run(timeout=LONG)
    assert set(result) == {3}
    back.set_buffer(0, work.ints())
    with pytest.raises(ValueError, match="read-only"):
        back.set_buffer(0, bytes(4 * COUNT))


@pytest.mark.promise("edit-array", "life-keep")
def test_an_array_lives_as_long_as_the_schedule(work: Workbench) -> None:
    out, schedule = work.ints(), work.device.create_schedule()
    arrays = [np.full(COUNT, i, np.int32) for i in (1, 2)]
    gone = [weakref.ref(each) for each in arrays]
    commands = [schedule.create_copy_command(out, each) for each in arrays]
    del arrays
    schedule.run(timeout=LONG)
    assert values(out) == {2}
    commands[1].remove()
    del commands
    schedule.run(timeout=LONG)
    assert values(out) == {1}
    assert_released(gone[1])
    assert gone[0]() is not None
    schedule.close()
    assert_released(gone[0])


@pytest.mark.promise("edit-array")
def test_read_only_bytes_and_empty_arrays_are_sources(work: Workbench) -> None:
    out, empty = work.ints(), work.device.create_buffer((0,), dtype="int32")
    schedule = work.device.create_schedule()
    schedule.create_copy_command(out, b"\1\0\0\0" * COUNT)
    schedule.create_copy_command(empty, np.zeros(0, np.int32))
    schedule.create_copy_command(np.zeros(0, np.int32), empty)
    schedule.run(timeout=LONG)
    assert values(out) == {1}


@pytest.mark.promise("edit-array", "failure-at-once")
def test_an_array_that_does_not_fit_is_refused(work: Workbench) -> None:
    out, schedule = work.ints(), work.device.create_schedule()
    strided, fixed = np.zeros(2 * COUNT, np.int32)[::2], np.zeros(COUNT, np.int32)
    fixed.flags.writeable = False
    cases: list[tuple[Callable[[], object], type[Exception], str]] = [
        (lambda: schedule.create_copy_command(out, strided), ValueError, "src is not C-contiguous"),
        (lambda: schedule.create_copy_command(strided, out), ValueError, "dst is not C-contiguous"),
        (lambda: schedule.create_copy_command(fixed, out), ValueError, "dst is read-only"),
        (lambda: schedule.create_copy_command(out, [1]), TypeError, "src has to be a nexus.Buffer"),
        (lambda: schedule.create_copy_command(strided.copy(), fixed), TypeError, "src has to be"),
        (lambda: schedule.create_copy_command(out, fixed[:3]), nexus.NexusError, "12 bytes"),
    ]
    for call, kind, words in cases:
        with pytest.raises(kind, match=words):
            call()
    assert len(schedule.get_commands()) == 0
