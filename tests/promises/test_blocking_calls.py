# SPDX-License-Identifier: Apache-2.0
"""Every call that waits lets other threads run, and ends on Ctrl-C."""

from __future__ import annotations

import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest
from blocking_program import CALLS

HERE = Path(__file__).parent
FOUND = ["another thread ran meanwhile", "a handler ran meanwhile", "Ctrl-C ended it"]


@cache
def run_program(library: Path, how: str) -> tuple[list[str], str]:
    """Returns the program's output and its errors."""
    program = [sys.executable, str(HERE / "blocking_program.py"), "cpu", str(library), how]
    try:
        done = subprocess.run(program, capture_output=True, text=True, timeout=120, check=False)
    except subprocess.TimeoutExpired as error:  # the call after the last line never ended
        return (error.stdout or b"").decode().splitlines(), "a call never ended"
    return done.stdout.splitlines(), done.stderr


@pytest.mark.parametrize("how", ["held", "running"])
@pytest.mark.parametrize("call", CALLS)
def test_a_blocking_call_lets_others_run_and_ends_on_ctrl_c(
    call: str, how: str, cpu_library: Path
) -> None:
    lines, errors = run_program(cpu_library, how)
    found = [line.partition(": ")[2] for line in lines if line.partition(": ")[0] == call]
    assert (found, errors) == (FOUND, "")
