# SPDX-License-Identifier: Apache-2.0
"""Callbacks of streams."""

from __future__ import annotations

import queue
import sys
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import nexus
from nexus.conformance.api.workbench import COUNT, LONG, Obstacle, Workbench, values

pytestmark = pytest.mark.promise("order-callback")


@pytest.fixture
def calls() -> queue.Queue[Any]:
    return queue.Queue()


def test_a_callback_comes_after_the_earlier_work(
    obstacle: Obstacle, calls: queue.Queue[Any]
) -> None:
    work, host = obstacle.work, np.zeros(COUNT, np.int32)
    stream, number = work.device.create_stream(), work.ints()
    with obstacle.before(stream) as release:
        work.filling(number, 5).run(stream, blocking=False)
        number.copy(host, stream=stream, blocking=False)
        stream.add_callback(lambda error: calls.put((error, set(host.tolist()))))
        if not obstacle.running:
            assert calls.empty()
        release()
        assert calls.get(timeout=LONG) == (None, {5})


def test_callbacks_come_once_and_in_order(work: Workbench, calls: queue.Queue[Any]) -> None:
    stream = work.device.create_stream()

    def numbered(number: int) -> Callable[[object], None]:
        return lambda _: calls.put((number, threading.get_ident()))

    for number in range(30):
        work.filling(work.ints(), 1).run(stream, blocking=False)
        stream.add_callback(numbered(number))
    numbers, threads = zip(*[calls.get(timeout=LONG) for _ in range(30)], strict=True)
    assert list(numbers) == list(range(30))
    assert len(set(threads)) == 1
    stream.synchronize(LONG)
    assert calls.empty()


def test_later_work_does_not_wait_for_a_callback(work: Workbench, calls: queue.Queue[Any]) -> None:
    stream, go, number = work.device.create_stream(), threading.Event(), work.ints()
    stream.add_callback(lambda _: calls.put(go.wait(LONG)))
    work.filling(number, 2).run(stream, blocking=False)
    stream.synchronize(LONG)
    assert calls.empty()
    assert values(number) == {2}
    go.set()
    assert calls.get(timeout=LONG) is True


def test_a_callback_may_use_nexus(work: Workbench, calls: queue.Queue[Any]) -> None:
    stream, event = work.device.create_stream(), work.device.create_event()
    number = work.ints()

    def use(_: object) -> None:
        work.filling(number, 7).run(work.device.create_stream(), timeout=LONG)
        event.signal(1)
        calls.put(values(number))

    stream.add_callback(use)
    stream.wait(event, 1)
    stream.synchronize(LONG)
    assert calls.get(timeout=LONG) == {7}


def test_what_a_callback_raises_goes_to_the_hook_and_the_next_one_comes(
    work: Workbench, calls: queue.Queue[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    raised: queue.Queue[Any] = queue.Queue()
    monkeypatch.setattr(sys, "unraisablehook", lambda args: raised.put(type(args.exc_value)))

    def fails(_: object) -> None:
        raise LookupError

    stream = work.device.create_stream()
    stream.add_callback(fails)
    stream.add_callback(calls.put)
    assert calls.get(timeout=LONG) is None
    assert raised.get(timeout=LONG) is LookupError


def test_a_callback_of_cancelled_work_gets_the_cause(
    work: Workbench, calls: queue.Queue[Any]
) -> None:
    stream, event = work.device.create_stream(), work.device.create_event()
    stream.wait(event, 1)
    stream.add_callback(calls.put)
    event.close()
    error = calls.get(timeout=LONG)
    assert isinstance(error, nexus.NexusError)
    assert error.status == nexus.status.NXS_Cancelled
    stream.close()
