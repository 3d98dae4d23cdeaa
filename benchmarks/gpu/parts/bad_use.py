# SPDX-License-Identifier: Apache-2.0
"""Objects used at the wrong time, by a forked child, and by eight threads."""

from __future__ import annotations

import ctypes
import multiprocessing
import os
import subprocess
import sys
import threading
import time
import warnings

import numpy as np

import nexus
from gpu_cases import Bench, case
from part_tools import SOON, VALUES, add_one, mistakes, recorded, refusal, still_works

CYCLES = 1_000_000_000  # about half a second


class _Slow:
    """A kernel that takes a while and then adds 1 to the first value."""

    def __init__(self, device: nexus.Device) -> None:
        self.library = mistakes(device)
        self.buffer = device.create_buffer(np.zeros(VALUES, np.int32))
        arguments = (self.buffer, np.int64(CYCLES))
        self.schedule = recorded(device, "take_time", arguments, library=self.library)


@case(endangers=True)
def a_stream_closed_while_it_works_finishes(bench: Bench) -> str:
    device = bench.device
    slow, stream = _Slow(device), device.create_stream()
    slow.schedule.run(stream, blocking=False)
    idle = stream.is_idle
    stream.close()
    text = refusal(lambda: slow.schedule.run(stream, blocking=False))
    device.synchronize(timeout=SOON)
    assert slow.buffer.numpy()[0] == 1, "the work of a closed stream was lost"
    still_works(device, slow.library)
    return f"{'idle when closed' if idle else 'at work when closed'}; after that: {text}"


@case(endangers=True)
def a_buffer_freed_while_a_kernel_uses_it_lives_until_then(bench: Bench) -> str:
    device = bench.device
    slow, stream = _Slow(device), device.create_stream()
    copy = device.create_buffer((VALUES,), dtype="int32")
    slow.schedule.create_copy_command(copy, slow.buffer)
    slow.schedule.run(stream, blocking=False)
    slow.buffer.close()
    # New memory must not be that which the kernel will still write
    others = [device.create_buffer(np.full(VALUES, 7, np.int32)) for _ in range(16)]
    stream.synchronize(timeout=SOON)
    assert copy.numpy()[0] == 1, "the freed buffer did not live until its kernel was done"
    assert all(np.all(other.numpy() == 7) for other in others), "memory was given away too soon"
    still_works(device, slow.library)
    return "the copy after the kernel has its value"


@case(endangers=True)
def objects_that_are_closed_say_so(bench: Bench) -> str:
    device = bench.device
    slow = _Slow(device)
    schedule = device.create_schedule()
    buffer = device.create_buffer(64)
    buffer.close()
    texts = [
        refusal(buffer.numpy),
        refusal(lambda: buffer.fill(0)),
        refusal(
            lambda: schedule.create_command(slow.library.get_kernel("forever"), (buffer,), 1, 1)
        ),
    ]
    schedule.close()
    texts.append(refusal(schedule.run))
    still_works(device)
    return " / ".join(texts)


def _in_the_child(device: nexus.Device, buffer: nexus.Buffer, words: object) -> None:
    """Sends the result of each call; uses the driver only through Nexus."""
    said = []
    for name, call in (
        ("an old buffer", buffer.numpy),
        ("an old device", lambda: device.create_buffer(64)),
        ("a new buffer", lambda: nexus.get_device(device.selector).create_buffer(64)),
        ("the CPU", lambda: nexus.get_device("cpu").create_buffer(64)),
    ):
        try:
            call()
            said.append(f"{name}: works")
        except Exception as error:
            said.append(f"{name}: {type(error).__name__}: {error}")
    words.put(said)  # type: ignore[attr-defined]


@case(endangers=True)
def a_child_forked_after_use_gets_a_sentence(bench: Bench) -> str:
    device = bench.device
    still_works(device)
    buffer = device.create_buffer(np.arange(16, dtype=np.int32))
    context = multiprocessing.get_context("fork")
    words = context.Queue()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of the fork with threads
        child = context.Process(target=_in_the_child, args=(device, buffer, words))
        child.start()
    said = words.get(timeout=SOON)
    child.join(SOON)
    hung = child.exitcode is None
    if hung:
        child.kill()
        child.join()
    assert not hung, "the child did not end"
    assert child.exitcode == 0, f"the child ended with {child.exitcode}"
    assert all("NexusError" in each for each in said[:3]), said
    assert np.array_equal(buffer.numpy(), np.arange(16)), "the parent's buffer was harmed"
    still_works(device)
    return "; ".join(said)


@case(endangers=True, limit=180)
def a_spawned_child_uses_the_gpu(bench: Bench) -> str:
    program = (
        "import sys, numpy, nexus; d = nexus.get_device(sys.argv[1]); "
        "print(d.create_buffer(numpy.arange(4)).numpy().sum())"
    )
    still_works(bench.device)
    command = [sys.executable, "-c", program, bench.selector]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=90)
    assert done.stdout.strip() == "6", done.stderr[-800:]
    return f"process {os.getpid()} and its child at once"


@case(endangers=True, limit=180)
def eight_threads_share_the_device(bench: Bench) -> str:
    device = bench.device
    library = mistakes(device)
    wrong: list[str] = []
    rounds, begin = 200, threading.Barrier(8)

    def work(number: int) -> None:
        try:
            begin.wait(SOON)
            stream = device.create_stream()
            for turn in range(rounds):
                host = np.full(VALUES, number * rounds + turn, np.int32)
                with device.create_buffer(host) as buffer:
                    schedule = add_one(device, buffer, library)
                    schedule.run(stream, blocking=False)
                    schedule.run(stream, timeout=SOON)
                    if not np.array_equal(buffer.numpy(), host + 2):
                        wrong.append(f"thread {number}, turn {turn}")
        except Exception as error:
            wrong.append(f"thread {number}: {type(error).__name__}: {error}")

    start = time.monotonic()
    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong, "; ".join(wrong[:5])
    return (
        f"8 x {rounds} rounds of buffer, schedule and two runs in {time.monotonic() - start:.2f} s"
    )


@case(endangers=True)
def the_thread_keeps_its_current_context(bench: Bench) -> str:
    cuda = ctypes.CDLL(os.environ.get("NEXUS_CUDA_DRIVER") or "libcuda.so.1")

    def current() -> int | None:
        context = ctypes.c_void_p()
        assert cuda.cuCtxGetCurrent(ctypes.byref(context)) == 0
        return context.value

    device = bench.device
    still_works(device)
    without = current()
    assert without is None, "this thread has a current context that Nexus made"
    primary = ctypes.c_void_p()
    assert cuda.cuDevicePrimaryCtxRetain(ctypes.byref(primary), 0) == 0
    assert cuda.cuCtxSetCurrent(primary) == 0
    still_works(device)
    assert current() == primary.value, "Nexus changed the thread's current context"
    return "none stays none, and one stays"
