# SPDX-License-Identifier: Apache-2.0
"""A call that the driver took in part: its stream fails, though all the work in it completes."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from faulty_device import COUNT, LONG, REFUSED, Bench, faults, gate

import nexus

CAUSE = "fails on demand"

WORK: dict[str, tuple[str, Callable[[Bench], object]]] = {
    "a run": ("RunSchedule", lambda b: b.filling(1).run(timeout=LONG)),
    "a run that is not waited for": ("RunSchedule", lambda b: b.filling(1).run(blocking=False)),
    "a fill": ("FillBuffer", lambda b: b.buffer.fill(1)),
    "a copy to the host": ("CopyBuffer", lambda b: b.buffer.numpy()),
    "a copy from the host": ("WriteBuffer", lambda b: b.buffer.copy_from(b.buffer.numpy())),
    "a copy": ("TransferBuffer", lambda b: b.buffer.copy_from(b.floats())),
    "a signal": ("SignalEvent", lambda b: b.device.default_stream.signal(b.event)),
    "a wait": ("WaitEvent", lambda b: waiting(b)),
    "a callback": ("EnqueueHostCallback", lambda b: b.device.default_stream.add_callback(print)),
}


def waiting(bench: Bench) -> None:
    """The default stream waits for work of another one."""
    with gate(), faults("FillBuffer=hold", "WaitEvent=break:NXS_OutOfResources"):
        bench.floats().fill(1, stream=bench.stream, blocking=False)
        bench.device.default_stream.wait(bench.stream)


def told(call: Callable[[], object]) -> nexus.NexusError:
    """The error that the call raises."""
    with pytest.raises(nexus.NexusError) as raised:
        call()
    assert raised.value.status == REFUSED
    assert raised.value.native_code == -7
    assert str(raised.value).count(CAUSE) == 1
    return raised.value


def break_stream(bench: Bench, stream: nexus.Stream | None = None) -> None:
    """A run fails, and the stream with it."""
    with faults("RunSchedule=break:NXS_OutOfResources"):
        told(lambda: bench.filling(1).run(stream, blocking=False))


@pytest.mark.parametrize("work", WORK)
def test_the_default_stream_goes_on_once_the_refusal_was_raised(bench: Bench, work: str) -> None:
    function, submit = WORK[work]
    with faults(f"{function}=break:NXS_OutOfResources"):
        told(lambda: submit(bench))
    bench.filling(2).run(timeout=LONG)
    assert bench.buffer.numpy().tolist() == [2] * COUNT


def test_the_error_is_of_the_work_that_broke_the_stream(bench: Bench) -> None:
    with faults("RunSchedule=break:NXS_OutOfResources"):
        error = told(lambda: bench.filling(1).run(timeout=LONG))
    assert "could not run a schedule" in str(error)
    assert "earlier work" not in str(error)


def test_a_stream_that_breaks_again_is_told_again(bench: Bench) -> None:
    for value in range(3):
        break_stream(bench)
        bench.filling(value).run(timeout=LONG)
        assert bench.buffer.numpy().tolist() == [value] * COUNT


def test_the_default_stream_goes_on_behind_work_that_still_ran(bench: Bench) -> None:
    before = bench.floats()
    with gate():
        with faults("FillBuffer=hold"):
            before.fill(7, blocking=False)
        break_stream(bench)
    bench.device.default_stream.synchronize(LONG)
    bench.filling(2).run(timeout=LONG)
    assert bench.buffer.numpy().tolist() == [2] * COUNT
    assert before.numpy().tolist() == [7] * COUNT


def test_nothing_passes_the_work_that_still_runs(bench: Bench) -> None:
    """Until that is done the stream refuses; new work would not wait for it."""
    with gate():
        with faults("FillBuffer=hold"):
            bench.floats().fill(7, blocking=False)
        break_stream(bench)
        told(lambda: bench.filling(2).run(blocking=False))
    bench.device.default_stream.synchronize(LONG)
    bench.filling(3).run(timeout=LONG)
    assert bench.buffer.numpy().tolist() == [3] * COUNT


def test_a_refusal_hides_no_failure_of_work_that_ran_meanwhile(bench: Bench) -> None:
    with gate():
        with faults("FillBuffer=hold", "RunSchedule=late:NXS_OutOfResources"):
            bench.floats().fill(7, blocking=False)
            bench.filling(1).run(blocking=False)
        with faults("RunSchedule=NXS_OutOfResources"):
            told(lambda: bench.filling(2).run(blocking=False))
    error = told(lambda: bench.device.default_stream.synchronize(LONG))
    assert "the work of nxsRunSchedule fails on demand" in str(error)
    bench.filling(3).run(timeout=LONG)


def test_a_refusal_that_breaks_nothing_leaves_the_default_stream_as_it_is(bench: Bench) -> None:
    bench.filling(1).run(timeout=LONG)
    before = bench.device.default_stream.get_property_int("ID")
    with gate():
        with faults("FillBuffer=hold"):
            bench.floats().fill(7, blocking=False)
        with faults("RunSchedule=NXS_OutOfResources"):
            told(lambda: bench.filling(2).run(blocking=False))
    bench.filling(3).run(timeout=LONG)
    assert bench.device.default_stream.get_property_int("ID") == before


def test_a_stream_of_the_users_refuses_until_it_is_closed(bench: Bench) -> None:
    break_stream(bench, bench.stream)
    for _ in range(2):
        told(lambda: bench.filling(2).run(bench.stream, blocking=False))
        told(lambda: bench.buffer.fill(2, stream=bench.stream))
    bench.stream.synchronize(LONG)  # all that it took is done
    assert bench.stream.get_property_str("Status") == "Error"
    bench.stream.close()
    bench.stream = bench.device.create_stream()
    bench.check_works()


def test_a_copy_between_devices_is_refused_too(bench: Bench, frail_device: nexus.Device) -> None:
    break_stream(bench, bench.stream)
    there = frail_device.create_buffer(bench.buffer.numpy())
    told(lambda: there.copy_from(bench.buffer, stream=bench.stream))
    bench.stream.close()
    there.copy_from(bench.buffer)


def test_a_held_run_that_breaks_the_default_stream_is_told_once(bench: Bench) -> None:
    go = bench.device.create_event()
    default = bench.device.default_stream
    default.wait(go)
    with faults("RunSchedule=break:NXS_OutOfResources"):
        bench.filling(1).run(blocking=False)
        go.signal()
    told(lambda: default.synchronize(LONG))
    bench.filling(2).run(timeout=LONG)
    assert bench.buffer.numpy().tolist() == [2] * COUNT
