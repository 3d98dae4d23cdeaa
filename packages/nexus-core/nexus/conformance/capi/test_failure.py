# SPDX-License-Identifier: Apache-2.0
"""Work that fails after its submission: what its stream, tickets and events report.

Applies if nexus_conformance.toml names a kernel that always fails.
"""

from __future__ import annotations

import ctypes
import threading
from typing import Any

import pytest

import nexus
from nexus.conformance import _c_types, _headers
from nexus.conformance._applies import not_applicable
from nexus.conformance._native import N
from nexus.conformance._settings import Settings
from nexus.conformance.capi import calls
from nexus.conformance.capi.bench import Bench, launch, part, pattern

_FAILED = N()["NXS_CompletionState_Failed"]
_DONE = N()["NXS_CompletionState_Completed"]


@pytest.fixture
def failing(bench: Bench, settings: Settings, device: nexus.Device) -> int:
    """Makes a schedule whose run fails."""
    if settings.failing_kernel is None:
        not_applicable("nexus_conformance.toml names no failing_kernel")
    path, name = settings.failing_kernel
    code = nexus.Program(path).compile(device).code if path.suffix == ".c" else path.read_bytes()
    library = bench.create("CreateLibrary", bench.device, pattern(code), len(code))
    schedule = bench.schedule()
    command = bench.raw_command(schedule, kernel=bench.create("GetKernel", library, name))
    bench.native.get("FinalizeCommand", command, launch(64, 64))
    return schedule


def test_the_ticket_has_the_cause_in_words(bench: Bench, failing: int) -> None:
    stream = bench.stream()
    done = bench.wait(stream, bench.submit(failing, stream))
    assert done.state == _FAILED
    assert done.status in _headers.statuses()
    assert done.status < 0
    assert bench.native.error(done.error).strip()


def test_what_came_before_is_completed_and_what_came_after_has_failed(
    bench: Bench, failing: int
) -> None:
    stream, buffer = bench.stream(), bench.buffer(bytes(64))
    native, where = bench.native, part(buffer, 0, 64)
    before = native.get("FillBuffer", stream, where, pattern(b"\1"), 1)
    work = bench.long_work(1 << 20, stream)
    ticket = bench.submit(failing, stream)
    after = native.try_("FillBuffer", stream, where, pattern(b"\2"), 1)
    failed = bench.wait(stream, ticket)
    assert failed.completed == ticket - 1
    assert bench.state(stream, before) == _DONE
    assert bench.state(stream, work.ticket) == _DONE
    assert bench.state(stream, ticket) == _FAILED
    if after == "NXS_Success":
        late = native.get("QueryStream", stream, ticket + 1)
        assert (late.state, late.status, late.error) == (_FAILED, failed.status, failed.error)


_WORK = ["CopyBuffer", "WriteBuffer", "TransferBuffer", "FillBuffer", "SignalEvent", "RunSchedule",
         "WaitEvent", "EnqueueHostCallback", "MapBuffer"]  # fmt: skip


@pytest.mark.parametrize("name", _WORK)
def test_a_failed_stream_refuses_new_work_with_its_cause(
    bench: Bench, failing: int, name: str
) -> None:
    calls.need(bench, name)
    stream = bench.stream()
    given = list(calls.arguments(bench, name))
    parameters = _headers.functions()[name].parameters
    given[next(i for i, each in enumerate(parameters) if each.name == "stream")] = stream
    done = bench.wait(stream, bench.submit(failing, stream))
    bench.native.refuse(_headers.statuses()[done.status], name, *given)
    assert bench.native.said_last == bench.native.error(done.error)


def test_an_event_behind_it_fails_with_the_cause(bench: Bench, failing: int) -> None:
    stream, event = bench.stream(), bench.event()
    bench.long_work(1 << 20, stream)
    bench.submit(failing, stream)
    if bench.native.try_("SignalEvent", event, stream) != "NXS_Success":
        return  # it had failed by then
    failed, told = bench.wait(stream), bench.wait_event(event)
    assert (told.state, told.status) == (_FAILED, failed.status)
    assert bench.native.error(told.error) == bench.native.error(failed.error)


def test_a_stream_that_waits_for_it_fails_with_the_same_cause(bench: Bench, failing: int) -> None:
    stream, waiting, event = bench.stream(), bench.stream(), bench.event()
    bench.long_work(1 << 20, stream)
    bench.submit(failing, stream)
    if bench.native.try_("SignalEvent", event, stream) != "NXS_Success":
        return
    bench.native.get("WaitEvent", event, waiting)
    failed, told = bench.wait(stream), bench.wait(waiting)
    assert (told.state, told.status) == (_FAILED, failed.status)
    assert bench.native.error(told.error) == bench.native.error(failed.error)


@pytest.mark.needs("Conditions")
def test_what_fails_in_a_body_fails_the_run(bench: Bench, failing: int) -> None:
    stream, outer, one = bench.stream(), bench.schedule(), bench.buffer(b"\1\0\0\0")
    where, kind = part(one, 0, 4), N()["NXS_CommandType_While"]
    bench.create("CreateConditionCommand", outer, kind, where, calls.ids(failing), 1, 5)
    done = bench.wait(stream, bench.submit(outer, stream))
    assert done.state == _FAILED
    assert bench.native.error(done.error).strip()


def test_other_streams_go_on(bench: Bench, failing: int) -> None:
    stream, other, buffer = bench.stream(), bench.stream(), bench.buffer(bytes(64))
    bench.wait(stream, bench.submit(failing, stream))
    bench.finish(other, bench.fill(other, buffer, 64, b"\3"))
    bench.release("Stream", stream)
    assert bench.read(buffer, 64) == b"\3" * 64


def test_the_schedule_is_usable_again_in_another_stream(bench: Bench, failing: int) -> None:
    first, second = bench.stream(), bench.stream()
    states = [bench.wait(stream, bench.submit(failing, stream)).state for stream in (first, second)]
    assert states == [_FAILED, _FAILED]


def test_an_event_signalled_anew_forgets_the_failure(bench: Bench, failing: int) -> None:
    stream, other, event = bench.stream(), bench.stream(), bench.event()
    bench.submit(failing, stream)
    bench.native.try_("SignalEvent", event, stream)
    bench.wait(stream)
    bench.native.get("SignalEvent", event, other)
    assert bench.wait_event(event).state == _DONE


@pytest.mark.needs("HostCallback")
def test_a_callback_behind_it_is_called_with_the_status(bench: Bench, failing: int) -> None:
    kind: Any = _c_types.of(_headers.functions()["EnqueueHostCallback"].parameters[1])
    statuses: list[int] = []
    called = threading.Event()

    def note(context: int | None, status: int) -> None:
        statuses.append(status)
        called.set()

    function = kind(note)
    stream = bench.stream()
    bench.long_work(1 << 20, stream)
    bench.submit(failing, stream)
    if bench.native.try_("EnqueueHostCallback", stream, function, None) != "NXS_Success":
        return
    done = bench.wait(stream)
    assert called.wait(bench.native.wait_seconds)
    assert statuses == [done.status]


def test_memory_of_a_failed_stream_is_the_callers_again(bench: Bench, failing: int) -> None:
    """A copy behind the failure does not write once its ticket is done."""
    stream, buffer = bench.stream(), bench.buffer(b"\5" * 64)
    memory = ctypes.create_string_buffer(64)
    bench.long_work(1 << 20, stream)
    bench.submit(failing, stream)
    bench.native.try_("CopyBuffer", buffer, 0, memory, 64, stream)
    bench.wait(stream)
    ctypes.memset(memory, 9, 64)
    bench.read(buffer, 64)
    assert memory.raw == b"\x09" * 64
