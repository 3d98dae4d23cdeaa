# SPDX-License-Identifier: Apache-2.0
"""Host callbacks: each is called once, in order, after the work before it."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable
from typing import Any

import pytest

from nexus.conformance import _c_types, _headers
from nexus.conformance._native import N
from nexus.conformance.capi.bench import Bench, Work

pytestmark = pytest.mark.needs("HostCallback")

_KIND = _c_types.of(_headers.functions()["EnqueueHostCallback"].parameters[1])
_KEPT: list[Any] = []  # a backend may call a callback as long as the process lives


def callback(function: Callable[[int, int], None]) -> Any:
    """Returns the function as C has it; it is called with the context and the status."""
    made = _KIND(lambda context, status: function(context or 0, status))
    _KEPT.append(made)
    return made


def enqueue(bench: Bench, stream: int, function: Any, context: int = 0) -> int:
    """Enqueues a callback; returns the ticket."""
    return int(bench.native.get("EnqueueHostCallback", stream, function, context))


def test_it_is_called_with_its_context_and_success(bench: Bench) -> None:
    stream, calls = bench.stream(), []
    function = callback(lambda context, status: calls.append((context, status)))
    bench.finish(stream, enqueue(bench, stream, function, 0x1234_5678_9ABC))
    assert calls == [(0x1234_5678_9ABC, 0)]


def test_a_context_of_null_is_taken(bench: Bench) -> None:
    stream, calls = bench.stream(), []
    function = callback(lambda context, status: calls.append(context))
    bench.finish(stream, bench.native.get("EnqueueHostCallback", stream, function, None))
    assert calls == [0]


def test_its_ticket_is_done_when_it_has_returned(bench: Bench) -> None:
    stream, inside, leave = bench.stream(), threading.Event(), threading.Event()

    def stay(context: int, status: int) -> None:
        inside.set()
        leave.wait(10)

    function = callback(stay)
    ticket = enqueue(bench, stream, function)
    assert inside.wait(bench.native.wait_seconds)
    state = bench.state(stream, ticket)
    leave.set()
    assert state == N()["NXS_CompletionState_Running"]
    bench.finish(stream, ticket)


def test_many_come_once_each_and_in_order(bench: Bench) -> None:
    stream, calls = bench.stream(), []
    function = callback(lambda context, status: calls.append(context))
    for number in range(1, 301):
        enqueue(bench, stream, function, number)
    bench.finish(stream)
    assert calls == list(range(1, 301))


def test_it_comes_after_the_work_before_it(bench: Bench) -> None:
    called = threading.Event()
    function = callback(lambda context, status: called.set())

    def add(work: Work) -> bool:
        called.clear()  # an attempt with too little work may have set it
        enqueue(bench, work.stream, function)
        return called.is_set()

    assert bench.while_running(add) is False
    assert called.wait(bench.native.wait_seconds)


def test_it_sees_what_the_work_before_it_wrote(bench: Bench) -> None:
    stream, seen = bench.stream(), []
    memory = ctypes.create_string_buffer(4)
    work = bench.long_work(1 << 20, stream)
    bench.native.get("CopyBuffer", work.buffer, 0, memory, 4, stream)
    bench.finish(stream, enqueue(bench, stream, callback(lambda c, s: seen.append(memory.raw))))
    assert seen == [bench.read(work.buffer, 4)]


@pytest.mark.parametrize("elsewhere", [False, True], ids=["its-stream", "another-stream"])
def test_it_sees_a_large_copy_to_the_host_before_it(bench: Bench, elsewhere: bool) -> None:
    """Such a copy may still run when the device's part of it is done."""
    size = 32 << 20
    stream, seen = bench.stream(), []
    buffer, memory = bench.buffer(b"\x5a" * size), ctypes.create_string_buffer(size)
    bench.native.get("CopyBuffer", buffer, 0, memory, size, stream)
    last = callback(lambda context, status: seen.append(memory[size - 1]))
    behind = stream
    if elsewhere:
        behind, event = bench.stream(), bench.event()
        bench.native.get("SignalEvent", event, stream)
        bench.native.get("WaitEvent", event, behind)
    bench.finish(behind, enqueue(bench, behind, last))
    assert seen == [b"\x5a"]


def test_it_is_not_called_by_the_thread_that_adds_it(bench: Bench) -> None:
    """The caller may hold a lock that the callback takes."""
    stream, threads = bench.stream(), []
    function = callback(lambda context, status: threads.append(threading.get_native_id()))
    bench.finish(stream, enqueue(bench, stream, function))
    assert threads != [threading.get_native_id()]


def test_one_stream_s_callback_does_not_hold_up_another_s_work(bench: Bench) -> None:
    stream, other, leave = bench.stream(), bench.stream(), threading.Event()

    def stay(context: int, status: int) -> None:
        leave.wait(10)

    ticket = enqueue(bench, stream, callback(stay))
    try:
        work = bench.long_work(1 << 10, other)
        bench.finish(other, work.ticket)
    finally:
        leave.set()
    bench.finish(stream, ticket)


def test_it_comes_though_the_stream_is_released(bench: Bench) -> None:
    stream, called = bench.stream(), threading.Event()
    bench.long_work(1 << 20, stream)
    enqueue(bench, stream, callback(lambda context, status: called.set()))
    bench.release("Stream", stream)
    assert called.wait(bench.native.wait_seconds)


def test_a_callback_of_null_is_refused(bench: Bench) -> None:
    bench.native.refuse("NXS_InvalidValue", "EnqueueHostCallback", bench.stream(), None, None)
