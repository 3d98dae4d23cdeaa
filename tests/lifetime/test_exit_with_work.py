# SPDX-License-Identifier: Apache-2.0
"""A program ends with its own exit status, at once and in silence, whatever of its work is left.

The time limit of each program tells a hang from an end; a program that waited for what it left
behind would never come to its end, since nothing here ends by itself.
"""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from python_process import run_python

HERE = Path(__file__).parent

SETUP = """
import sys, threading, time
import nexus
device = nexus.get_device("cpu")
never = device.create_event()
buffer = device.create_buffer((1 << 16,), dtype="int32")

def held_schedule():
    schedule = device.create_schedule()
    schedule.create_wait_command(never, 1)
    schedule.create_fill_command(buffer, 1)
    return schedule

def start_endless(stream=None):
    running = device.create_buffer((1,), dtype="int32")
    running.fill(0)
    kernel = device.load_library(sys.argv[1]).get_kernel("endless")
    schedule = device.create_schedule()
    schedule.create_command(kernel, (running,), 1, 1)
    schedule.run(stream, blocking=False)
    return schedule, running

def in_daemon(wait):
    begun = threading.Event()
    def work():
        begun.set()
        wait()  # what the end of the process cancels raises nothing
    threading.Thread(target=work, daemon=True).start()
    begun.wait()
"""

PROGRAMS = {
    "a schedule waits for what nobody signals": """
schedule = held_schedule()
for _ in range(10):
    schedule.run(blocking=False)
""",
    "streams wait for each other": """
streams = [device.create_stream() for _ in range(4)]
events = [device.create_event() for _ in streams]
for i, stream in enumerate(streams):
    stream.wait(events[i])
    stream.signal(events[(i + 1) % 4])
""",
    "a kernel runs for ever": """
left = start_endless()
""",
    "kernels run for ever in streams": """
streams = [device.create_stream() for _ in range(3)]
left = [start_endless(stream) for stream in streams]
""",
    "what runs for ever is followed by what waits": """
left = start_endless()
schedule = held_schedule()
schedule.run(blocking=False)
buffer.fill(2, blocking=False)
""",
    "10 000 objects are alive": """
objects = []
for i in range(2000):
    objects.append(device.create_buffer(64))
    objects.append(objects[-1][0:32])
    objects.append(device.create_event())
    objects.append(held_schedule())
    objects.append(nexus.create_buffer(64))
assert len(objects) == 10_000
objects[3].run(blocking=False)
""",
    "a daemon waits for an event": """
in_daemon(never.wait)
""",
    "a daemon waits for a stream": """
stream = device.create_stream()
stream.wait(never)
in_daemon(stream.synchronize)
""",
    "a daemon's wait is cancelled while an exit function runs": """
import atexit
atexit.unregister(nexus._core.detach)
atexit.register(time.sleep, 0.2)  # after what follows
atexit.register(nexus._core.detach)
stream = device.create_stream()
stream.wait(never)
in_daemon(stream.synchronize)
""",
    "a daemon waits for a run": """
schedule = held_schedule()
in_daemon(schedule.run)
""",
    "a daemon waits for a kernel that runs for ever": """
left = start_endless()
in_daemon(device.synchronize)
""",
    "daemons start work without end": """
schedule = device.create_schedule()
schedule.create_fill_command(buffer, 1)
def work():
    while True:
        schedule.run(blocking=False)
        device.create_buffer(4096).fill(1)
for _ in range(4):
    in_daemon(work)
""",
    "callbacks wait for what nobody signals": """
stream = device.create_stream()
stream.wait(never)
stream.add_callback(lambda error: None)
""",
    "modules keep the objects": """
sys.modules["json"] = (device, never, buffer, memoryview(buffer))
""",
    "the objects are in a circle": """
circle = [device, never, buffer, memoryview(buffer)]
circle.append(circle)
del device, never, buffer
""",
    "destructors use them": """
class Last:
    def __init__(self):
        self.buffer = buffer
        self.device = device
    def __del__(self):
        self.buffer.fill(2)
        self.device.synchronize()
last = Last()
last.itself = last
""",
    "exit functions use them": """
import atexit
atexit.register(lambda: (buffer.fill(3), device.synchronize()))
""",
    "many callbacks are due": """
stream = device.create_stream()
for _ in range(10_000):
    stream.add_callback(lambda error: None)
""",
    "a callback sleeps": """
stream = device.create_stream()
import threading, time
begun = threading.Event()
def sleep(error):
    begun.set()
    time.sleep(100)
stream.add_callback(sleep)
begun.wait()
""",
    "a callback spins": """
stream = device.create_stream()
import threading
begun = threading.Event()
def spin(error):
    begun.set()
    while True:
        pass
stream.add_callback(spin)
begun.wait()
""",
    "the hook for what a callback raised spins": """
stream = device.create_stream()
import sys, threading
begun = threading.Event()
def spin(unraisable):
    begun.set()
    while True:
        pass
sys.unraisablehook = spin
def raises(error):
    raise ValueError
stream.add_callback(raises)
begun.wait()
""",
    "the end of a callback spins": """
stream = device.create_stream()
import threading
made, begun = threading.Event(), threading.Event()
class Callback:
    def __call__(self, error):
        made.wait()
    def __del__(self):
        begun.set()
        while True:
            pass
# A free-threaded Python frees an object in the thread that made it, if that still runs.
maker = threading.Thread(target=lambda: stream.add_callback(Callback()))
maker.start()
maker.join()
made.set()
begun.wait()
""",
    "a callback adds the next one": """
stream = device.create_stream()
def again(error):
    stream.add_callback(again)
stream.add_callback(again)
""",
    "a host function sleeps": """
import threading, time
begun = threading.Event()
schedule = device.create_schedule()
schedule.create_host_command(begun.set)
schedule.create_host_command(time.sleep, 100)
schedule.create_fill_command(buffer, 1)
schedule.run(device.create_stream(), blocking=False)
begun.wait()
""",
    "a host function spins": """
import threading
begun = threading.Event()
def spin():
    begun.set()
    while True:
        pass
schedule = device.create_schedule()
schedule.create_host_command(spin)
schedule.run(device.create_stream(), blocking=False)
begun.wait()
""",
    "a host function runs its schedule again": """
schedule = device.create_schedule()
schedule.create_host_command(schedule.run, None, False)
schedule.run(blocking=False)
""",
    "a while has no end": """
body = device.create_schedule()
body.create_fill_command(buffer, 1)
schedule = device.create_schedule()
schedule.create_fill_command(buffer, 1)
schedule.create_while_command(buffer, body)
schedule.run(blocking=False)
""",
    "a host function is behind a while without end": """
body = device.create_schedule()
body.create_fill_command(buffer, 1)
schedule = device.create_schedule()
schedule.create_fill_command(buffer, 1)
schedule.create_while_command(buffer, body)
schedule.create_host_command(int)
schedule.run(blocking=False)
""",
    "a while has no end after Ctrl-C": """
import signal, threading
body = device.create_schedule()
body.create_host_command(lambda: None)
schedule = device.create_schedule()
schedule.create_fill_command(buffer, 1)
schedule.create_while_command(buffer, body)
threading.Timer(0.1, signal.raise_signal, [signal.SIGINT]).start()
try:
    schedule.run()
except KeyboardInterrupt:
    pass
""",
    "a host function waits for what nobody signals": """
schedule = device.create_schedule()
schedule.create_host_command(never.wait, 1)
schedule.run(device.create_stream(), blocking=False)
""",
    "a system buffer is in use": """
shared = nexus.create_buffer(4096)
stream = device.create_stream()
stream.wait(never)
shared.fill(1, stream=stream, blocking=False)
del shared
""",
}


@pytest.fixture(scope="session")
def endless(build_library: Callable[[Path], Path]) -> Path:
    """The library of the kernel that never ends."""
    return build_library(HERE / "endless.c")


def end(program: str, endless: Path, last: str) -> subprocess.CompletedProcess[str]:
    """Runs the program to its end, which its last line is."""
    return run_python("-c", SETUP + program + last, str(endless))


@pytest.mark.parametrize(("last", "status"), [("", 0), ("sys.exit(7)", 7)])
@pytest.mark.parametrize("program", PROGRAMS.values(), ids=list(PROGRAMS))
def test_a_program_ends_in_silence_with_its_own_status_while(
    program: str, last: str, status: int, endless: Path
) -> None:
    done = end(program, endless, last)
    assert (done.stdout, done.stderr, done.returncode) == ("", "", status)


def test_held_work_fails_before_the_exit_functions_that_follow(endless: Path) -> None:
    program = """
import atexit
stream = device.create_stream()
def tell():
    try:
        stream.synchronize()
    except nexus.NexusError as error:
        print(error.status == nexus.status.NXS_Cancelled, "signal" in str(error))
atexit.unregister(nexus._core.detach)
atexit.register(tell)
atexit.register(nexus._core.detach)
stream.wait(never)
"""
    done = end(program, endless, "")
    assert (done.stdout, done.stderr, done.returncode) == ("True True\n", "", 0)
