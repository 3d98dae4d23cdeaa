# SPDX-License-Identifier: Apache-2.0
"""Work that fails after its submission, by a kernel that the vendor names."""

from __future__ import annotations

import queue
from collections.abc import Callable

import pytest

import nexus
from nexus.conformance._applies import not_applicable
from nexus.conformance._settings import Settings
from nexus.conformance.api.workbench import COUNT, LONG, Workbench, refused, values


class Failing:
    """Submits work that fails."""

    def __init__(self, work: Workbench, kernel: nexus.Kernel) -> None:
        self.work = work
        self.kernel = kernel
        self.stream = work.device.create_stream()
        self.go, self.event = work.device.create_event(), work.device.create_event()
        self.schedule = work.device.create_schedule()
        self.schedule.create_command(kernel, (), 2, 2)

    def submit(self) -> None:
        """Submits work that fails, then a signal; both wait for release()."""
        self.stream.wait(self.go, 1)
        self.work.spinning().run(self.stream, blocking=False)
        self.schedule.run(self.stream, blocking=False)
        self.stream.signal(self.event, 1)

    def release(self) -> None:
        """Starts the work of submit()."""
        self.go.signal(1)

    def name(self) -> str:
        """Returns the schedule's name in error messages."""
        return self.schedule.get_property_str("Name").capitalize()

    def check(self, error: nexus.NexusError | None) -> None:
        """Checks that the error is the failing kernel's and names its command, once."""
        assert error is not None
        assert error.status not in (nexus.status.NXS_Success, nexus.status.NXS_Timeout)
        assert error.backend == self.work.device.runtime.name
        place = f"{self.name()}, run 1: command 0 (kernel '{self.kernel.name}') is not known"
        assert str(error).count(place) == 1


@pytest.fixture
def failing(work: Workbench, settings: Settings) -> Failing:
    if settings.failing_kernel is None:
        not_applicable("nexus_conformance.toml names no failing_kernel")
    path, name = settings.failing_kernel
    library = work.device.compile(path) if path.suffix == ".c" else work.device.load_library(path)
    return Failing(work, library.get_kernel(name))


WAITS: dict[str, Callable[[Failing], object]] = {
    "stream": lambda each: each.stream.synchronize(LONG),
    "device": lambda each: each.work.device.synchronize(LONG),
    "event": lambda each: each.event.wait(1, LONG),
    "blocking run": lambda each: each.work.filling(each.work.ints(), 2).run(
        each.stream, timeout=LONG
    ),
    "blocking copy": lambda each: each.work.ints().fill(3, stream=each.stream),
}


@pytest.mark.promise("failure-waiters", "failure-named", "failure-cause", "failure-no-hang")
@pytest.mark.parametrize("wait", WAITS)
def test_whoever_waits_is_told_the_cause_and_the_place(failing: Failing, wait: str) -> None:
    failing.submit()
    failing.release()
    failing.check(refused(lambda: WAITS[wait](failing)))
    failing.stream.close()


@pytest.mark.promise("failure-stream")
def test_a_failed_stream_refuses_work_until_it_is_closed(failing: Failing) -> None:
    work, number = failing.work, failing.work.ints(1)
    failing.submit()
    failing.release()
    refused(lambda: failing.stream.synchronize(LONG))
    for submit in (
        lambda: work.filling(number, 2).run(failing.stream, blocking=False),
        lambda: number.fill(2, stream=failing.stream, blocking=False),
        lambda: failing.stream.signal(work.device.create_event(), 1),
    ):
        failing.check(refused(submit))
    failing.stream.close()
    failing.stream.close()
    assert values(number) == {1}


@pytest.mark.promise("failure-waiters", "failure-others", "event-done")
def test_streams_that_wait_fail_and_others_go_on(failing: Failing) -> None:
    work = failing.work
    waiting, other = (work.device.create_stream() for _ in range(2))
    untouched, result = work.ints(1), work.ints()
    failing.submit()
    waiting.wait(failing.event, 1)
    work.filling(untouched, 2).run(waiting, blocking=False)
    failing.release()
    work.filling(result, 3).run(other, timeout=LONG)
    failing.check(refused(lambda: waiting.synchronize(LONG)))
    failing.check(refused(lambda: failing.event.is_done))
    other.synchronize(LONG)
    assert values(result) == {3}
    for stream in (failing.stream, waiting):
        stream.close()
    assert values(untouched) == {1}
    work.device.synchronize(LONG)


@pytest.mark.promise("failure-others")
def test_buffers_and_the_schedule_are_usable_once_the_stream_is_closed(failing: Failing) -> None:
    work, number = failing.work, failing.work.ints(1)
    failing.submit()
    failing.release()
    with pytest.raises(nexus.NexusError):
        number.fill(2, stream=failing.stream)
    failing.stream.close()
    number.fill(4)
    assert values(number) == {4}
    again = work.device.create_stream()
    refused(lambda: failing.schedule.run(again, timeout=LONG))
    again.close()
    assert failing.schedule.get_property_str("Status") == "Error"


@pytest.mark.promise("failure-default-stream")
def test_the_default_stream_goes_on_once_the_cause_was_told(failing: Failing) -> None:
    number = failing.work.ints()
    failing.check(refused(lambda: failing.schedule.run(timeout=LONG)))
    failing.work.filling(number, 5).run(timeout=LONG)
    assert values(number) == {5}
    error = refused(failing.work.device.default_stream.close)
    assert error.status == nexus.status.NXS_InvalidOperation


@pytest.mark.promise("failure-waiters", "order-callback")
def test_a_callback_is_told_the_cause(failing: Failing) -> None:
    calls: queue.Queue[nexus.NexusError | None] = queue.Queue()
    failing.submit()
    failing.stream.add_callback(calls.put)
    failing.release()
    failing.check(calls.get(timeout=LONG))
    failing.stream.close()


@pytest.mark.promise("failure-named")
def test_the_run_is_counted_and_the_commands_are_named(failing: Failing) -> None:
    work = failing.work
    schedule, number = work.device.create_schedule(), work.ints()
    work.fill(schedule, number, 1)
    schedule.create_command(failing.kernel, (), 2, 2)
    schedule.create_copy_command(work.ints(), number)
    error = refused(lambda: schedule.run(failing.stream, timeout=LONG))
    name = schedule.get_property_str("Name").capitalize()
    assert f"{name}, run 1: commands 0 (kernel 'fill_i32') to 2 (copy)" in str(error)
    failing.stream.close()


@pytest.mark.promise("failure-no-hang")
def test_what_the_failed_stream_holds_back_fails_too(failing: Failing) -> None:
    work, go = failing.work, failing.work.device.create_event()
    later = work.device.create_event()
    failing.submit()
    failing.stream.wait(go, 1)
    work.filling(work.ints(0, COUNT), 2).run(failing.stream, blocking=False)
    failing.stream.signal(later, 1)
    failing.release()
    refused(lambda: failing.event.wait(1, LONG))
    go.signal(1)
    failing.check(refused(lambda: later.wait(1, LONG)))
    failing.stream.close()
