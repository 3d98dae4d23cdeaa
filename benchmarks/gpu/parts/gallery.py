# SPDX-License-Identifier: Apache-2.0
"""Each program of examples/kernels, which compares itself with numpy."""

from __future__ import annotations

import subprocess
import sys
from functools import partial
from pathlib import Path

from gpu_cases import Bench, add_case

EXAMPLES = Path(__file__).resolve().parents[3] / "examples" / "kernels"
PROGRAMS = sorted(file.stem for file in EXAMPLES.glob("*.py") if file.stem != "launch")


def run_program(name: str, bench: Bench) -> str:
    """Runs a program as a user does; returns its output."""
    done = subprocess.run(
        [sys.executable, str(EXAMPLES / f"{name}.py"), bench.selector],
        capture_output=True,
        text=True,
        check=False,
    )
    said = (done.stdout + done.stderr).strip()
    assert done.returncode == 0, said[-500:]
    return said


for _name in PROGRAMS:
    add_case(__name__, _name, partial(run_program, _name), limit=90)
