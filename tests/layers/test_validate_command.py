# SPDX-License-Identifier: Apache-2.0
"""`nexus validate script.py`: the script's own status, and what was found."""

from __future__ import annotations

import signal
import subprocess
from pathlib import Path

import pytest
from python_process import run_python

GOOD = """\
import sys
import nexus
nexus.get_device("cpu").create_buffer(64).fill(1)
print(sys.argv[1:])
raise SystemExit(int(sys.argv[1]))
"""
LEAKS = """\
import ctypes
import nexus
kept = nexus.get_device("cpu").create_buffer(64)
ctypes.pythonapi.Py_IncRef(ctypes.py_object(kept))
"""


def validate(script: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return run_python("-m", "nexus.cli", "validate", str(script), *arguments)


@pytest.mark.parametrize("status", [0, 3])
def test_a_right_script_ends_with_its_own_status(status: int, tmp_path: Path) -> None:
    script = tmp_path / "good.py"
    script.write_text(GOOD)
    done = validate(script, str(status), "--epochs")
    assert done.returncode == status
    assert done.stdout == f"['{status}', '--epochs']\n"
    assert done.stderr == "nexus validate: nothing was found.\n"


def test_a_script_that_ends_by_a_signal_is_no_good_news(tmp_path: Path) -> None:
    script = tmp_path / "aborts.py"
    script.write_text("import os\nos.abort()\n")
    done = validate(script)
    assert done.returncode == 128 + signal.SIGABRT
    (line,) = [line for line in done.stderr.splitlines() if line.startswith("nexus validate: ")]
    assert "ended by SIGABRT" in line
    assert "found no reason" in line


def test_a_script_with_a_finding_ends_with_one(tmp_path: Path) -> None:
    script = tmp_path / "leaks.py"
    script.write_text(LEAKS)
    done = validate(script)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith("nexus validate: 1 NXV-0501-leak in ")
