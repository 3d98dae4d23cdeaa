# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C ends every wait, and the work goes on."""

from __future__ import annotations

import pytest
from python_process import run_python

PROGRAM = """
import os, signal, threading
import nexus

device = nexus.get_device()
event = device.create_event()
main = threading.main_thread().ident
try:
    threading.Timer(0.3, signal.pthread_kill, (main, signal.SIGINT)).start()
    {wait}
except KeyboardInterrupt:
    event.signal(1)
    device.synchronize()
    print("interrupted")
"""


@pytest.mark.parametrize("wait", ["event.wait(1)", "event.wait(1, timeout=100)"])
def test_ctrl_c_ends_a_wait_with_keyboard_interrupt(wait: str) -> None:
    done = run_python("-c", PROGRAM.format(wait=wait))
    assert (done.stdout, done.stderr) == ("interrupted\n", "")


def test_ctrl_c_ends_a_run() -> None:
    wait = """schedule = device.create_schedule()
    schedule.create_wait_command(event, 1)
    schedule.run()"""
    done = run_python("-c", PROGRAM.format(wait=wait))
    assert (done.stdout, done.stderr) == ("interrupted\n", "")
