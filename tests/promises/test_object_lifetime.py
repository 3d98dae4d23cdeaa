# SPDX-License-Identifier: Apache-2.0
"""Lifetime: what is in use may be dropped or closed in any order."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from eventually import eventually
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from workload import COUNT, LONG, Obstacle, Workload, allowing, values

import nexus

pytestmark = pytest.mark.long

few = settings(
    max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)

# ---- In any order ----

Ends = list[tuple[str, bool]]
"""Names of objects, and whether each is closed before it is dropped."""

PARTS = [
    "device", "library", "kernel", "source", "half", "other half", "between", "schedule",
    "command", "view", "queued host array", "stream", "event",
]  # fmt: skip
CLOSABLE = {"library", "source", "half", "other half", "between", "schedule", "stream", "event"}


@st.composite
def ends(draw: st.DrawFn) -> Ends:
    order = draw(st.permutations(PARTS))
    return [(name, name in CLOSABLE and draw(st.booleans())) for name in order]


def submit(work: Workload, stream: nexus.Stream, result: nexus.Buffer) -> dict[str, Any]:
    """Submits result = (1 + 2) + 3, with each kind of object in use."""
    fresh = Workload(work.device, work.source)
    parts: dict[str, Any] = {"device": nexus.get_device(work.device.selector), "stream": stream}
    parts["library"], parts["kernel"] = fresh.library, fresh.library.get_kernel("add_i32")
    parts["source"], parts["between"] = work.ints(count=2 * COUNT), work.ints()
    parts["half"], parts["other half"] = parts["source"][:COUNT], parts["source"][COUNT:]
    parts["queued host array"] = np.full(COUNT, 2, np.int32)
    parts["view"] = np.asarray(work.ints(3))
    parts["event"] = work.device.create_event()
    parts["half"].fill(1, stream=stream, blocking=False)
    parts["other half"].copy_from(parts["queued host array"], stream=stream, blocking=False)
    parts["schedule"] = work.device.create_schedule()
    parts["command"] = fresh.add(
        parts["schedule"], parts["half"], parts["other half"], parts["between"]
    )
    fresh.add(parts["schedule"], parts["between"], work.ints(3), result)
    parts["schedule"].create_signal_command(parts["event"])
    parts["schedule"].run(stream, blocking=False)
    return parts


@few
@given(ends=ends())
def test_objects_in_use_go_in_any_order(obstacle: Obstacle, ends: Ends) -> None:
    work = obstacle.work
    stream, result, finished = work.device.create_stream(), work.ints(), work.device.create_event()
    cancelling = set() if obstacle.running else {"stream", "event"}  # their end cancels held work
    with obstacle.before(stream) as release:
        parts = submit(work, stream, result)
        stream.signal(finished, 1)
        kept = [parts[name] for name in cancelling]
        del stream
        for name, close in ends:
            if close and name not in cancelling:
                parts[name].close()
            del parts[name]
        gc.collect()
        release()
        finished.wait(1, timeout=LONG)
    assert values(result) == {6}
    del kept


class Objects:
    """Makes, uses, closes and drops objects of all kinds, chosen by a list of numbers."""

    def __init__(self, work: Workload) -> None:
        self.work = work
        self.live: dict[str, list[Any]] = {}

    def pick(self, kind: str, number: int) -> Any:
        """Returns an object of the kind; makes one if there is none."""
        objects = self.live.setdefault(kind, [])
        if not objects:
            self.make(kind, number)
        return objects[number % len(objects)]

    def make(self, kind: str, number: int) -> None:
        device = self.work.device
        make: dict[str, Callable[[], Any]] = {
            "buffer": lambda: self.work.ints(number),
            "slice": lambda: self.pick("buffer", number)[number % 8 :],
            "view": lambda: self.new_view(number),
            "library": lambda: self.work.load(),
            "kernel": lambda: self.pick("library", number).get_kernel("fill_i32"),
            "stream": device.create_stream,
            "event": device.create_event,
            "schedule": device.create_schedule,
            "command": lambda: self.pick("schedule", number).create_command(
                self.pick("kernel", number), (self.pick("buffer", number), number), 1, COUNT
            ),
        }
        self.live.setdefault(kind, []).append(make[kind]())

    def new_view(self, number: int) -> Any:
        """Returns a view of a new buffer, since that of another might wait forever."""
        self.make("buffer", number)
        return np.asarray(self.live["buffer"][-1])

    def use(self, kind: str, number: int) -> None:
        one = self.pick(kind, number)
        stream = self.pick("stream", number // 3)
        event = self.pick("event", number // 5)
        use: dict[str, Callable[[], Any]] = {
            "buffer": lambda: one.fill(number, stream=stream, blocking=False),
            "slice": lambda: one.copy_from(np.zeros(one.shape, np.int32), stream, False),
            "view": lambda: one.fill(number),
            "library": lambda: one.get_kernel("add_i32"),
            "kernel": lambda: repr(one),
            "stream": lambda: one.wait(event, number % 4),
            "event": lambda: one.signal(one.value + number % 2),
            "schedule": lambda: one.run(stream, blocking=False),
            "command": lambda: one.set_arg(1, number),
        }
        use[kind]()

    def close(self, kind: str, number: int) -> None:
        one = self.pick(kind, number)
        if hasattr(one, "close"):
            one.close()

    def drop(self, kind: str, number: int) -> None:
        objects = self.live.get(kind)
        if objects:
            del objects[number % len(objects)]


KINDS = ["buffer", "slice", "view", "library", "kernel", "stream", "event", "schedule", "command"]
steps = st.lists(
    st.tuples(
        st.sampled_from(["make", "use", "use", "close", "drop"]),
        st.sampled_from(KINDS),
        st.integers(0, 100),
    ),
    max_size=60,
)


@few
@given(steps=steps)
def test_whatever_is_made_used_closed_and_dropped_nothing_breaks(
    work: Workload, steps: list[tuple[str, str, int]]
) -> None:
    objects = Objects(work)
    for act, kind, number in steps:
        with allowing("closed", "in flight", "live view"):
            getattr(objects, act)(kind, number)
    for event in objects.live.get("event", []):
        with allowing("closed"):
            event.signal(max(event.value, 10))
    objects.live.clear()
    gc.collect()
    work.device.synchronize(LONG)
    check = work.ints()
    work.filling(check, 7).run(timeout=LONG)
    assert values(check) == {7}


# ---- Arrays in and out ----


@pytest.mark.parametrize("running", [False, True], ids=["held", "running"])
def test_an_imported_array_is_kept_until_the_work_is_done(on_cpu: Workload, running: bool) -> None:
    work, obstacle = on_cpu, Obstacle(on_cpu, running)
    array, result = np.full(COUNT, 3, np.int32), work.ints()
    given_back = weakref.ref(array)
    stream = work.device.create_stream()
    buffer = nexus.from_dlpack(array)
    with obstacle.before(stream) as release:
        work.copying(buffer, result).run(stream, blocking=False)
        buffer.close()
        del array, buffer
        gc.collect()
        assert given_back() is not None
        release()
        stream.synchronize(LONG)
    assert values(result) == {3}
    del stream
    assert eventually(lambda: given_back() is None)  # libnexus' own thread gives it back
