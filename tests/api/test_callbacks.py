# SPDX-License-Identifier: Apache-2.0
"""Stream.add_callback."""

from __future__ import annotations

import gc
import queue
import weakref
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
