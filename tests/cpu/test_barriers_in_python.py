# SPDX-License-Identifier: Apache-2.0
"""Barriers from Python, each in its own process: mistakes, and ends of processes."""

from __future__ import annotations

import os
import platform
import re
import subprocess
import sys
from pathlib import Path

import pytest
from python_process import run_python

START = """
import os, sys, threading, numpy, nexus

def begin():
    global device, plain, portable
    device = nexus.get_device("cpu")
    plain = device.load_library(sys.argv[1] + "/barrier_kernels.so")
    portable = device.load_library(sys.argv[1] + "/barrier_ranges.so")

begin()

def command(kernel, arguments, group, grid, local_memory=0):
    schedule = device.create_schedule()
    made = schedule.create_command(kernel)
    for index, argument in enumerate(arguments):
        if isinstance(argument, nexus.Buffer):
            made.set_buffer(index, argument)
        elif isinstance(argument, list):
            made.set_local_memory(index, argument[0])
        else:
            made.set_arg(index, argument)
    made.finalize(group, grid, local_memory)
    return schedule

def zeros(count):
    return device.create_buffer(numpy.zeros(count, numpy.int32))

def exchanging(group, groups, rounds=3, wrong=None):
    count = int(numpy.prod(group))
    grid = tuple(g * c for g, c in zip(group, groups))
    wrong = wrong or zeros(count * int(numpy.prod(groups)))
    arguments = [wrong, rounds, [4 * count]]
    return command(portable.get_kernel("exchange"), arguments, group, grid), wrong

def exchange(group=(64, 1, 1), groups=(20, 1, 1), rounds=3):
    schedule, wrong = exchanging(group, groups, rounds)
    schedule.run()
    assert not wrong.numpy().any()

def refused(schedule, stream=None):
    try:
        schedule.run(stream or device.create_stream())
    except nexus.NexusError as error:
        return str(error)
    raise AssertionError("it ran")

def diverging(kernels, n=1000):
    if kernels == "portable":
        return command(portable.get_kernel("guarded"), [n], 64, 1024)
    n = device.create_buffer(numpy.array([n], numpy.int32))
    return command(plain.get_kernel("guarded"), [zeros(1024), n], 64, 1024)
"""


def run(kernels: Path, text: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Runs START and the text; the process must end by itself."""
    clean = {k: v for k, v in os.environ.items() if not k.startswith("NEXUS_CPU_")}
    return run_python(
        "-X",
        "faulthandler=0",
        "-c",
        START + text,
        kernels,
        env={**clean, "NEXUS_CPU_THREADS": "4", **environment},
    )


def succeed(kernels: Path, text: str, **environment: str) -> str:
    """Returns the output of a run that must exit with 0 and write nothing to stderr."""
    done = run(kernels, text, **environment)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


@pytest.mark.unsanitized("sanitizers map memory of their own")
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("of", ["plain", "portable"])
def test_many_failures_leave_no_memory_behind(kernels: Path, of: str) -> None:
    text = f"""
def maps():
    with open("/proc/self/maps") as file:
        return sum(1 for line in file)
schedule = diverging("{of}")
for i in range(50):
    refused(schedule)
before = maps()
for i in range(500):
    refused(schedule)
print(maps() - before)
exchange()
"""
    assert int(succeed(kernels, text)) < 50


def test_the_interpreter_ends_while_a_thread_waits_for_barriers(kernels: Path) -> None:
    text = """
schedule, wrong = exchanging((64,), (2000,), 50)
started = threading.Event()
def work():
    started.set()
    while True:
        schedule.run()
threading.Thread(target=work, daemon=True).start()
started.wait()
exchange()
print("end")
"""
    assert succeed(kernels, text) == "end\n"


def test_the_interpreter_ends_while_a_run_is_not_waited_for(kernels: Path) -> None:
    text = """
schedule, wrong = exchanging((256,), (500,), 20)
stream = device.create_stream()
for i in range(20):
    schedule.run(stream, blocking=False)
print("end")
"""
    assert succeed(kernels, text) == "end\n"


DEEP = """
def deep(depth):
    reached = zeros(1)
    depths = device.create_buffer(numpy.array([depth], numpy.int32))
    command(plain.get_kernel("deep"), [reached, depths], 64, 64).run()
    return int(reached.numpy()[0])
"""


@pytest.mark.unsanitized("sanitizers make frames larger")
def test_items_have_the_stack_that_is_set(kernels: Path) -> None:
    text = DEEP + "print(deep(700))"
    assert succeed(kernels, text, NEXUS_CPU_FIBER_STACK="1048576") == "700\n"


@pytest.mark.parametrize("wrong", ["0", "16383", "67108865", "64k", "-1", "1e6", "9" * 30])
def test_a_stack_size_that_makes_no_sense_is_named_and_ignored(kernels: Path, wrong: str) -> None:
    done = run(kernels, DEEP + "print(deep(40))", NEXUS_CPU_FIBER_STACK=wrong)
    assert (done.returncode, done.stdout) == (0, "40\n")
    assert (
        f"the setting cpu.fiber_stack is '{wrong}', which is not a number of bytes" in done.stderr
    )
    assert done.stderr.count("fiber_stack") == 1


@pytest.mark.unsanitized("sanitizers take the signal")
@pytest.mark.parametrize("depth", [70, 1000, 100000])
def test_a_stack_that_overflows_ends_the_process_at_its_guard(kernels: Path, depth: int) -> None:
    done = run(kernels, DEEP + f"print(deep(40), flush=True)\ndeep({depth})\nprint('went on')")
    assert done.stdout == "40\n"
    assert done.returncode < 0  # by a signal, whose name differs between systems
    assert re.search(r"Error|Traceback", done.stderr) is None


FRAME = """
source = '''
static __attribute__((noinline)) int touch(int n) {
  volatile int frame[43000]; /* its lowest page is another item's, beyond the guard */
  frame[n] = 1;
  return frame[n];
}
NEXUS_KERNEL(large, (NEXUS_GLOBAL int *, x), (int, n)) {
  nexus_barrier();
  if (nexus_local_id(0) == 63) x[0] = touch(n);
}
'''
large = device.compile(source).get_kernel("large")
print("compiled", flush=True)
command(large, [zeros(64), 0], 64, 64).run()
print("went on")
"""


@pytest.mark.unsanitized("sanitizers take the signal")
@pytest.mark.skipif(
    sys.platform != "linux" or platform.machine() != "x86_64",
    reason="elsewhere frames are not touched page by page",
)
def test_a_frame_larger_than_the_guard_does_not_begin_beyond_it(kernels: Path) -> None:
    done = run(kernels, FRAME)
    assert (done.stdout, done.stderr) == ("compiled\n", "")
    assert done.returncode < 0


@pytest.mark.unsanitized("sanitizers make frames larger")
def test_a_large_frame_has_room_on_a_stack_that_is_large_enough(kernels: Path) -> None:
    printed = succeed(kernels, FRAME, NEXUS_CPU_FIBER_STACK="524288")
    assert printed == "compiled\nwent on\n"
