# SPDX-License-Identifier: Apache-2.0
"""Makes each blocking call three times, and prints how each ended.

    python blocking_program.py BACKEND LIBRARY held|running

The call waits for blocked work. Then (1) another Python thread unblocks it, (2) a signal
handler does, (3) Ctrl-C ends the call, which is then repeated. A line of the
output is the call's name, a colon, and the result.
"""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from workload import COUNT, Obstacle, Release, Workload

import nexus

NEW = 2
PATIENCE = 3.0  # seconds until a call is let go that no signal ended


class Pending:
    """Blocked work that sets `buffer` to NEW in `stream` and then signals `done`."""

    def __init__(self, work: Workload, stream: nexus.Stream) -> None:
        self.device = work.device
        self.stream = stream
        self.buffer = work.ints(1)
        self.done = work.device.create_event()
        self.schedule = work.filling(self.buffer, NEW)
        self.schedule.run(stream, blocking=False)
        stream.signal(self.done, 1)


def ints() -> Any:
    return np.full(COUNT, NEW, np.int32)


CALLS: dict[str, Callable[[Pending], object]] = {
    "run": lambda pending: pending.schedule.run(pending.stream),
    "stream.synchronize": lambda pending: pending.stream.synchronize(),
    "device.synchronize": lambda pending: pending.device.synchronize(),
    "event.wait": lambda pending: pending.done.wait(1),
    "event.wait with a timeout": lambda pending: pending.done.wait(1, timeout=100),
    "copy": lambda pending: pending.buffer.copy(ints()),
    "copy in the stream": lambda pending: pending.buffer.copy(ints(), stream=pending.stream),
    "copy_from": lambda pending: pending.buffer.copy_from(ints()),
    "copy_from a buffer": lambda pending: pending.buffer.copy_from(
        pending.device.create_buffer(ints())
    ),
    "fill": lambda pending: pending.buffer.fill(NEW),
    "numpy": lambda pending: pending.buffer.numpy(),
    "array": lambda pending: np.array(pending.buffer),
    "asarray": lambda pending: np.asarray(pending.buffer),
    "array interface": lambda pending: pending.buffer.__array_interface__,
    "memoryview": lambda pending: memoryview(pending.buffer),
    "dlpack": lambda pending: pending.buffer.__dlpack__(),
    "copy_buffer": lambda pending: pending.device.copy_buffer(pending.buffer),
}


@contextmanager
def pending(obstacle: Obstacle) -> Iterator[tuple[Pending, Release]]:
    stream = obstacle.work.device.create_stream()
    with obstacle.before(stream) as release:
        yield Pending(obstacle.work, stream), release


def let_go_by_a_thread(obstacle: Obstacle, call: Callable[[Pending], object]) -> str:
    with pending(obstacle) as (work, release):
        order = []
        calling = threading.Event()

        def let_go() -> None:
            calling.wait()
            time.sleep(0.02)
            order.append("let go")
            release()

        helper = threading.Thread(target=let_go)
        helper.start()
        calling.set()
        call(work)
        order.append("returned")
        helper.join()
    return "another thread ran meanwhile" if order[0] == "let go" else "no thread ran meanwhile"


@contextmanager
def signalled(number: signal.Signals, release: Release) -> Iterator[None]:
    """Sends the signal to the main thread soon; unblocks the work if that ends no call."""
    main = threading.main_thread().ident
    assert main is not None
    over = threading.Event()

    def send() -> None:
        time.sleep(0.02)
        signal.pthread_kill(main, number)
        if not over.wait(PATIENCE):
            release()

    sender = threading.Thread(target=send)
    sender.start()
    try:
        yield
    finally:
        over.set()
        sender.join()


def let_go_by_a_handler(obstacle: Obstacle, call: Callable[[Pending], object]) -> str:
    with pending(obstacle) as (work, release):
        order: list[str] = []

        def handle(*_: object) -> None:
            order.append("handled")
            release()

        signal.signal(signal.SIGUSR1, handle)
        with signalled(signal.SIGUSR1, release):
            call(work)
            order.append("returned")
    return "a handler ran meanwhile" if order[0] == "handled" else "no handler ran meanwhile"


def interrupted(obstacle: Obstacle, call: Callable[[Pending], object]) -> str:
    with pending(obstacle) as (work, release):
        ended = "Ctrl-C was lost"
        with signalled(signal.SIGINT, release):
            try:
                call(work)
            except KeyboardInterrupt:
                ended = "Ctrl-C ended it"
        release()
        call(work)
        assert set(work.buffer.numpy().tolist()) == {NEW}
    return ended


def found(
    obstacle: Obstacle,
    call: Callable[[Pending], object],
    way: Callable[[Obstacle, Callable[[Pending], object]], str],
) -> str:
    """Returns how the call ended, or what it raised."""
    try:
        return way(obstacle, call)
    except (Exception, KeyboardInterrupt) as error:
        return repr(error)


def main() -> None:
    backend, library, how = sys.argv[1:]
    obstacle = Obstacle(Workload(nexus.get_device(backend), Path(library)), how == "running")
    for name, call in CALLS.items():
        for way in (let_go_by_a_thread, let_go_by_a_handler, interrupted):
            print(f"{name}: {found(obstacle, call, way)}", flush=True)


if __name__ == "__main__":
    main()
