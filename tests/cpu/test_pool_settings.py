# SPDX-License-Identifier: Apache-2.0
"""The number of threads, and their processors, each in a process of its own."""

from __future__ import annotations

import os
import sys

import pytest
from python_process import run_python

# Runs a copy, which starts the pool, and prints the processors that each new thread may use.
PROGRAM = """
import os, sys, nexus
for setting in sys.argv[1:]:
    nexus.set_config(*setting.split("="))
buffer = nexus.get_device("cpu").create_buffer((1 << 22,))
before = set(os.listdir("/proc/self/task"))  # The thread that loaded the backend may be in it.
buffer.fill(1.0)
for thread in sorted(set(os.listdir("/proc/self/task")) - before, key=int):
    print(*sorted(os.sched_getaffinity(int(thread))), sep=",")
"""

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="reads a process's threads from /proc"),
    pytest.mark.unsanitized("it counts threads, and the sanitizer has one too", by="thread"),
]


def threads(*settings: str, **environment: str) -> tuple[list[str], str]:
    """Returns the processors of each thread of the pool, and the log."""
    clean = {k: v for k, v in os.environ.items() if not k.startswith("NEXUS_CPU_")}
    run = run_python("-c", PROGRAM, *settings, env={**clean, **environment}, check=True)
    return run.stdout.splitlines(), run.stderr


def usable() -> list[int]:
    return sorted(os.sched_getaffinity(0))


def test_the_environment_says_how_many() -> None:
    found, _ = threads(NEXUS_CPU_THREADS="3")
    assert len(found) == 3


def test_a_program_says_how_many() -> None:
    found, _ = threads("cpu.threads=5")
    assert len(found) == 5


def test_the_environment_goes_before_the_program() -> None:
    found, _ = threads("cpu.threads=5", NEXUS_CPU_THREADS="2")
    assert len(found) == 2


def test_threads_run_wherever_the_process_may() -> None:
    found, _ = threads(NEXUS_CPU_THREADS="2")
    assert found == [",".join(map(str, usable()))] * 2


def test_pinned_threads_have_a_processor_each_in_turns() -> None:
    count = len(usable()) + 1
    found, _ = threads(NEXUS_CPU_THREADS=str(count), NEXUS_CPU_PIN="1")
    assert sorted(set(map(int, found))) == usable()
    assert len(found) == count


@pytest.mark.parametrize("text", ["0", "-1", "1025", "many", "2 ", "99999999999999999999"])
def test_a_number_of_threads_that_is_none_is_told_and_ignored(text: str) -> None:
    found, log = threads(NEXUS_CPU_THREADS=text)
    assert len(found) >= 1
    assert f"the setting cpu.threads is '{text}', which is not a number from 1 to 1024" in log


def test_a_switch_that_is_none_is_told_and_ignored() -> None:
    _, log = threads(NEXUS_CPU_PIN="yes")
    assert "the setting cpu.pin is 'yes', which is not 0 or 1; it is ignored" in log
