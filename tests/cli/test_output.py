# SPDX-License-Identifier: Apache-2.0
"""Where the output can't be written, the command says so in a sentence."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

FULL = Path("/dev/full")  # every write to it fails, as to a full disk


def run_in_shell(redirected: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["/bin/sh", "-c", f'exec "$0" -m nexus.cli {redirected}', sys.executable],
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.skipif(not FULL.exists(), reason="needs /dev/full, which Linux has")
@pytest.mark.parametrize("command", ["info", "info --json", "info cpu:0"])
def test_a_full_disk_is_a_sentence(command: str) -> None:
    done = run_in_shell(f"{command} >{FULL}")
    assert done.returncode == 1
    assert done.stderr == "nexus info: could not write: No space left on device.\n"


def test_a_closed_output_is_as_good_as_none() -> None:
    done = run_in_shell("info >&-")
    assert (done.stderr, done.returncode) == ("", 0)


@pytest.mark.parametrize("words", [["info", "cpu:0"], ["db", "show", "H200"]])
def test_a_reader_that_has_enough_gets_no_traceback(words: list[str]) -> None:
    command = [sys.executable, "-m", "nexus.cli", *words]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
