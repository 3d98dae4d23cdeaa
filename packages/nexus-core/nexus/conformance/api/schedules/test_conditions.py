# SPDX-License-Identifier: Apache-2.0
"""Conditions of schedules: if, while and switch on an integer in a buffer."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import nexus
from nexus.conformance.api.workbench import LONG, SHORT, Obstacle, Workbench, refused, values

EACH: dict[str, Callable[..., nexus.Command]] = {
    "if": lambda schedule, value, body, **more: schedule.create_if_command(value, body, **more),
    "while": lambda schedule, value, body, **more: schedule.create_while_command(
        value, body, **more
    ),
    "switch": lambda schedule, value, body, **more: schedule.create_switch_command(
        value, [body], **more
    ),
}
LARGE = 1 << 16  # elements of scratch memory; far more than its alignment
RUNS = {"if": 1, "while": 1, "switch": 0}  # the integer with which it runs the schedule
each_condition = pytest.mark.parametrize("kind", EACH)


# ---- What they run ----


@pytest.mark.promise("cond-if")
@pytest.mark.parametrize(("value", "expected"), [(0, 2), (1, 1), (-1, 1)])
def test_an_if_runs_one_of_two(work: Workbench, value: int, expected: int) -> None:
    condition, out, schedule = work.ints(), work.ints(), work.device.create_schedule()
    work.fill(schedule, condition, value)
    schedule.create_if_command(condition, work.filling(out, 1), work.filling(out, 2))
    schedule.run(timeout=LONG)
    assert values(out) == {expected}


@pytest.mark.promise("cond-if")
def test_an_if_without_otherwise_may_run_nothing(work: Workbench) -> None:
    condition, out, schedule = work.ints(1), work.ints(), work.device.create_schedule()
    schedule.create_if_command(condition, work.filling(out, 1))
    schedule.run(timeout=LONG)
    assert values(out) == {1}
    condition.fill(0)
    out.fill(0)
    schedule.run(timeout=LONG)
    assert values(out) == {0}


@pytest.mark.promise("cond-if")
def test_the_first_element_of_a_slice_is_read(work: Workbench) -> None:
    numbers = work.device.create_buffer(np.array([0, 1, 0], np.uint32))
    out, schedule = work.ints(), work.device.create_schedule()
    schedule.create_if_command(numbers[1:], work.filling(out, 1))
    schedule.run(timeout=LONG)
    assert values(out) == {1}


@pytest.mark.promise("cond-while")
@pytest.mark.parametrize("turns", [0, 1, 7])
def test_a_while_runs_until_the_integer_is_0(work: Workbench, turns: int) -> None:
    left, done, schedule = work.ints(turns), work.ints(), work.device.create_schedule()
    body = work.counting(left, -1)
    body.create_schedule_command(work.counting(done))
    schedule.create_while_command(left, body)
    schedule.run(timeout=LONG)
    assert (values(left), values(done)) == ({0}, {turns})
    schedule.run(timeout=LONG)
    assert values(done) == {turns}


@pytest.mark.promise("cond-while")
@pytest.mark.parametrize(("most", "turns"), [(0, 0), (1, 1), (5, 5), (100, 9)])
def test_max_count_bounds_the_turns(work: Workbench, most: int, turns: int) -> None:
    left, schedule = work.ints(9), work.device.create_schedule()
    schedule.create_while_command(left, work.counting(left, -1), max_count=most)
    schedule.run(timeout=LONG)
    assert values(left) == {9 - turns}


@pytest.mark.promise("cond-switch")
@pytest.mark.parametrize(("value", "expected"), [(0, 1), (1, 2), (2, 3), (3, 0), (-1, 0)])
def test_a_switch_runs_the_case_of_that_number(work: Workbench, value: int, expected: int) -> None:
    selector, out, schedule = work.ints(value), work.ints(), work.device.create_schedule()
    schedule.create_switch_command(selector, [work.filling(out, each) for each in (1, 2, 3)])
    schedule.run(timeout=LONG)
    assert values(out) == {expected}


# ---- Order ----


@pytest.mark.promise("cond-order")
@each_condition
def test_it_is_done_in_its_place(work: Workbench, kind: str) -> None:
    value, number, copied = work.ints(), work.ints(), work.ints()
    schedule, body = work.device.create_schedule(), work.device.create_schedule()
    work.fill(schedule, value, RUNS[kind])
    work.fill(schedule, number, 4)
    work.add(body, number, number, copied)
    work.fill(body, value, 0)
    EACH[kind](schedule, value, body)
    work.copy(schedule, copied, number)
    for _ in range(3):
        schedule.run(blocking=False)
    work.device.synchronize(LONG)
    assert values(number) == {8}


@pytest.mark.promise("cond-order")
def test_it_waits_for_earlier_work_of_the_stream(obstacle: Obstacle) -> None:
    work, stream = obstacle.work, obstacle.work.device.create_stream()
    condition, out, schedule = work.ints(), work.ints(), work.device.create_schedule()
    schedule.create_if_command(condition, work.filling(out, 1), work.filling(out, 2))
    with obstacle.before(stream) as release:
        work.filling(condition, 3).run(stream, blocking=False)
        schedule.run(stream, blocking=False)
        work.filling(condition, 0).run(stream, blocking=False)
        release()
        stream.synchronize(LONG)
    assert (values(out), values(condition)) == ({1}, {0})


@pytest.mark.promise("cond-order", "replay-resubmit")
def test_runs_in_many_streams_do_not_overlap(work: Workbench) -> None:
    left, done, schedule = work.ints(), work.ints(), work.device.create_schedule()
    work.fill(schedule, left, 3)
    body = work.counting(left, -1)
    body.create_schedule_command(work.counting(done))
    schedule.create_while_command(left, body)
    streams = [work.device.create_stream() for _ in range(3)]
    for _ in range(4):
        for stream in streams:
            schedule.run(stream, blocking=False)
    work.device.synchronize(LONG)
    assert values(done) == {36}


@pytest.mark.promise("cond-order")
def test_a_body_may_have_host_functions_and_copies(work: Workbench) -> None:
    left, seen, schedule = work.ints(3), np.zeros(16, np.int32), work.device.create_schedule()
    body, calls = work.device.create_schedule(), []
    body.create_copy_command(seen, left)
    body.create_host_command(lambda: calls.append(int(seen[0])))
    body.create_schedule_command(work.counting(left, -1))
    schedule.create_while_command(left, body)
    schedule.run(timeout=LONG)
    assert calls == [3, 2, 1]


@pytest.mark.promise("cond-order", "order-branches")
@each_condition
def test_it_is_a_command_of_branches(work: Workbench, kind: str) -> None:
    value, x, y, sum_ = (work.ints() for _ in range(4))
    schedule, body = work.device.create_schedule(), work.filling(x, 2)
    work.fill(body, value, 0)
    first = work.fill(schedule, value, RUNS[kind])
    with schedule.parallel():
        condition = EACH[kind](schedule, value, body)
        other = work.fill(schedule, y, 3)
    work.add(schedule, x, y, sum_, after=[condition, other])
    late = EACH[kind](schedule, value, work.filling(sum_, 9), after=[first, condition])
    told = [each.get_property_int_vec("Predecessors") for each in (condition, late)]
    assert told == [[0], [0, 1]]
    schedule.run(timeout=LONG)
    assert values(sum_) == {9 if kind == "switch" else 5}


# ---- Scratch memory ----


def scratch(schedule: nexus.Schedule) -> nexus.Buffer:
    return schedule.create_buffer((LARGE,), "int32")


def scratch_sizes(*schedules: nexus.Schedule) -> list[float]:
    """Returns how many such buffers fit into the scratch memory of each schedule."""
    return [each.get_property_int("ScratchSize") / (LARGE * 4) for each in schedules]


@pytest.mark.promise("cond-scratch", "scratch-shared")
@pytest.mark.parametrize("kind", ["if", "switch"])
def test_the_integer_may_be_scratch_memory(obstacle: Obstacle, kind: str) -> None:
    work, stream = obstacle.work, obstacle.work.device.create_stream()
    source, out = work.ints(RUNS[kind], LARGE), work.ints()
    schedule = work.device.create_schedule()
    value, between, after = (scratch(schedule) for _ in range(3))
    work.copy(schedule, source, value)
    work.fill(schedule, between, 7)  # not in the memory of the integer, which is used later
    EACH[kind](schedule, value, work.filling(out, 1))
    work.copy(schedule, between, after)  # in the memory of the integer
    assert scratch_sizes(schedule) == [2]
    with obstacle.before(stream) as release:
        schedule.run(stream, blocking=False)
        release()
        stream.synchronize(LONG)
    assert values(out) == {1}
    source.fill(1 - RUNS[kind])
    out.fill(0)
    schedule.run(stream, timeout=LONG)
    assert values(out) == {0}


@pytest.mark.promise("cond-scratch", "replay-snapshot")
def test_a_held_run_reads_the_scratch_memory_of_its_call(obstacle: Obstacle) -> None:
    work, stream = obstacle.work, obstacle.work.device.create_stream()
    out, schedule = work.ints(), work.device.create_schedule()
    other, value = scratch(schedule), scratch(schedule)
    work.fill(schedule, other, 0)
    work.fill(schedule, value, 1)
    schedule.create_if_command(value, work.filling(out, 1), work.filling(out, 2))
    last = work.copy(schedule, work.ints(0, LARGE), work.ints(0, LARGE))
    with obstacle.before(stream) as release:
        schedule.run(stream, blocking=False)
        assert scratch_sizes(schedule) == [1]
        last.set_arg(0, other)
        schedule.prepare(work.device.create_stream())  # moves the integer
        assert scratch_sizes(schedule) == [2]
        release()
        stream.synchronize(LONG)
    assert values(out) == {1}


@pytest.mark.promise("cond-scratch")
@each_condition
def test_a_body_has_its_own_scratch_memory(work: Workbench, kind: str) -> None:
    value, out, kept = work.ints(), work.ints(0, LARGE), work.ints(0, LARGE)
    schedule, body = work.device.create_schedule(), work.device.create_schedule()
    outer, inner = scratch(schedule), scratch(body)
    work.fill(schedule, outer, 3)
    EACH[kind](schedule, value, body)
    work.copy(schedule, outer, kept)
    work.fill(body, inner, 4)
    work.copy(body, inner, out)
    work.fill(body, value, 0)
    for _ in range(2):
        value.fill(RUNS[kind])
        schedule.run(timeout=LONG)
        assert (values(out), values(kept)) == ({4}, {3})
    assert scratch_sizes(schedule, body) == [1, 1]


@pytest.mark.promise("cond-scratch")
def test_scratch_memory_that_can_not_be_the_integer_is_refused(work: Workbench) -> None:
    schedule, body = work.device.create_schedule(), work.device.create_schedule()
    buffers = [each.create_buffer((1,), "int32") for each in (schedule, body)]
    calls: list[tuple[Callable[[], object], str]] = [
        (lambda: schedule.create_if_command(buffers[1], body), "condition is scratch memory of"),
        (lambda: schedule.create_switch_command(buffers[1], []), "selector is scratch memory of"),
        (lambda: schedule.create_while_command(buffers[0], body), "no command of body can change"),
    ]
    for call, text in calls:
        error = refused(call)
        assert error.status == nexus.status.NXS_InvalidOperation
        assert text in str(error)
    assert schedule.get_property_int("Size") == 0


# ---- Conditions in conditions ----


@pytest.mark.promise("cond-nest")
def test_loops_nest(work: Workbench) -> None:
    outer, inner, done = work.ints(3), work.ints(), work.ints()
    turn, schedule = work.device.create_schedule(), work.device.create_schedule()
    innermost = work.counting(inner, -1)
    innermost.create_schedule_command(work.counting(done))
    work.fill(turn, inner, 4)
    turn.create_while_command(inner, innermost)
    turn.create_schedule_command(work.counting(outer, -1))
    schedule.create_while_command(outer, turn)
    schedule.run(timeout=LONG)
    assert values(done) == {12}


@pytest.mark.promise("cond-nest")
def test_a_switch_and_an_if_in_a_loop(work: Workbench) -> None:
    left, ones, twos = work.ints(2), work.ints(), work.ints()
    turn, schedule = work.device.create_schedule(), work.device.create_schedule()
    nothing, both = work.device.create_schedule(), work.device.create_schedule()
    both.create_if_command(ones, work.filling(twos, 2), work.filling(ones, 1))
    turn.create_switch_command(left, [nothing, both, both])
    turn.create_schedule_command(work.counting(left, -1))
    schedule.create_while_command(left, turn)
    schedule.run(timeout=LONG)
    assert (values(ones), values(twos)) == ({1}, {2})


@pytest.mark.promise("cond-nest")
def test_a_body_counts_one_run_for_each_run(work: Workbench) -> None:
    left, schedule = work.ints(), work.device.create_schedule()
    body = work.counting(left, -1)
    work.fill(schedule, left, 5)
    schedule.create_while_command(left, body)
    schedule.run(timeout=LONG)
    schedule.run(timeout=LONG)
    assert [each.get_property_int("RunCount") for each in (schedule, body)] == [2, 2]


@pytest.mark.promise("cond-nest")
def test_a_run_uses_the_arguments_at_its_call(obstacle: Obstacle) -> None:
    work, stream = obstacle.work, obstacle.work.device.create_stream()
    condition, out, schedule = work.ints(1), work.ints(), work.device.create_schedule()
    body = work.device.create_schedule()
    command = work.fill(body, out, 1)
    schedule.create_if_command(condition, body)
    with obstacle.before(stream) as release:
        schedule.run(stream, blocking=False)
        command.set_arg(1, np.int32(2))
        release()
        stream.synchronize(LONG)
    assert values(out) == {1}
    schedule.run(stream, timeout=LONG)
    assert values(out) == {2}


@pytest.mark.promise("cond-nest")
@each_condition
def test_a_circle_is_refused_with_its_path(work: Workbench, kind: str) -> None:
    value = work.ints(1)
    outer, body = work.device.create_schedule(), work.device.create_schedule()
    EACH[kind](outer, value, body)
    error = refused(lambda: EACH[kind](body, value, outer))
    names = [each.get_property_str("Name") for each in (body, outer, body)]
    assert error.status == nexus.status.NXS_InvalidOperation
    assert " > ".join(names) in str(error)
    assert body.get_property_int("Size") == 0


@pytest.mark.promise("cond-nest")
def test_a_removed_condition_runs_no_more(work: Workbench) -> None:
    out, schedule = work.ints(), work.device.create_schedule()
    body = work.filling(out, 1)
    command = schedule.create_if_command(work.ints(1), body)
    assert list(command.get_bodies()) == [body]
    command.enabled = False
    schedule.run(timeout=LONG)
    command.enabled = True
    command.remove()
    schedule.run(timeout=LONG)
    assert values(out) == {0}
    work.fill(body, out, 2)  # in no other schedule, so it can be changed
    body.create_if_command(work.ints(1), schedule)  # no circle any more


# ---- Failures ----


@pytest.mark.promise("cond-failure")
@each_condition
def test_a_failure_names_the_command_in_the_body(work: Workbench, kind: str) -> None:
    value, last = work.ints(RUNS[kind]), work.ints()
    schedule, body = work.device.create_schedule(), work.device.create_schedule()
    stream = work.device.create_stream()

    def fail() -> None:
        raise LookupError("in a body")

    body.create_host_command(fail)
    EACH[kind](schedule, value, body)
    work.fill(schedule, last, 1)
    error = refused(lambda: schedule.run(stream, timeout=LONG))
    name, inner = (each.get_property_str("Name") for each in (schedule, body))
    place = f"command 0 ({kind}, {inner}: command 0 (host function '{fail.__qualname__}'))"
    assert str(error).startswith(f"{name.capitalize()}, run 1: {place} failed: LookupError")
    stream.close()
    assert values(last) == {0}


@pytest.mark.promise("cond-failure")
@each_condition
@pytest.mark.parametrize("kind_of_event", ["signal", "wait"])
def test_signals_and_waits_in_a_body_are_refused(
    work: Workbench, kind: str, kind_of_event: str
) -> None:
    value, event = work.ints(), work.device.create_event(nexus.event_type.Shared)
    body, schedule = work.device.create_schedule(), work.device.create_schedule()
    nested = work.device.create_schedule()
    runs_nested = body.create_schedule_command(nested)
    EACH[kind](schedule, value, body)
    schedule.run(timeout=LONG)
    command = getattr(nested, f"create_{kind_of_event}_command")(event)
    text = f"Command 0 ({kind_of_event}) of {nested.get_property_str('Name')} is in a schedule"
    errors = [
        refused(lambda: schedule.run(timeout=LONG)),
        refused(lambda: EACH[kind](work.device.create_schedule(), value, body)),
    ]
    for error in errors:
        assert error.status == nexus.status.NXS_InvalidOperation
        assert text in str(error)
    for disabled in (runs_nested, command):
        runs_nested.enabled = True
        disabled.enabled = False
        schedule.run(timeout=LONG)


@pytest.mark.promise("cond-failure")
@each_condition
@pytest.mark.parametrize("dtype", ["float32", "int64", "uint8"])
def test_other_buffers_are_refused(work: Workbench, kind: str, dtype: str) -> None:
    schedule, body = work.device.create_schedule(), work.device.create_schedule()
    buffer = work.device.create_buffer(np.zeros(4, dtype))
    with pytest.raises((ValueError, nexus.NexusError), match=dtype):
        EACH[kind](schedule, buffer, body)
    empty = work.ints()[:0]
    with pytest.raises((ValueError, nexus.NexusError), match="empty"):
        EACH[kind](schedule, empty, body)
    wrong: Any = None
    with pytest.raises(TypeError):
        EACH[kind](schedule, work.ints(), wrong)
    assert schedule.get_property_int("Size") == 0


# ---- Loops without end ----


@pytest.mark.promise("cond-end")
@pytest.mark.parametrize("around", [None, "if", "while"])
def test_a_timeout_leaves_a_loop_and_closing_the_stream_ends_it(
    work: Workbench, around: str | None
) -> None:
    forever, body = work.ints(1), work.filling(work.ints(), 1)
    schedule, stream = work.device.create_schedule(), work.device.create_stream()
    schedule.create_while_command(forever, body)
    if around is not None:  # the host does this one
        schedule.create_host_command(int)
        inner, schedule = schedule, work.device.create_schedule()
        EACH[around](schedule, work.ints(1), inner)
    start = time.monotonic()
    assert refused(lambda: schedule.run(stream, timeout=SHORT)).status == nexus.status.NXS_Timeout
    assert time.monotonic() - start < LONG
    assert not stream.is_idle
    stream.close()
    deadline = time.monotonic() + LONG
    while schedule.get_property_str("Status") == "Running" and time.monotonic() < deadline:
        time.sleep(SHORT)
    assert schedule.get_property_str("Status") == "Error"
    work.device.synchronize(LONG)
    other = work.device.create_stream()
    forever.fill(0, stream=other)
    if around != "while":
        schedule.run(other, timeout=LONG)


@pytest.mark.promise("cond-end")
def test_the_program_can_end_a_loop(work: Workbench) -> None:
    forever, schedule = work.ints(1), work.device.create_schedule()
    schedule.create_while_command(forever, work.filling(work.ints(), 1))
    stream, other = work.device.create_stream(), work.device.create_stream()
    schedule.run(stream, blocking=False)
    forever.fill(0, stream=other)
    stream.synchronize(LONG)


# ---- Who does them ----


def growing(work: Workbench, out: nexus.Buffer, by: nexus.Buffer) -> nexus.Schedule:
    """Makes a schedule that adds to a buffer."""
    schedule, more = work.device.create_schedule(), work.ints()
    work.add(schedule, out, by, more)
    schedule.create_copy_command(out, more)
    return schedule


@pytest.mark.promise("cond-replay")
@each_condition
def test_a_condition_tells_who_does_it(
    work: Workbench, capabilities: frozenset[str], kind: str
) -> None:
    out, value, schedule = work.ints(), work.ints(RUNS[kind]), work.device.create_schedule()
    native = EACH[kind](schedule, value, work.filling(out, 1))
    body = work.filling(out, 2)
    body.create_host_command(int)
    host = EACH[kind](schedule, value, body)
    around = work.device.create_schedule()
    outer = around.create_if_command(value, schedule)
    replays = [each.get_property_str("Replay") for each in (native, host, outer)]
    by_backend = "native" if {"Conditions", "NestedSchedule"} <= capabilities else "host"
    assert replays == [by_backend, "host", "host"]


@pytest.mark.promise("cond-replay")
def test_both_kinds_of_conditions_in_one_run(work: Workbench) -> None:
    """Conditions with a host function in a body between, around and inside those without."""
    out, total, one = work.ints(1), work.ints(0), work.ints(1)
    adding, doubling = growing(work, total, out), growing(work, out, out)
    called: list[int] = []
    calling = work.device.create_schedule()
    calling.create_host_command(called.append, 1)
    calling.create_if_command(one, doubling)  # out: 2, 16
    schedule = work.device.create_schedule()
    schedule.create_if_command(one, adding)  # total: 1
    schedule.create_if_command(one, calling)
    schedule.create_schedule_command(adding)  # total: 3
    schedule.create_while_command(one, doubling, max_count=2)  # out: 8
    schedule.create_switch_command(one, [calling, adding, calling])  # total: 11
    for _ in range(2):
        schedule.run(timeout=LONG)
    assert len(called) == 2
    assert values(total) == {11 + 8 + 16 + 64}
