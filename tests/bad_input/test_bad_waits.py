# SPDX-License-Identifier: Apache-2.0
"""Values that fall, timeouts that are none, and waits that nobody will satisfy."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from workbench import (
    LONG,
    REACHED,
    Case,
    Workbench,
    Wrong,
    by_name,
    check_refused,
    check_unharmed,
    check_wrong,
    refused,
    wrong,
)

import nexus
from nexus import event_type, status

BELOW = REACHED - 1

# Calls that signal an event, and calls that notice a value that falls.
VALUES = [
    wrong("negative", -1, ValueError, " is -1", "at least 0"),
    wrong("beyond 63 bits", 2**63, ValueError, " is 9223372036854775808"),
    wrong("beyond 64 bits", 2**64, ValueError, " is 18446744073709551616"),
    wrong("a float", 6.0, TypeError, " has to be an int", "float (6.0)"),
    wrong("text", "6", TypeError, " has to be an int", "str ('6')"),
    wrong("None", None, TypeError, " has to be an int", "NoneType (None)"),
    wrong("a bool", True, TypeError, " has to be an int", "bool (True)"),
]  # fmt: skip

TAKERS: dict[str, tuple[str, Callable[[Workbench, Any], object]]] = {
    "Event.signal": ("value", lambda b, value: b.event.signal(value)),
    "Event.wait": ("value", lambda b, value: b.event.wait(value, LONG)),
    "Stream.signal": ("value", lambda b, value: b.stream.signal(b.event, value)),
    "Stream.wait": ("value", lambda b, value: b.stream.wait(b.event, value)),
    "Command.set_value": ("value", lambda b, value: b.signalling.set_value(value)),
    "a signal command": ("value", lambda b, v: b.schedule.create_signal_command(b.event, v)),
    "a wait command": ("value", lambda b, v: b.schedule.create_wait_command(b.event, v)),
    "a signal command's step": (
        "step", lambda b, v: b.schedule.create_signal_command(b.event, 9, v)),
    "a wait command's step": ("step", lambda b, v: b.schedule.create_wait_command(b.event, 9, v)),
}  # fmt: skip


@pytest.mark.parametrize("taker", TAKERS)
@pytest.mark.parametrize("wrong", VALUES, ids=by_name)
def test_what_is_no_value_is_refused(bench: Workbench, taker: str, wrong: Wrong) -> None:
    parameter, take = TAKERS[taker]
    check_wrong(bench, wrong, lambda b: take(b, wrong.value), parameter)


@pytest.mark.smoke
@pytest.mark.parametrize(
    "case",
    [
        refused("by the host", lambda b: b.event.signal(BELOW),
                ValueError, f"value is {BELOW}", f"at {REACHED}", "only grows"),
        refused("by the host to zero", lambda b: b.event.signal(0),
                ValueError, "value is 0", f"at {REACHED}"),
        refused("in a stream", lambda b: b.stream.signal(b.event, BELOW),
                ValueError, f"value is {BELOW}", f"at {REACHED}"),
    ],
    ids=by_name,
)  # fmt: skip
def test_a_value_that_falls_is_refused(bench: Workbench, case: Case) -> None:
    check_refused(bench, case)


def test_a_schedule_that_would_signal_less_is_refused_when_it_runs(bench: Workbench) -> None:
    schedule = bench.device.create_schedule()
    command = schedule.create_signal_command(bench.event, BELOW)
    before = bench.live()
    check_refused(
        bench,
        refused("", lambda b: schedule.run(timeout=LONG), ValueError, f"value is {BELOW}",
                f"at {REACHED}"),
    )  # fmt: skip
    command.set_value(BELOW)
    check_refused(
        bench, refused("", lambda b: schedule.run(timeout=LONG), ValueError, f"value is {BELOW}")
    )
    command.set_value(REACHED)
    schedule.run(timeout=LONG)
    check_unharmed(bench, before)


def test_a_value_that_grows_beyond_64_bits_is_refused(bench: Workbench) -> None:
    event = bench.device.create_event()
    schedule = bench.device.create_schedule()
    command = schedule.create_signal_command(event, 2**62, step=2**63 - 1)
    for _ in range(2):
        schedule.run(timeout=LONG)
    check_refused(
        bench, refused("", lambda b: schedule.run(timeout=LONG), ValueError, "Run 3", "64 bits")
    )
    assert command.get_event() == event


def one_shot(bench: Workbench) -> nexus.Command:
    """A command that signals a one-shot event."""
    event = bench.device.create_event(event_type.Signal)
    return bench.device.create_schedule().create_signal_command(event)


@pytest.mark.parametrize(
    "case",
    [
        refused("beyond", lambda b: one_shot(b).set_value(2), ValueError, "value is 2", "0 and 1"),
        refused("no signal", lambda b: one_shot(b).set_value(0), ValueError, "value is 0"),
    ],
    ids=by_name,
)
def test_a_one_shot_event_has_no_other_value(bench: Workbench, case: Case) -> None:
    check_refused(bench, case)


@pytest.mark.parametrize("kind", [event_type.Signal, event_type.Fence], ids=["Signal", "Fence"])
@pytest.mark.parametrize("value", [2, 2**63 - 1])
@pytest.mark.parametrize(
    "taker",
    ["Event.signal", "Event.wait", "Stream.signal", "Stream.wait", "a signal command",
     "a wait command"],
)  # fmt: skip
def test_a_one_shot_event_has_the_values_0_and_1(
    bench: Workbench, kind: event_type.EventType, value: int, taker: str
) -> None:
    of_one_shot: Any = SimpleNamespace(
        event=bench.device.create_event(kind), stream=bench.stream, schedule=bench.schedule
    )
    take = TAKERS[taker][1]
    case = refused(
        "", lambda _: take(of_one_shot, value), ValueError, f"value is {value}", "values 0 and 1"
    )
    check_refused(bench, case)


def recorded(bench: Workbench) -> nexus.Event:
    """An event with a time."""
    event = bench.stream.record()
    bench.stream.synchronize(LONG)
    return event


def by_the_host(bench: Workbench) -> nexus.Event:
    """An event with timing that no stream has signalled."""
    event = bench.device.create_event(timing=True)
    event.signal(1)
    return event


@pytest.mark.parametrize(
    "case",
    [
        refused("no timing", lambda b: b.event.elapsed_ms(recorded(b)), nexus.NexusError,
                "end", "with timing", status=status.NXS_ProfilingInfoNotAvailable),
        refused("no timing of the start", lambda b: recorded(b).elapsed_ms(b.event),
                nexus.NexusError, "start", "with timing",
                status=status.NXS_ProfilingInfoNotAvailable),
        refused("no signal",
                lambda b: recorded(b).elapsed_ms(b.device.create_event(timing=True)),
                nexus.NexusError, "start", "never signalled", status=status.NXS_InvalidOperation),
        refused("a signal of the host", lambda b: by_the_host(b).elapsed_ms(recorded(b)),
                nexus.NexusError, "end", "from the host", status=status.NXS_InvalidOperation),
        refused("backwards", lambda b: recorded(b).elapsed_ms(recorded(b)),
                ValueError, "start happened ", "ms after end; exchange the two events"),
    ],
    ids=by_name,
)  # fmt: skip
def test_a_time_that_there_is_not_is_refused(bench: Workbench, case: Case) -> None:
    check_refused(bench, case)


def test_a_wait_for_a_stream_has_no_value(bench: Workbench) -> None:
    other = bench.device.create_stream()
    check_refused(
        bench, refused("", lambda b: b.stream.wait(other, 2), ValueError, "value is 2", "events")
    )


# ---- Timeouts ----------------------------------------------------------------------------------

WAITS: dict[str, Callable[[Workbench, Any], object]] = {
    "Event.wait": lambda b, timeout: b.event.wait(REACHED + 1, timeout),
    "Stream.synchronize": lambda b, timeout: b.stream.synchronize(timeout),
    "Device.synchronize": lambda b, timeout: b.device.synchronize(timeout),
    "Schedule.run": lambda b, timeout: b.schedule.run(b.stream, timeout=timeout),
}

TIMEOUTS = [
    wrong("negative", -1, ValueError, "timeout is -1", "at least 0 seconds"),
    wrong("a little negative", -1e-9, ValueError, "timeout is -1e-09", "at least 0 seconds"),
    wrong("minus infinity", float("-inf"), ValueError, "timeout is -inf"),
    wrong("no number", float("nan"), ValueError, "timeout is nan"),
    wrong("an int that no float holds", 10**400, ValueError, "timeout is 1000", "None"),
    wrong("text", "1", TypeError, "timeout has to be seconds", "str ('1')"),
    wrong("a bool", True, TypeError, "timeout has to be seconds", "bool (True)"),
    wrong("a list", [1], TypeError, "timeout has to be seconds", "list ([1])"),
    wrong("complex", 1j, TypeError, "timeout has to be seconds", "complex (1j)"),
]  # fmt: skip


@pytest.mark.parametrize("wait", WAITS)
@pytest.mark.parametrize("wrong", TIMEOUTS, ids=by_name)
def test_what_is_no_timeout_is_refused(bench: Workbench, wait: str, wrong: Wrong) -> None:
    check_wrong(bench, wrong, lambda b: WAITS[wait](b, wrong.value))


@pytest.mark.smoke
@pytest.mark.parametrize("wait", WAITS)
@pytest.mark.parametrize("timeout", [0, 0.0, 5e-324, 1e-9, 0.01], ids=repr)
def test_a_wait_that_nobody_will_satisfy_runs_out(
    bench: Workbench, wait: str, timeout: float
) -> None:
    before = bench.live()
    go = bench.device.create_event()
    bench.stream.wait(go)
    with pytest.raises(TimeoutError) as refusal:
        WAITS[wait](bench, timeout)
    assert isinstance(refusal.value, nexus.NexusError)
    assert refusal.value.status == status.NXS_Timeout
    assert str(refusal.value).endswith(".")
    go.signal()
    bench.stream.synchronize(LONG)
    go.close()
    del go, refusal
    check_unharmed(bench, before)


@pytest.mark.parametrize("timeout", [None, float("inf"), 1e300, 2**63, 1e-9, 0], ids=repr)
def test_any_timeout_will_do_for_what_is_done(bench: Workbench, timeout: float | None) -> None:
    assert bench.event.wait(REACHED, timeout) == status.NXS_Success
    bench.stream.synchronize(timeout)


def test_a_run_that_does_not_wait_has_no_timeout(bench: Workbench) -> None:
    check_refused(
        bench,
        refused("", lambda b: b.schedule.run(blocking=False, timeout=1.0), ValueError,
                "timeout is 1.0", "waits for nothing"),
    )  # fmt: skip


@pytest.mark.parametrize(
    "case",
    [
        refused("of the past", lambda b: b.event.elapsed_ms(b.event),
                nexus.NexusError, "start", "timing", status=status.NXS_ProfilingInfoNotAvailable),
        refused("of a schedule without timed runs", lambda b: b.schedule.elapsed_ms,
                nexus.NexusError, "timing", status=status.NXS_ProfilingInfoNotAvailable),
        refused("from no event", lambda b: b.event.elapsed_ms(None),
                TypeError, "start has to be a nexus.Event", "NoneType (None)"),
        refused("from a stream", lambda b: b.event.elapsed_ms(b.stream),
                TypeError, "start has to be a nexus.Event", "nexus.Stream"),
    ],
    ids=by_name,
)  # fmt: skip
def test_a_time_that_was_not_taken_is_refused(bench: Workbench, case: Case) -> None:
    check_refused(bench, case)
