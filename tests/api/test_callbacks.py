# SPDX-License-Identifier: Apache-2.0
"""Stream.add_callback."""

from __future__ import annotations

import gc
import queue
import threading
import weakref
from collections.abc import Callable
from typing import Any

import pytest

import nexus

LIMIT = 60.0  # seconds until a callback that never comes fails a test


@pytest.fixture
def stream(device: nexus.Device) -> nexus.Stream:
    return device.create_stream()


@pytest.fixture
def calls() -> queue.Queue[Any]:
    return queue.Queue()


def test_callbacks_come_in_order_on_one_thread(
    stream: nexus.Stream, calls: queue.Queue[Any]
) -> None:
    def numbered(number: int) -> Callable[[object], None]:
        return lambda error: calls.put((number, threading.get_ident()))

    for number in range(50):
        stream.add_callback(numbered(number))
    numbers, threads = zip(*[calls.get(timeout=LIMIT) for _ in range(50)], strict=True)
    assert list(numbers) == list(range(50))
    assert len(set(threads)) == 1
    assert threads[0] != threading.get_ident()


def test_a_callback_of_failed_work_gets_the_cause(
    stream: nexus.Stream, device: nexus.Device, calls: queue.Queue[Any]
) -> None:
    event = device.create_event()
    stream.wait(event, 1)
    stream.add_callback(calls.put)
    event.close()
    error = calls.get(timeout=LIMIT)
    assert isinstance(error, nexus.NexusError)
    assert error.status == nexus.status.NXS_Cancelled


def test_a_callback_is_let_go_after_its_call(stream: nexus.Stream, calls: queue.Queue[Any]) -> None:
    class Callback:
        def __call__(self, error: object) -> None:
            calls.put(error)

    callback = Callback()
    reference = weakref.ref(callback, lambda _: calls.put("gone"))
    stream.add_callback(callback)
    del callback
    assert [calls.get(timeout=LIMIT), calls.get(timeout=LIMIT)] == [None, "gone"]
    assert reference() is None


def test_a_refused_callback_is_let_go(device: nexus.Device) -> None:
    def callback(error: object) -> None:
        raise AssertionError("it must not be called")

    with device.create_stream() as closed:
        pass
    reference = weakref.ref(callback)
    with pytest.raises(nexus.NexusError) as error:
        closed.add_callback(callback)
    assert error.value.status == nexus.status.NXS_InvalidStream
    del callback, error
    gc.collect()
    assert reference() is None
