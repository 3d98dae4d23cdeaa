# SPDX-License-Identifier: Apache-2.0
"""The program that test_processes.py starts: forks, ends with work in flight, or is interrupted.

    python -m nexus.conformance.api.child PART SELECTOR LIBRARY

Prints lines of a name, a colon, and a result.
"""

from __future__ import annotations

import contextlib
import gc
import os
import signal
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np

import nexus
from nexus.conformance.api.workbench import COUNT, LONG, Work, values


def say(name: str, found: object) -> None:
    """Prints at once, from any process."""
    os.write(1, f"{name}: {found}\n".encode())


class Loaded(Work):
    """Work with the kernels of the library that the command line names."""

    def __init__(self) -> None:
        super().__init__(nexus.get_device(sys.argv[2]))
        self.library = self.device.load_library(Path(sys.argv[3]).read_bytes())

    def kernel(self, name: str) -> nexus.Kernel:
        return self.library.get_kernel(name)

    def held(self) -> tuple[nexus.Stream, nexus.Event]:
        """Returns a stream that waits for an event, and the event."""
        stream, go = self.device.create_stream(), self.device.create_event()
        stream.wait(go, 1)
        return stream, go


def in_child(act: Callable[[], None]) -> int:
    """Runs act() in a child process; returns its exit status."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            act()
            status = 0
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def outcome(use: Callable[[], object]) -> str:
    """Returns the name of the status of the NexusError that a call raises."""
    try:
        use()
    except nexus.NexusError as error:
        return nexus.status.Status(error.status).name
    except Exception as error:
        return repr(error)
    return "nothing was raised"


# ---- Fork ----


def fork() -> None:
    """Forks with work in flight and work held up."""
    work = Loaded()
    buffer, event = work.ints(), work.device.create_event()
    (stream, go), schedule = work.held(), work.filling(buffer, 3)
    schedule.run(stream, blocking=False)
    stream.signal(event, 1)
    kernel, called = work.kernel("fill_i32"), work.ints()
    kernel(called, np.int32(1), grid=COUNT)
    uses: dict[str, Callable[[], object]] = {
        "create_buffer": lambda: work.device.create_buffer(64),
        "create_stream": lambda: work.device.create_stream(),
        "synchronize": lambda: work.device.synchronize(LONG),
        "stream": lambda: stream.synchronize(LONG),
        "copy": lambda: buffer.numpy(),
        "fill": lambda: buffer.fill(1),
        "kernel": lambda: work.library.get_kernel("fill_i32"),
        "wait": lambda: event.wait(1, LONG),
        "signal": lambda: go.signal(1),
        "run": lambda: schedule.run(timeout=LONG),
        "call": lambda: kernel(called, np.int32(1), grid=COUNT),
        "first call": lambda: kernel(called, np.int32(1), grid=1),
    }
    inherited = [work, buffer, event, stream, go, schedule]

    def child() -> None:
        for name, use in uses.items():
            say(f"use {name}", outcome(use))
        uses.clear()
        inherited.clear()
        gc.collect()
        say("new", renewed())

    say("child", in_child(child))
    go.signal(1)
    event.wait(1, LONG)
    say("parent", values(buffer))
    schedule.run(stream, timeout=LONG)
    say("parent again", values(buffer))


def renewed() -> str:
    """Returns the result of new objects in the child."""
    try:
        work = Loaded()
        out = work.ints()
        work.filling(out, 5).run(work.device.create_stream(), timeout=LONG)
        return str(values(out))
    except nexus.NexusError as error:
        return f"refused: {error}"


# ---- Exit ----


def ends_with_work_held() -> None:
    work = Loaded()
    stream, _ = work.held()
    work.filling(work.ints(), 1).run(stream, blocking=False)
    kept.append((work, stream))
    sys.exit(7)


def ends_with_work_running() -> None:
    work = Loaded()
    stream = work.device.create_stream()
    out = work.ints(0, 1 << 20)
    schedule = work.filling(out, 1)
    for _ in range(200):
        schedule.run(stream, blocking=False)
    kept.append((work, stream))
    sys.exit(7)


def ends_with_threads() -> None:
    """Ends while daemon threads use Nexus."""
    work = Loaded()

    def use() -> None:
        with contextlib.suppress(nexus.NexusError):
            while True:
                work.filling(work.ints(), 1).run(work.device.create_stream(), timeout=LONG)

    for _ in range(3):
        threading.Thread(target=use, daemon=True).start()
    work.filling(work.ints(), 1).run(timeout=LONG)
    sys.exit(7)


def ends_with_a_wait() -> None:
    """Ends while a daemon thread waits forever."""
    work = Loaded()
    stream, go = work.held()

    def wait() -> None:
        with contextlib.suppress(nexus.NexusError):
            stream.synchronize()

    threading.Thread(target=wait, daemon=True).start()
    kept.append(go)
    sys.exit(7)


kept: list[object] = []  # keeps objects until the interpreter ends

# ---- Ctrl-C ----


def interrupted() -> None:
    """Gets a SIGINT in each wait, and waits again."""
    work = Loaded()
    out = work.ints()
    waits: dict[str, Callable[[nexus.Stream, nexus.Event], object]] = {
        "stream": lambda stream, done: stream.synchronize(LONG),
        "device": lambda stream, done: work.device.synchronize(LONG),
        "event": lambda stream, done: done.wait(1, LONG),
        "run": lambda stream, done: work.filling(out, 2).run(stream, timeout=LONG),
    }
    for name, wait in waits.items():
        stream, go = work.held()
        done = work.device.create_event()
        work.filling(out, 1).run(stream, blocking=False)
        stream.signal(done, 1)
        ctrl_c = threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT))
        try:
            ctrl_c.start()
            wait(stream, done)
        except KeyboardInterrupt:
            say(name, "interrupted")
        else:
            say(name, "ended")
        go.signal(1)
        stream.synchronize(LONG)
        done.wait(1, LONG)
    say("work", values(out) <= {1, 2})


PARTS = {
    each.__name__: each
    for each in (
        fork, ends_with_work_held, ends_with_work_running, ends_with_threads, ends_with_a_wait,
        interrupted,
    )
}  # fmt: skip

if __name__ == "__main__":
    PARTS[sys.argv[1]]()
