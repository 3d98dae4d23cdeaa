# SPDX-License-Identifier: Apache-2.0
"""Captured work of other libraries: what a command of it does, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
import pytest

import nexus
from nexus.conformance._applies import not_applicable
from nexus.conformance.api.schedules.other_library import OtherLibrary
from nexus.conformance.api.workbench import LONG, After, Obstacle, Workbench, refused, values

needs_capture = pytest.mark.needs("Capture")
INVALID_OPERATION = nexus.status.NXS_InvalidOperation
NOT_SUPPORTED = nexus.status.NXS_NotSupported


@pytest.fixture
def other(work: Workbench) -> OtherLibrary:
    return OtherLibrary(work.device)


def captured(work: Workbench, other: OtherLibrary, out: nexus.Buffer, value: int) -> nexus.Schedule:
    """Makes a schedule with one command: the other library's fill."""
    schedule = work.device.create_schedule()
    with schedule.capture() as stream:
        other.fill(stream, out, value)
    return schedule


def capture(
    schedule: nexus.Schedule,
    body: Callable[[nexus.Stream], object],
    stream: nexus.Stream | None = None,
    after: After = None,
) -> None:
    """Captures the work that a function submits to the stream."""
    with schedule.capture(stream, after=after) as captures:
        body(captures)


def empty_of(schedule: nexus.Schedule) -> bool:
    return len(schedule.get_commands()) == 0


# ---- What it does ----


@pytest.mark.promise("capture-work")
@needs_capture
def test_the_work_is_done_by_runs_only(work: Workbench, other: OtherLibrary) -> None:
    x, schedule = work.ints(1), work.device.create_schedule()
    with schedule.capture() as stream:
        other.fill(stream, x, 2)
        other.fill(stream, x, 3)
    (command,) = schedule.get_commands()
    assert command.type == nexus.command_type.Captured
    assert values(x) == {1}
    for _ in range(3):
        schedule.run(timeout=LONG)
        assert values(x) == {3}
        x.fill(1)


@pytest.mark.promise("capture-work")
@needs_capture
@pytest.mark.parametrize("prepared", [False, True])
def test_it_is_in_order_with_other_commands(
    work: Workbench, other: OtherLibrary, prepared: bool
) -> None:
    x, y, z = work.ints(), work.ints(), work.ints()
    schedule = work.device.create_schedule()
    first = work.fill(schedule, x, 1)
    work.copy(schedule, x, y)
    with schedule.capture() as stream:
        other.fill(stream, x, 5)
    work.add(schedule, x, y, z)
    if prepared:
        schedule.prepare()
    for number in (1, 7, 20):
        first.set_arg(1, np.int32(number))
        schedule.run(timeout=LONG)
        assert values(z) == {number + 5}
    schedule.run(timeout=LONG, times=3)
    assert values(z) == {25}


@pytest.mark.promise("capture-work")
@needs_capture
def test_it_can_follow_any_command(work: Workbench, other: OtherLibrary) -> None:
    x, y, z = work.ints(), work.ints(), work.ints()
    schedule = work.device.create_schedule()
    first = work.fill(schedule, x, 1)
    work.fill(schedule, y, 2, after=[])
    with schedule.capture(after=[first]) as stream:
        other.fill(stream, x, 5)
    newest = schedule.get_commands()[-1]
    assert newest.get_property_int_vec("Predecessors") == [0]
    work.add(schedule, x, y, z, after=list(schedule.get_commands()))
    for _ in range(3):
        schedule.run(timeout=LONG)
        assert values(z) == {7}
        z.fill(0)


@pytest.mark.promise("capture-work")
@needs_capture
def test_it_runs_in_nested_schedules(work: Workbench, other: OtherLibrary) -> None:
    x, counter = work.ints(), work.ints()
    outer, counting = work.device.create_schedule(), work.counting(counter)
    inner = captured(work, other, x, 4)
    for each in (counting, inner, counting, inner):
        outer.create_schedule_command(each)
    for turn in (1, 2, 3):
        outer.run(timeout=LONG)
        assert values(x) == {4}
        assert values(counter) == {2 * turn}
        x.fill(0)
    inner.close()
    outer.run(timeout=LONG)
    assert values(x) == {4}


@pytest.mark.promise("capture-work")
@needs_capture
def test_changes_of_commands_keep_the_work(work: Workbench, other: OtherLibrary) -> None:
    x, y = work.ints(), work.ints()
    schedule = captured(work, other, x, 4)
    copy = schedule.create_copy_command(y, x)
    (command, _) = schedule.get_commands()
    schedule.run(timeout=LONG)
    command.enabled = False
    x.fill(1)
    schedule.run(timeout=LONG)
    assert values(x) == values(y) == {1}
    command.enabled = True
    copy.set_buffer(0, z := work.ints())
    for _ in range(2):
        schedule.run(timeout=LONG)
        assert values(x) == values(z) == {4}
        x.fill(0)
    copy.remove()
    schedule.run(timeout=LONG)
    assert values(x) == {4}
    command.remove()
    x.fill(0)
    schedule.run(timeout=LONG)
    assert values(x) == {0}


@pytest.mark.promise("capture-work")
@needs_capture
def test_a_capture_may_be_empty(work: Workbench) -> None:
    x, y, schedule = work.ints(), work.ints(), work.device.create_schedule()
    work.fill(schedule, x, 3)
    with schedule.capture():
        pass
    work.copy(schedule, x, y)
    for _ in range(2):
        schedule.run(timeout=LONG)
        assert values(y) == {3}


@pytest.mark.promise("capture-work")
@needs_capture
def test_runs_in_several_streams_do_it(work: Workbench, other: OtherLibrary) -> None:
    x = work.ints()
    schedule = captured(work, other, x, 9)
    for _ in range(4):
        with work.device.create_stream() as stream:
            schedule.run(stream, blocking=False)
            stream.synchronize(LONG)
            assert values(x) == {9}
            x.fill(0)


@pytest.mark.promise("capture-work")
@needs_capture
def test_it_is_shown_and_not_described(work: Workbench, other: OtherLibrary) -> None:
    schedule = captured(work, other, work.ints(), 1)
    (command,) = schedule.get_commands()
    assert command.get_property_str("Replay") == "native"
    assert command.get_property_str("Type") == "Captured"
    assert repr(command) == "<nexus.Command captured work>"
    assert "0 captured work" in str(schedule)
    assert "captured work" in schedule.to_dot()
    with pytest.raises(ValueError, match=r"Command 0 of schedule .* is a Captured command"):
        schedule.describe()
    error = refused(lambda: command.set_arg(0, 1))
    assert "command has no kernel" in str(error)


# ---- The stream ----


@pytest.mark.promise("capture-stream")
@needs_capture
def test_a_stream_of_the_program_captures(work: Workbench, other: OtherLibrary) -> None:
    x, y, schedule = work.ints(), work.ints(), work.device.create_schedule()
    with work.device.create_stream() as own:
        handle = own.native_handle
        for value in (2, 3):
            with schedule.capture(own) as stream:
                assert stream is own
                assert stream.native_handle == handle
                other.fill(stream, x, value)
                assert own.is_idle
        y.fill(7, stream=own)
        schedule.run(own, timeout=LONG)
        assert values(x) == {3}
        assert values(y) == {7}


@pytest.mark.promise("capture-stream")
@needs_capture
def test_earlier_work_of_the_stream_goes_on(work: Workbench, other: OtherLibrary) -> None:
    x, schedule = work.ints(1), work.device.create_schedule()
    with work.device.create_stream() as own:
        work.spinning().run(own, blocking=False)
        x.fill(6, stream=own, blocking=False)
        with schedule.capture(own):
            other.fill(own, x, 8)
            own.synchronize(LONG)
            assert values(x) == {6}
        schedule.run(own, timeout=LONG)
        assert values(x) == {8}


@pytest.mark.promise("capture-stream")
@pytest.mark.needs("ForeignStream")
@needs_capture
def test_a_stream_of_the_other_library_captures(work: Workbench, other: OtherLibrary) -> None:
    x, schedule = work.ints(), work.device.create_schedule()
    with other.stream() as handle, work.device.create_stream(foreign=handle) as theirs:
        with schedule.capture(theirs) as stream:
            other.fill(stream, x, 3)
            assert "captures" in str(refused(lambda: x.fill(1, stream=theirs)))
        assert values(x) == {0}
        schedule.run(theirs, timeout=LONG)
        assert values(x) == {3}
        theirs.synchronize(LONG)


@pytest.mark.promise("capture-stream")
@needs_capture
def test_work_of_nexus_in_the_stream_is_refused(work: Workbench, other: OtherLibrary) -> None:
    x, y, schedule = work.ints(), work.ints(), work.device.create_schedule()
    event, filling = work.device.create_event(), work.filling(x, 1)
    with schedule.capture() as stream:
        other.fill(stream, x, 2)
        calls: list[Callable[[], object]] = [
            lambda: filling.run(stream),
            lambda: filling.run(stream, blocking=False),
            lambda: x.fill(1, stream=stream),
            lambda: y.copy_from(x, stream=stream),
            lambda: x.copy_from(np.zeros(x.shape, np.int32), stream=stream),
            lambda: stream.signal(event),
            lambda: stream.wait(event),
            lambda: stream.add_callback(print),
        ]
        for call in calls:
            error = refused(call)
            assert error.status == INVALID_OPERATION
            assert "The stream captures the work of another library" in str(error)
        assert "captures the work" in str(refused(lambda: capture(schedule, id, stream)))
        other.fill(stream, y, 3)
    schedule.run(timeout=LONG)
    assert values(x) == {2}
    assert values(y) == {3}


@pytest.mark.promise("capture-stream")
@needs_capture
def test_other_streams_and_memory_are_not_disturbed(work: Workbench, other: OtherLibrary) -> None:
    x, y, schedule = work.ints(), work.ints(), work.device.create_schedule()
    with work.device.create_stream() as own:
        more = work.ints()
        more.fill(4, stream=own)
        with schedule.capture(own) as stream:
            other.fill(stream, x, 2)
            more.close()  # was used in the stream
            work.filling(y, 5).run(timeout=LONG)
            assert values(y) == {5}
            assert values(work.ints(6)) == {6}
            work.device.synchronize(LONG)
            other.fill(stream, y, 3)
    schedule.run(timeout=LONG)
    assert values(x) == {2}
    assert values(y) == {3}


@pytest.mark.promise("capture-stream")
@needs_capture
def test_work_that_waits_for_a_signal_refuses_a_capture(work: Workbench) -> None:
    schedule = work.device.create_schedule()
    with work.device.create_stream() as own, Obstacle(work, running=False).before(own) as release:
        work.ints().fill(1, stream=own, blocking=False)
        error = refused(lambda: capture(schedule, id, own))
        assert error.status == INVALID_OPERATION
        assert "waits for an unsignalled event" in str(error)
        release()
        own.synchronize(LONG)


# ---- The end ----


@pytest.mark.promise("capture-end")
@needs_capture
def test_an_exception_ends_it_without_a_command(work: Workbench, other: OtherLibrary) -> None:
    x, schedule = work.ints(), work.device.create_schedule()

    def body(stream: nexus.Stream) -> None:
        other.fill(stream, x, 2)
        raise KeyError

    with work.device.create_stream() as own:
        with pytest.raises(KeyError):
            capture(schedule, body, own)
        assert empty_of(schedule)
        x.fill(1, stream=own)
        schedule.run(own, timeout=LONG)
    assert values(x) == {1}


@pytest.mark.promise("capture-end")
@needs_capture
def test_a_forbidden_call_makes_it_invalid(work: Workbench, other: OtherLibrary) -> None:
    x, schedule = work.ints(), work.device.create_schedule()

    def body(stream: nexus.Stream) -> None:
        other.fill(stream, x, 2)
        assert not other.synchronize(stream)

    with work.device.create_stream() as own:
        error = refused(lambda: capture(schedule, body, own))
        assert error.status == INVALID_OPERATION
        assert "a call during the capture is forbidden there" in str(error)
        assert "(901)" in str(error)  # of the driver
        assert error.native_code == 901
        assert empty_of(schedule)
        with schedule.capture(own):
            other.fill(own, x, 3)
        schedule.run(own, timeout=LONG)
    assert values(x) == {3}


@pytest.mark.promise("capture-end")
@needs_capture
def test_work_that_allocates_is_refused(work: Workbench, other: OtherLibrary) -> None:
    schedule = work.device.create_schedule()
    error = refused(lambda: capture(schedule, other.allocate))  # which never happens
    assert error.status == NOT_SUPPORTED
    assert "allocates or frees memory in the stream" in str(error)
    assert empty_of(schedule)


@pytest.mark.promise("capture-end")
@needs_capture
@pytest.mark.parametrize("closed", ["stream", "schedule"])
def test_closing_ends_it(work: Workbench, other: OtherLibrary, closed: str) -> None:
    x, schedule = work.ints(), work.device.create_schedule()
    own = work.device.create_stream()

    def body(stream: nexus.Stream) -> None:
        other.fill(stream, x, 2)
        (own if closed == "stream" else schedule).close()

    with pytest.raises(RuntimeError, match="closed"):
        capture(schedule, body, own)
    if closed == "stream":
        assert empty_of(schedule)
    else:
        x.fill(4, stream=own)
        assert values(x) == {4}
        own.close()
    work.device.synchronize(LONG)


@pytest.mark.promise("capture-end")
@needs_capture
def test_a_run_in_flight_refuses_the_command(work: Workbench, other: OtherLibrary) -> None:
    x, schedule = work.ints(), work.spinning()
    with work.device.create_stream() as own, work.device.create_stream() as running:
        go = work.device.create_event()
        running.wait(go)

        def body(stream: nexus.Stream) -> None:
            schedule.run(running, blocking=False)
            other.fill(stream, x, 2)

        error = refused(lambda: capture(schedule, body, own))
        assert error.status == INVALID_OPERATION
        assert "is in flight" in str(error)
        assert "is in flight" in str(refused(lambda: capture(schedule, id, own)))
        go.signal()
        running.synchronize(LONG)
        x.fill(1, stream=own)
    assert values(x) == {1}


@pytest.mark.promise("capture-end")
@needs_capture
def test_a_wrong_predecessor_ends_it(work: Workbench, other: OtherLibrary) -> None:
    x, schedule, foreign = work.ints(), work.device.create_schedule(), work.filling(work.ints(), 1)
    with work.device.create_stream() as own:
        after = foreign.get_commands()
        body = partial(other.fill, buffer=x, value=2)
        error = refused(lambda: capture(schedule, body, own, after))
        assert "after[0] is a command of schedule" in str(error)
        x.fill(1, stream=own)
    assert empty_of(schedule)
    assert values(x) == {1}


@pytest.mark.promise("capture-work")
def test_without_the_capability_it_is_refused(work: Workbench) -> None:
    bits = work.device.runtime.get_property_int("Capabilities")
    if bits & nexus.capability.Capture:
        not_applicable("the backend captures")
    schedule = work.device.create_schedule()
    error = refused(lambda: capture(schedule, id))
    assert error.status == NOT_SUPPORTED
    assert "can't capture the work of other libraries" in str(error)
