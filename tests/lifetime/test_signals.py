# SPDX-License-Identifier: Apache-2.0
"""Signals of the process come to the program's own threads."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest
from python_process import run_python

THREADS = """
import os
import time
import numpy as np

def threads():
    return set(os.listdir("/proc/self/task"))

before = threads()
import nexus
device = nexus.get_device(os.environ["NEXUS_DEVICE"])
device.create_buffer(np.arange(1 << 16)).fill(7)
time.sleep(0.3)  # those that only began it have ended
for thread in threads() - before:
    with open(f"/proc/self/task/{thread}/status") as status:
        lines = dict(line.split(":", 1) for line in status)
    print(int(lines["SigBlk"], 16))
"""


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="needs Linux' /proc")
def test_threads_of_nexus_take_no_signals_but_their_own_faults() -> None:
    program = run_python("-c", THREADS, more={"NEXUS_DEVICE": "cpu"}, check=True)
    blocked = [int(line) for line in program.stdout.split()]
    assert all(mask & bit(signal.SIGINT) and mask & bit(signal.SIGTERM) for mask in blocked)
    # A sanitizer's thread, and one that begins or ends, blocks all.
    assert not all(mask & bit(signal.SIGSEGV) for mask in blocked)


def bit(number: int) -> int:
    """That of a signal in a mask."""
    return 1 << (number - 1)
