# SPDX-License-Identifier: Apache-2.0
"""Threads that have finished their block of a launch help with the others."""

from __future__ import annotations

from pathlib import Path

from python_process import run_python

PROGRAM = """
import sys, numpy, nexus
device = nexus.get_device("cpu")
kernel = device.load_library(sys.argv[1]).get_kernel("slow_start")
groups, slow = 64, 16
threads = device.create_buffer(numpy.zeros(groups, numpy.uint64))
schedule = device.create_schedule()
command = schedule.create_command(kernel, (threads, numpy.int32(slow)), 1, groups)
schedule.run()
print(len(set(threads.numpy()[:slow].tolist())))
"""


def test_a_slow_part_is_shared_by_the_threads(kernels: Path) -> None:
    run = run_python(
        "-c", PROGRAM, kernels / "uneven_kernels.so", more={"NEXUS_CPU_THREADS": "4"}, check=True
    )
    # A quarter of the groups is slow: all of them are one thread's own part.
    assert int(run.stdout) > 1
