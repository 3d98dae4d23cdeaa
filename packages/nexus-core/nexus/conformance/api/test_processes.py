# SPDX-License-Identifier: Apache-2.0
"""Processes: a fork with work in flight, an exit with work in flight, and Ctrl-C."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from nexus.conformance.api.workbench import Workbench

needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork()")
Start = Callable[[str], "subprocess.CompletedProcess[str]"]


@pytest.fixture
def start(work: Workbench, tmp_path: Path) -> Start:
    """Runs a part of child.py on the device."""
    library = tmp_path / "elements.bin"
    library.write_bytes(work.kernels.code("elements"))

    def run(part: str) -> subprocess.CompletedProcess[str]:
        module = "nexus.conformance.api.child"
        command = [sys.executable, "-W", "ignore", "-m", module, part]
        return subprocess.run(
            [*command, work.device.selector, str(library)],
            capture_output=True, text=True, timeout=120, check=False,
        )  # fmt: skip

    return run


def found(done: subprocess.CompletedProcess[str]) -> dict[str, str]:
    """Returns the results that the program printed, by name."""
    assert done.returncode == 0, done.stderr
    return dict(line.split(": ", 1) for line in done.stdout.splitlines())


@needs_fork
@pytest.mark.needs("LibraryFromMemory")
@pytest.mark.promise("life-fork-old", "life-fork-new")
def test_a_fork_with_work_in_flight(start: Start) -> None:
    said = found(start("fork"))
    uses = {name: status for name, status in said.items() if name.startswith("use ")}
    assert len(uses) == 12
    assert set(uses.values()) == {"NXS_InvalidOperation"}, uses
    assert said["new"] == "{5}" or (said["new"].startswith("refused: ") and "fork" in said["new"])
    assert said["child"] == "0"
    assert (said["parent"], said["parent again"]) == ("{3}", "{3}")


@pytest.mark.needs("LibraryFromMemory")
@pytest.mark.promise("life-exit")
@pytest.mark.parametrize("when", ["work_held", "work_running", "threads", "a_wait"])
def test_a_program_ends_with_its_own_status_and_in_silence(start: Start, when: str) -> None:
    done = start(f"ends_with_{when}")
    assert (done.returncode, done.stdout, done.stderr) == (7, "", "")


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent otherwise on Windows")
@pytest.mark.needs("LibraryFromMemory")
@pytest.mark.promise("wait-interrupt")
def test_ctrl_c_ends_a_wait_and_the_work_goes_on(start: Start) -> None:
    said = found(start("interrupted"))
    assert said.pop("work") == "True"
    assert said == dict.fromkeys(("stream", "device", "event", "run"), "interrupted")
