# SPDX-License-Identifier: Apache-2.0
"""Objects may be released in any order while work uses them; closed ones are refused."""

from __future__ import annotations

import gc
import random
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import numpy as np
import pytest

import nexus
from nexus.conformance.api.workbench import COUNT, LONG, SHORT, Obstacle, Workbench, refused, values


class InUse:
    """One object of each kind, and work that uses all of them."""

    def __init__(self, work: Workbench, value: int) -> None:
        device = work.device
        self.result, self.host = work.ints(), np.zeros(COUNT, np.int32)
        self.given: dict[str, Any] = {
            "library": work.load("elements"),
            "source": work.ints(value),
            "event": device.create_event(),
            "schedule": device.create_schedule(),
        }
        self.given["slice"] = self.given["source"][: COUNT // 2]
        self.given["kernel"] = self.given["library"].get_kernel("copy_i32")
        schedule, source = self.given["schedule"], self.given["source"]
        self.given["command"] = schedule.create_command(
            self.given["kernel"], (source, self.result), None, COUNT
        )
        schedule.create_signal_command(self.given["event"], 1)

    def submit(self, stream: nexus.Stream) -> None:
        self.given["schedule"].run(stream, blocking=False)
        self.given["slice"].copy(self.host[: COUNT // 2], stream=stream, blocking=False)


@pytest.mark.promise("life-any-order", "life-keep")
@pytest.mark.parametrize("how", ["dropped", "closed"])
@pytest.mark.parametrize("seed", range(4))
def test_objects_go_in_any_order_while_work_uses_them(
    obstacle: Obstacle, how: str, seed: int
) -> None:
    used, stream = InUse(obstacle.work, 40 + seed), obstacle.work.device.create_stream()
    with obstacle.before(stream) as release:
        used.submit(stream)
        names = sorted(used.given)
        random.Random(seed).shuffle(names)
        for name in names:
            each = used.given.pop(name)
            if how == "closed" and name != "event" and hasattr(each, "close"):
                each.close()
            del each
        gc.collect()
        release()
        stream.synchronize(LONG)
    assert values(used.result) == {40 + seed}
    assert set(used.host[: COUNT // 2].tolist()) == {40 + seed}


@pytest.mark.promise("life-any-order")
def test_a_stream_that_is_closed_while_its_work_runs_finishes_it(work: Workbench) -> None:
    number = work.ints()
    for value in range(1, 6):
        stream = work.device.create_stream()
        work.spinning().run(stream, blocking=False)
        work.filling(number, value).run(stream, blocking=False)
        stream.close()
        assert values(number) == {value}
    work.device.synchronize(LONG)


@pytest.mark.promise("life-any-order")
def test_memory_that_was_let_go_is_not_given_anew_while_work_uses_it(work: Workbench) -> None:
    stream, result = work.device.create_stream(), work.ints(0, 1 << 16)
    source = work.ints(7, 1 << 16)
    work.spinning().run(stream, blocking=False)
    work.copying(source, result).run(stream, blocking=False)
    source.close()
    del source
    for _ in range(8):  # one of them might get the freed memory
        work.ints(-1, 1 << 16)
    stream.synchronize(LONG)
    assert values(result) == {7}


@pytest.mark.promise("life-keep")
def test_a_kernel_keeps_its_library_and_a_schedule_its_kernel(work: Workbench) -> None:
    kernel = work.load("elements").get_kernel("fill_i32")
    gc.collect()
    number, schedule = work.ints(), work.device.create_schedule()
    schedule.create_command(kernel, (number, np.int32(6)), None, COUNT)
    del kernel
    gc.collect()
    schedule.run(timeout=LONG)
    assert values(number) == {6}


@pytest.mark.promise("life-keep")
def test_a_command_keeps_its_schedule_usable(work: Workbench) -> None:
    schedule, number = work.device.create_schedule(), work.ints()
    command = work.fill(schedule, number, 1)
    schedule.run(timeout=LONG)
    del schedule
    gc.collect()
    assert command.get_kernel().name == "fill_i32"
    del command
    gc.collect()
    assert values(number) == {1}


# ---- Closing ----

MAKERS: dict[str, Callable[[Workbench], Any]] = {
    "buffer": lambda work: work.ints(),
    "stream": lambda work: work.device.create_stream(),
    "event": lambda work: work.device.create_event(),
    "schedule": lambda work: work.filling(work.ints(), 1),
    "library": lambda work: work.load("elements"),
}
USES: dict[str, list[Callable[[Workbench, Any], object]]] = {
    "buffer": [
        lambda _, each: each.numpy(),
        lambda _, each: each.fill(1),
        lambda work, each: work.filling(each, 1),
        lambda _, each: each.get_property_int("ID"),
    ],
    "stream": [
        lambda _, each: each.synchronize(LONG),
        lambda work, each: work.filling(work.ints(), 1).run(each),
        lambda work, each: work.ints().fill(1, stream=each),
    ],
    "event": [
        lambda _, each: each.signal(1),
        lambda _, each: each.wait(1, LONG),
        lambda work, each: work.device.create_stream().wait(each, 1),
        lambda work, each: work.device.create_schedule().create_signal_command(each),
    ],
    "schedule": [
        lambda _, each: each.run(timeout=LONG),
        lambda work, each: work.fill(each, work.ints(), 1),
    ],
    "library": [lambda _, each: each.get_kernel("fill_i32")],
}


@pytest.mark.promise("life-close")
@pytest.mark.parametrize("kind", MAKERS)
def test_what_was_closed_refuses_use(work: Workbench, kind: str) -> None:
    with MAKERS[kind](work) as each:
        pass
    each.close()
    for use in USES[kind]:
        error = refused(partial(use, work, each))
        assert error.status == getattr(nexus.status, f"NXS_Invalid{kind.capitalize()}")
        assert "closed" in str(error)


@pytest.mark.promise("life-close-cancels", "failure-no-hang")
def test_closing_a_stream_cancels_what_it_holds_back(work: Workbench) -> None:
    stream, number = work.device.create_stream(), work.ints(1)
    go, later = work.device.create_event(), work.device.create_event()
    stream.wait(go, 1)
    work.filling(number, 2).run(stream, blocking=False)
    stream.signal(later, 1)
    stream.close()
    assert refused(lambda: later.wait(1, LONG)).status == nexus.status.NXS_Cancelled
    go.signal(1)
    assert values(number) == {1}


@pytest.mark.promise("life-close-cancels", "failure-no-hang")
def test_closing_an_event_cancels_those_who_wait(work: Workbench) -> None:
    stream, number = work.device.create_stream(), work.ints(1)
    go = work.device.create_event()
    stream.wait(go, 1)
    work.filling(number, 2).run(stream, blocking=False)
    with ThreadPoolExecutor() as threads:
        waiting = threads.submit(lambda: refused(lambda: go.wait(1, LONG)))
        time.sleep(SHORT)  # so that it waits in the call
        go.close()
    late = nexus.status.NXS_InvalidEvent  # a wait that began after all
    assert waiting.result().status in (nexus.status.NXS_Cancelled, late)
    assert refused(lambda: stream.synchronize(LONG)).status == nexus.status.NXS_Cancelled
    stream.close()
    assert values(number) == {1}


@pytest.mark.promise("life-close")
def test_a_closed_object_is_listed_no_more(work: Workbench) -> None:
    device = work.device
    kinds = {"buffer": "buffers", "stream": "streams", "event": "events", "schedule": "schedules",
             "library": "libraries"}  # fmt: skip
    for kind, name in kinds.items():
        made = MAKERS[kind](work)
        assert made in list(getattr(device, f"get_{name}")())
        made.close()
        assert made not in list(getattr(device, f"get_{name}")())
