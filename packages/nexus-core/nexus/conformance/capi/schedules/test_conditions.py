# SPDX-License-Identifier: Apache-2.0
"""Conditions: what an integer in a buffer makes a run do, the end of loops, and what is refused."""

from __future__ import annotations

import struct

import pytest

from nexus.conformance import _headers
from nexus.conformance._native import N
from nexus.conformance.capi import calls
from nexus.conformance.capi.bench import Bench, Work, part, pattern, scalar_argument
from nexus.conformance.capi.schedules.test_schedules import add, nest

pytestmark = pytest.mark.needs("Conditions")

_IF, _WHILE, _SWITCH = (N()[f"NXS_CommandType_{each}"] for each in ("If", "While", "Switch"))
_ANY = (1 << 64) - 1
_FAILED = N()["NXS_CompletionState_Failed"]


def decide(
    bench: Bench, schedule: int, kind: int, value: int, *bodies: int, most: int = _ANY, at: int = 0
) -> int:
    """Appends a condition on the integer of a buffer."""
    return bench.create("CreateConditionCommand", schedule, kind, part(value, at, 4),
                        calls.ids(*bodies), len(bodies), most)  # fmt: skip


def number(bench: Bench, value: int) -> int:
    """Makes a buffer of one integer."""
    return bench.buffer(struct.pack("<i", value))


def set_(bench: Bench, stream: int, buffer: int, value: int) -> None:
    bench.fill(stream, buffer, 4, struct.pack("<i", value))


def storing(bench: Bench, out: int, value: int) -> int:
    """Makes a schedule that stores a value."""
    schedule = bench.schedule()
    bench.fill_command(schedule, out, value, 1)
    return schedule


def counting(bench: Bench, *counters: tuple[int, int]) -> int:
    """Makes a schedule that adds a number to each counter."""
    schedule = bench.schedule()
    for counter, step in counters:
        add(bench, schedule, counter, number(bench, step), counter, 1)
    return schedule


@pytest.mark.parametrize("otherwise", [False, True])
def test_an_if_runs_the_body_that_the_integer_says(bench: Bench, otherwise: bool) -> None:
    stream, outer = bench.stream(), bench.schedule()
    value, out, after = (number(bench, 0) for _ in range(3))
    bodies = [storing(bench, out, each) for each in ([1, 2] if otherwise else [1])]
    decide(bench, outer, _IF, value, *bodies)
    add(bench, outer, out, out, after, 1)
    for given in (0, 1, 0, -1, 7, 1 << 30):
        set_(bench, stream, value, given)
        set_(bench, stream, out, 5)
        bench.submit(outer, stream)
        assert bench.integers(out, 1, stream) == [1 if given else 2 if otherwise else 5]
        assert bench.integers(after, 1, stream) == [2 * bench.integers(out, 1, stream)[0]]


def test_a_switch_runs_the_body_of_that_number_or_none(bench: Bench) -> None:
    stream, outer = bench.stream(), bench.schedule()
    value, out = number(bench, 0), number(bench, 0)
    decide(bench, outer, _SWITCH, value, *(storing(bench, out, each) for each in (10, 11, 12)))
    for given, stored in ((0, 10), (2, 12), (1, 11), (3, 5), (-1, 5), (1 << 30, 5)):
        set_(bench, stream, value, given)
        set_(bench, stream, out, 5)
        bench.submit(outer, stream)
        assert bench.integers(out, 1, stream) == [stored]


def test_a_switch_runs_one_body_even_if_that_changes_the_integer(bench: Bench) -> None:
    stream, outer = bench.stream(), bench.schedule()
    value, outs = number(bench, 0), [number(bench, 0) for _ in range(20)]
    bodies = [storing(bench, out, 1) for out in outs]
    for i, body in enumerate(bodies):
        bench.fill_command(body, value, (i + 9) % 20, 1)
    decide(bench, outer, _SWITCH, value, *bodies)
    for run in range(1, 21):
        bench.submit(outer, stream)
        assert sum(bench.integers(out, 1, stream)[0] for out in outs) == run


def test_a_switch_without_bodies_does_nothing(bench: Bench) -> None:
    outer, out = bench.schedule(), number(bench, 0)
    decide(bench, outer, _SWITCH, number(bench, 0))
    bench.fill_command(outer, out, 3, 1)
    bench.run(outer)
    assert bench.integers(out, 1) == [3]


@pytest.mark.parametrize("settings", [0, N()["NXS_ExecutionSettings_NonBlocking"]])
@pytest.mark.parametrize("turns", [0, 1, 2, 500])
def test_a_while_reads_the_integer_before_each_turn(
    bench: Bench, turns: int, settings: int
) -> None:
    stream, outer = bench.stream(), bench.schedule()
    left, total, after = (number(bench, 0) for _ in range(3))
    start = bench.fill_command(outer, left, turns, 1)
    decide(bench, outer, _WHILE, left, counting(bench, (left, -1), (total, 1)))
    add(bench, outer, total, total, after, 1)
    for run in range(1, 4):
        bench.finish(stream, bench.submit(outer, stream, settings))
        assert bench.integers(total, 1, stream) == [run * turns]
        assert bench.integers(after, 1, stream) == [2 * run * turns]
    bench.native.get("SetCommandArgument", start, 1, scalar_argument("i", 1))
    bench.finish(stream, bench.submit(outer, stream, settings))
    assert bench.integers(total, 1, stream) == [3 * turns + 1]


@pytest.mark.parametrize(("most", "turns"), [(0, 0), (1, 1), (3, 3), (5, 5), (6, 5), (_ANY - 1, 5)])
def test_a_while_makes_at_most_so_many_turns(bench: Bench, most: int, turns: int) -> None:
    stream, outer = bench.stream(), bench.schedule()
    left, total = number(bench, 0), number(bench, 0)
    bench.fill_command(outer, left, 5, 1)
    decide(bench, outer, _WHILE, left, counting(bench, (left, -1), (total, 1)), most=most)
    for run in range(1, 4):
        bench.submit(outer, stream)
        assert bench.integers(left, 1, stream) == [5 - turns]
        assert bench.integers(total, 1, stream) == [run * turns]


def test_conditions_in_bodies(bench: Bench) -> None:
    """Three times five iterations; each counts, except those with 3 left."""
    stream, outer, middle = bench.stream(), bench.schedule(), bench.schedule()
    rounds, left, total, odd = (number(bench, 0) for _ in range(4))
    turn = bench.schedule()
    add(bench, turn, left, number(bench, -3), odd, 1)
    decide(bench, turn, _IF, odd, counting(bench, (total, 1)))
    nest(bench, turn, counting(bench, (left, -1)))
    bench.fill_command(middle, left, 5, 1)
    decide(bench, middle, _WHILE, left, turn)
    nest(bench, middle, counting(bench, (rounds, -1)))
    bench.fill_command(outer, rounds, 3, 1)
    decide(bench, outer, _WHILE, rounds, middle, most=10)
    for run in range(1, 4):
        bench.submit(outer, stream)
        assert bench.integers(total, 1, stream) == [12 * run]


def test_a_body_may_copy_and_fill_and_be_empty(bench: Bench) -> None:
    outer, body = bench.schedule(), bench.schedule()
    one, out = number(bench, 1), bench.buffer(bytes(64))
    bench.create("CreateFillCommand", body, part(out, 0, 32), pattern(b"\1\0\0\0"), 4)
    bench.create("CreateFillCommand", body, part(out, 32, 16), pattern(b"\3\0\0\0" * 4), 16)
    bench.create("CreateCopyCommand", body, part(out, 48, 16), part(out, 0, 16))
    decide(bench, outer, _IF, one, body)
    decide(bench, outer, _IF, one, bench.schedule())
    decide(bench, outer, _WHILE, one, bench.schedule(), most=1000)
    bench.run(outer)
    assert bench.integers(out, 16) == [1] * 8 + [3] * 4 + [1] * 4


def test_the_integer_may_be_anywhere_in_a_buffer(bench: Bench) -> None:
    stream, outer = bench.stream(), bench.schedule()
    values, out = bench.buffer(struct.pack("<16i", *[1] * 7, 0, *[1] * 8)), number(bench, 0)
    bodies = storing(bench, out, 1), storing(bench, out, 2)
    decide(bench, outer, _IF, values, *bodies, at=28)
    bench.submit(outer, stream)
    assert bench.integers(out, 1, stream) == [2]
    set_(bench, stream, values, 0)
    bench.fill(stream, values, 4, b"\1\0\0\0", 28)
    bench.submit(outer, stream)
    assert bench.integers(out, 1, stream) == [1]


def test_a_schedule_may_be_a_body_more_than_once(bench: Bench) -> None:
    stream, outer = bench.stream(), bench.schedule()
    value, total = number(bench, 0), number(bench, 0)
    body = counting(bench, (total, 1))
    decide(bench, outer, _IF, value, body, body)
    nest(bench, outer, body)
    decide(bench, outer, _SWITCH, value, body, body, body)
    for run in range(1, 4):
        set_(bench, stream, value, run)
        bench.submit(outer, stream)
    assert bench.integers(total, 1, stream) == [3 + 3 + 2]


def test_a_body_runs_as_it_is_at_the_run(bench: Bench) -> None:
    stream, outer, body, out = bench.stream(), bench.schedule(), bench.schedule(), number(bench, 0)
    command = bench.fill_command(body, out, 1, 1)
    decide(bench, outer, _IF, number(bench, 1), body)
    for value in (2, 3, 4):
        bench.native.get("SetCommandArgument", command, 1, scalar_argument("i", value))
        bench.submit(outer, stream)
        assert bench.integers(out, 1, stream) == [value]
    bench.fill_command(body, out, 9, 1)
    bench.submit(outer, stream)
    assert bench.integers(out, 1, stream) == [9]


def test_a_run_takes_the_arguments_of_its_submission_in_bodies_too(bench: Bench) -> None:
    stream, outer = bench.stream(), bench.schedule()
    body, out, total = bench.schedule(), number(bench, 0), number(bench, 0)
    command = bench.fill_command(body, out, 0, 1)
    add(bench, body, total, out, total, 1)
    decide(bench, outer, _IF, number(bench, 1), body)
    for value in range(50):
        bench.native.get("SetCommandArgument", command, 1, scalar_argument("i", value))
        bench.submit(outer, stream)
    assert bench.integers(total, 1, stream) == [sum(range(50))]


def test_a_body_at_several_places_is_rebound_at_all(bench: Bench) -> None:
    stream, outer, body = bench.stream(), bench.schedule(), bench.schedule()
    value, out = number(bench, 0), number(bench, 0)
    command = bench.fill_command(body, out, 0, 1)
    decide(bench, outer, _SWITCH, value, body, bench.schedule(), body)
    for given in (5, 6, 7):
        bench.native.get("SetCommandArgument", command, 1, scalar_argument("i", given))
        for place in (0, 2):
            set_(bench, stream, out, 0)
            set_(bench, stream, value, place)
            bench.submit(outer, stream)
            assert bench.integers(out, 1, stream) == [given]


def test_a_body_that_is_not_finalized_is_refused_at_the_run(bench: Bench) -> None:
    outer, body = bench.schedule(), bench.schedule()
    command = bench.raw_command(body)
    decide(bench, outer, _IF, number(bench, 1), body)
    bench.native.refuse("NXS_InvalidCommand", "RunSchedule", outer, bench.stream(), 0)
    bench.release("Command", command)
    bench.run(outer)


def test_a_released_body_still_runs(bench: Bench) -> None:
    stream, outer, out = bench.stream(), bench.schedule(), number(bench, 0)
    body, value = storing(bench, out, 8), number(bench, 1)
    decide(bench, outer, _IF, value, body)
    bench.release("Schedule", body)
    bench.release("Buffer", value)
    bench.submit(outer, stream)
    assert bench.integers(out, 1, stream) == [8]


def test_a_body_overlaps_with_no_run_of_its_own(bench: Bench) -> None:
    other = bench.stream()

    def run_outer(work: Work) -> int:
        outer = bench.schedule()
        decide(bench, outer, _IF, number(bench, 1), work.schedule)
        return bench.state(other, bench.submit(outer, other))

    assert bench.while_running(run_outer) == N()["NXS_CompletionState_Running"]
    bench.finish(other)


@pytest.mark.needs("Branches")
def test_a_condition_is_a_command_of_a_branch(bench: Bench) -> None:
    stream, outer, inner = bench.stream(), bench.schedule(), bench.schedule()
    left, total, x, out = (number(bench, 0) for _ in range(4))

    def follow(command: int, *before: int) -> int:
        bench.native.get("SetCommandPredecessors", command, calls.ids(*before), len(before))
        return command

    add(bench, inner, total, number(bench, 1), total, 1)
    follow(add(bench, inner, left, number(bench, -1), left, 1))
    start = bench.fill_command(outer, left, 4, 1)
    beside = follow(bench.fill_command(outer, x, 100, 1))
    loop = follow(decide(bench, outer, _WHILE, left, inner), start)
    again = follow(decide(bench, outer, _IF, number(bench, 1), inner), start)
    follow(add(bench, outer, total, x, out, 1), loop, beside, again)
    for run in range(1, 4):
        set_(bench, stream, total, 0)
        bench.submit(outer, stream)
        # The if may run before the while, which then makes a turn less.
        (turns,) = bench.integers(total, 1, stream)
        assert turns in (4, 5), run
        assert bench.integers(out, 1, stream) == [100 + turns]


# ---- Loops without an end ----


def _endless(bench: Bench, stream: int, value: int) -> int:
    """Submits a loop that runs while the integer is not 0; returns its ticket."""
    outer = bench.schedule()
    decide(bench, outer, _WHILE, value, counting(bench, (number(bench, 0), 1)))
    ticket = bench.submit(outer, stream)
    assert bench.running(stream, ticket)
    return ticket


def test_another_stream_can_end_a_loop(bench: Bench) -> None:
    stream, other, value = bench.stream(), bench.stream(), number(bench, 1)
    ticket = _endless(bench, stream, value)
    done = bench.native.get("WaitStream", stream, ticket, 20_000_000)
    assert done.state == N()["NXS_CompletionState_Running"]
    set_(bench, other, value, 0)
    bench.finish(stream, ticket)


@pytest.mark.parametrize("body", ["empty", "nested"])
def test_a_stream_that_is_given_up_ends_its_loops(bench: Bench, body: str) -> None:
    stream, other, outer = bench.stream(), bench.stream(), bench.schedule()
    one, out, inner = number(bench, 1), number(bench, 5), bench.schedule()
    if body == "nested":
        decide(bench, inner, _WHILE, one, bench.schedule())
    decide(bench, outer, _WHILE, one, inner)
    ticket = bench.submit(outer, stream)
    set_(bench, other, out, 6)
    bench.finish(other)
    assert bench.running(stream, ticket)
    bench.native.get("StopLoops", stream)
    done = bench.wait(stream, ticket)
    assert (done.state, done.status) == (_FAILED, N()["NXS_Cancelled"])
    assert bench.native.error(done.error).strip()
    # The schedules are as after any failed run.
    again, most = bench.stream(), bench.schedule()
    decide(bench, most, _WHILE, one, inner, most=0)
    bench.finish(again, bench.submit(most, again))
    bench.finish(other, bench.fill(other, one, 4, b"\0"))
    bench.finish(again, bench.submit(outer, again))
    assert bench.integers(out, 1, other) == [6]


def test_a_stream_that_is_given_up_ends_later_loops(bench: Bench) -> None:
    stream, outer = bench.stream(), bench.schedule()
    decide(bench, outer, _WHILE, number(bench, 1), bench.schedule())
    bench.native.get("StopLoops", stream)
    bench.finish(stream, bench.fill(stream, number(bench, 0), 4, b"\0"))
    status = bench.native.try_("RunSchedule", outer, stream, 0)
    if status == "NXS_Success":
        done = bench.wait(stream)
        assert done.state == _FAILED
        status = _headers.statuses()[done.status]
    assert status == "NXS_Cancelled"


# ---- What is refused ----


def test_what_is_no_condition_is_refused(bench: Bench) -> None:
    schedule, value = bench.schedule(), bench.buffer(64)
    bodies = [bench.schedule() for _ in range(3)]

    def refuse(status: str, kind: int, where: object, *given: int) -> None:
        bench.native.refuse(status, "CreateConditionCommand", schedule, kind, where,
                            calls.ids(*given), len(given), _ANY)  # fmt: skip

    right = part(value, 0, 4)
    for kind in (-1, 0, N()["NXS_CommandType_Schedule"], 1000):
        refuse("NXS_InvalidValue", kind, right, *bodies[:1])
    for kind, count in ((_IF, 0), (_IF, 3), (_WHILE, 0), (_WHILE, 2)):
        refuse("NXS_InvalidValue", kind, right, *bodies[:count])
    for where in (part(value, 2, 4), part(value, 0, 8), part(value, 0, 0), part(value, 64, 4)):
        refuse("NXS_InvalidValue", _IF, where, *bodies[:1])
    refuse("NXS_InvalidBuffer", _IF, part(schedule, 0, 4), *bodies[:1])
    refuse("NXS_InvalidSchedule", _SWITCH, right, bodies[0], value)
    bench.native.refuse("NXS_InvalidValue", "CreateConditionCommand", schedule, _IF, right, None,
                        1, _ANY)  # fmt: skip
    assert bench.property("Schedule", schedule, "Size") == 0


def test_a_circle_of_bodies_is_refused(bench: Bench) -> None:
    first, second, third, value = *(bench.schedule() for _ in range(3)), bench.buffer(64)
    decide(bench, first, _IF, value, third, second)
    nest(bench, second, third)
    for outer, body in ((first, first), (second, first), (third, first), (third, second)):
        bench.native.refuse("NXS_InvalidOperation", "CreateConditionCommand", outer, _WHILE,
                            part(value, 0, 4), calls.ids(body), 1, _ANY)  # fmt: skip
    bench.native.refuse("NXS_InvalidOperation", "CreateScheduleCommand", third, first)
    assert bench.property("Schedule", third, "Size") == 0
