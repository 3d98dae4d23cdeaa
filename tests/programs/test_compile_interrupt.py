# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C while a compiler runs."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

PROGRAM = """
import nexus
try:
    nexus.get_device("cpu").compile("NEXUS_KERNEL(k, (int, n)) {}")
except KeyboardInterrupt:
    print("interrupted")
"""


def test_ctrl_c_during_a_compile_is_a_keyboard_interrupt(tmp_path: Path) -> None:
    begun = tmp_path / "begun"
    compiler = tmp_path / "compiler"
    compiler.write_text(f"#!/bin/sh\ntouch {begun}\nsleep 1\nexit 1\n")
    compiler.chmod(compiler.stat().st_mode | stat.S_IXUSR)
    running = subprocess.Popen(
        [sys.executable, "-c", PROGRAM],
        env=os.environ | {"CC": str(compiler), "NEXUS_CACHE": "0"},
        stdout=subprocess.PIPE,
        text=True,
    )
    while not begun.exists() and running.poll() is None:
        time.sleep(0.01)
    running.send_signal(signal.SIGINT)
    output, _ = running.communicate(timeout=60)
    assert output == "interrupted\n"
