# SPDX-License-Identifier: Apache-2.0
"""Work that fails after it was submitted: every waiter is told why and where, others go on."""

from __future__ import annotations

import threading
from collections.abc import Callable

import numpy as np
import pytest
from faulty_device import COUNT, LONG, LOST, Bench, faults, gate

import nexus
from nexus.status import Status

CAUSE = "the work of nxsRunSchedule fails on demand"


def name_of(schedule: nexus.Schedule) -> str:
    """Returns the schedule's name in errors."""
    return schedule.get_property_str("Name").capitalize()


def lose(bench: Bench, stream: nexus.Stream | None = None) -> nexus.Schedule:
    """Submits a run that will fail, behind work that has not begun: use it within gate()."""
    stream = stream or bench.stream
    schedule = bench.filling(1)
    with faults("FillBuffer=hold", "RunSchedule=late:NXS_DeviceLost"):
        bench.floats().fill(1, stream=stream, blocking=False)
        schedule.run(stream, blocking=False)
    return schedule


def told(wait: Callable[[], object]) -> nexus.NexusError:
    """The error that wait raises."""
    with pytest.raises(nexus.NexusError) as raised:
        wait()
    return raised.value


def check_cause(error: nexus.NexusError, schedule: nexus.Schedule, run: int = 1) -> None:
    """The error is that of lose(), with the place, once."""
    assert error.status == LOST
    assert error.native_code == -7
    assert error.backend == "faulty"
    place = f"{name_of(schedule)}, run {run}: command 0 (kernel 'fill_f32') is not known complete."
    assert str(error).count(CAUSE) == 1
    assert str(error).count(place) == 1
    assert str(error).count("not known complete") == 1


WAITERS: dict[str, Callable[[Bench], object]] = {
    "stream.synchronize": lambda b: b.stream.synchronize(LONG),
    "device.synchronize": lambda b: b.device.synchronize(LONG),
    "event.wait": lambda b: b.event.wait(1, LONG),
    "a blocking run": lambda b: b.filling(2).run(b.stream, timeout=LONG),
    "a blocking copy in the stream": lambda b: b.buffer.copy_from(
        np.zeros(COUNT, np.float32), stream=b.stream
    ),
    "a copy of the buffer": lambda b: b.buffer.numpy(),
}


def test_all_who_wait_are_told_the_cause_and_the_place(bench: Bench) -> None:
    errors: list[nexus.NexusError] = []
    with gate():
        schedule = lose(bench)
        bench.stream.signal(bench.event)
        threads = [
            threading.Thread(target=lambda wait=wait: errors.append(told(lambda: wait(bench))))
            for wait in WAITERS.values()
        ]
        for thread in threads:
            thread.start()
    for thread in threads:
        thread.join(LONG)
    assert len(errors) == len(WAITERS)
    for error in errors:
        check_cause(error, schedule)
    bench.stream.close()


def test_streams_that_wait_fail_with_the_cause_and_others_go_on(bench: Bench) -> None:
    waiting = [bench.device.create_stream() for _ in range(2)]
    other = bench.device.create_stream()
    with gate():
        schedule = lose(bench)
        bench.stream.signal(bench.event)
        waiting[0].wait(bench.event)
        next_event = bench.device.create_event()
        waiting[0].signal(next_event)
        waiting[1].wait(next_event)
        out = bench.floats()
        bench.filling(7, out).run(other, timeout=LONG)
    # The streams that wait are asked first, while nobody was told of the one that failed.
    check_cause(told(lambda: waiting[1].synchronize(LONG)), schedule)
    check_cause(told(lambda: waiting[0].synchronize(LONG)), schedule)
    check_cause(told(lambda: next_event.wait(1, LONG)), schedule)
    check_cause(told(lambda: bench.stream.synchronize(LONG)), schedule)
    other.synchronize(LONG)
    assert out.numpy().tolist() == [7] * COUNT
    for stream in (bench.stream, *waiting):
        stream.close()
    bench.device.synchronize(LONG)


def test_the_cause_outlives_the_stream_that_failed(bench: Bench) -> None:
    waiting = bench.device.create_stream()
    with gate():
        schedule = lose(bench)
        bench.stream.signal(bench.event)
        waiting.wait(bench.event)
    check_cause(told(lambda: bench.stream.synchronize(LONG)), schedule)
    bench.stream.close()
    check_cause(told(lambda: waiting.synchronize(LONG)), schedule)
    waiting.close()


def test_runs_are_counted(bench: Bench) -> None:
    schedule = bench.filling(1)
    with faults("RunSchedule:4=late:NXS_DeviceLost"):
        for _ in range(4):
            schedule.run(bench.stream, blocking=False)
        check_cause(told(lambda: bench.stream.synchronize(LONG)), schedule, 4)
    bench.stream.close()


def test_of_several_commands_the_first_and_last_are_named(bench: Bench) -> None:
    schedule = bench.device.create_schedule()
    schedule.create_signal_command(bench.event)
    bench.fill(schedule, 1)
    bench.fail(schedule)
    schedule.create_copy_command(bench.floats(), bench.buffer)
    schedule.create_signal_command(bench.event, 2)
    error = told(lambda: schedule.run(bench.stream, timeout=LONG))
    assert error.status == Status.NXS_InternalError
    assert str(error).endswith(
        f"{name_of(schedule)}, run 1: commands 1 (kernel 'fill_f32') to 3 (copy) are not known "
        "complete, nor are those after them; NEXUS_LAYERS=sync names the one that failed."
    )
    bench.stream.close()


@pytest.mark.parametrize("cut", [False, True], ids=["in one piece", "with a signal within"])
def test_commands_of_a_nested_schedule_are_named_through_the_nesting(
    bench: Bench, cut: bool
) -> None:
    inner, between, outer = (bench.device.create_schedule() for _ in range(3))
    if cut:
        inner.create_signal_command(bench.event)
    bench.fail(inner)
    between.create_schedule_command(inner)
    bench.fill(outer, 1)
    outer.create_schedule_command(between)
    bench.fill(outer, 2)
    error = told(lambda: outer.run(bench.stream, timeout=LONG))
    first, last = "0 (kernel 'fill_f32')", "2 (kernel 'fill_f32')"
    if cut:  # a part of the run begins after the signal
        names = [each.get_property_str("Name") for each in (between, inner)]
        first = f"1 ({names[0]}: command 0 ({names[1]}: command 1 (kernel 'fail')))"
    assert str(error).endswith(
        f"{name_of(outer)}, run 1: commands {first} to {last} are not known complete; "
        "NEXUS_LAYERS=sync names the one that failed."
    )
    bench.stream.close()


@pytest.mark.parametrize("change", ["enabled", "removed", "rebound"])
def test_commands_are_named_after_a_change(bench: Bench, change: str) -> None:
    schedule = bench.device.create_schedule()
    first = bench.fill(schedule, 1)
    copy = schedule.create_copy_command(bench.floats(), bench.buffer)
    schedule.create_signal_command(bench.event)
    bench.fail(schedule)
    if change == "enabled":
        first.enabled = copy.enabled = False
    elif change == "removed":
        copy.remove()
    else:
        copy.set_buffer(0, bench.floats())
    error = told(lambda: schedule.run(bench.stream, timeout=LONG))
    number = 2 if change == "removed" else 3
    assert str(error).endswith(
        f"{name_of(schedule)}, run 1: command {number} (kernel 'fail') is not known complete."
    )
    bench.stream.close()


@pytest.mark.parametrize("function", ["CreateBuffer", "WriteBuffer", "CopyBuffer"])
def test_a_copy_from_or_to_an_array_is_named(bench: Bench, function: str) -> None:
    schedule, numbers = bench.device.create_schedule(), np.zeros(COUNT, np.float32)
    bench.fill(schedule, 1)
    # Without this the device uses the array in place.
    with faults("CreateBuffer=NXS_InvalidHostPtr"):
        if function == "CopyBuffer":
            schedule.create_copy_command(numbers, bench.buffer)
        else:
            schedule.create_copy_command(bench.buffer, numbers)
    if function == "CreateBuffer":
        schedule.run(bench.stream, timeout=LONG)
        assert bench.buffer.numpy().tolist() == [0] * COUNT
        return
    with faults(f"{function}=late:NXS_DeviceLost"):
        error = told(lambda: schedule.run(bench.stream, timeout=LONG))
    assert error.status == LOST
    assert f"{name_of(schedule)}, run 1: command 1 (copy)" in str(error)
    bench.stream.close()


COPIES: dict[str, tuple[str, Callable[[Bench], object]]] = {
    "CopyBuffer": ("A copy to the host", lambda b: b.buffer.numpy()),
    "WriteBuffer": (
        "A copy from the host", lambda b: b.buffer.copy_from(np.zeros(COUNT, np.float32))
    ),
    "TransferBuffer": ("A copy between buffers", lambda b: b.buffer.copy_from(b.floats())),
    "FillBuffer": ("A fill", lambda b: b.buffer.fill(1)),
}  # fmt: skip


@pytest.mark.parametrize("function", COPIES)
def test_copies_and_fills_are_named(bench: Bench, function: str) -> None:
    name, copy = COPIES[function]
    with faults(f"{function}=late:NXS_DeviceLost"):
        error = told(lambda: copy(bench))
    assert error.status == LOST
    assert str(error).endswith(f"{name} is not known complete.")
    bench.check_works()


def test_a_run_that_was_held_back_is_named(bench: Bench) -> None:
    go = bench.device.create_event()
    bench.stream.wait(go)
    schedule = bench.filling(1)
    with faults("RunSchedule=late:NXS_DeviceLost"):
        schedule.run(bench.stream, blocking=False)
        bench.stream.signal(bench.event)
        go.signal()
        check_cause(told(lambda: bench.stream.synchronize(LONG)), schedule)
    check_cause(told(lambda: bench.event.wait(1, LONG)), schedule)
    bench.stream.close()


def test_a_run_that_was_held_back_and_is_refused_is_named(bench: Bench) -> None:
    go = bench.device.create_event()
    bench.stream.wait(go)
    schedule = bench.filling(1)
    with faults("RunSchedule=NXS_OutOfResources"):
        schedule.run(bench.stream, blocking=False)
        bench.stream.signal(bench.event)
        go.signal()
    for wait in (lambda: bench.stream.synchronize(LONG), lambda: bench.event.wait(1, LONG)):
        error = told(wait)
        assert error.status == Status.NXS_OutOfResources
        assert error.native_code == -7
        place = f"{name_of(schedule)}, run 1: command 0 (kernel 'fill_f32') was not submitted."
        assert str(error).count(place) == 1
    bench.stream.close()


def test_work_from_long_ago_says_that_it_is_not_known_any_more(bench: Bench) -> None:
    with gate():
        lose(bench)
        for _ in range(40):
            bench.floats().fill(1, stream=bench.stream, blocking=False)
    error = told(lambda: bench.stream.synchronize(LONG))
    assert error.status == LOST
    assert "more than 32 submissions ago" in str(error)
    assert "NEXUS_LAYERS=sync" in str(error)
    bench.stream.close()


def test_a_failed_run_leaves_its_schedule_usable_in_another_stream(bench: Bench) -> None:
    with gate():
        schedule = lose(bench)
    told(lambda: bench.stream.synchronize(LONG))
    assert schedule.get_property_str("Status") == "Error"
    bench.stream.close()
    bench.stream = bench.device.create_stream()
    schedule.run(bench.stream, timeout=LONG)
    assert schedule.get_property_str("Status") == "Complete"
    bench.check_works()


@pytest.mark.parametrize("waiter", ["stream.synchronize", "device.synchronize", "event.wait"])
def test_a_device_lost_while_work_runs_ends_every_wait(bench: Bench, waiter: str) -> None:
    with gate():
        with faults("FillBuffer=hold"):
            bench.buffer.fill(1, stream=bench.stream, blocking=False)
            bench.stream.signal(bench.event)
        with faults("*=NXS_DeviceLost"):
            assert told(lambda: WAITERS[waiter](bench)).status == LOST
    bench.stream.synchronize(LONG)  # here the device comes back
    bench.check_works()
