# SPDX-License-Identifier: Apache-2.0
"""tools/prove_on_mac.sh, as far as it goes without a Mac: on the double of Metal, without peers."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import simulated

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def wheels() -> Path:
    """The folder of wheels for this machine."""
    folder = os.environ.get("NEXUS_WHEELS")
    if not folder or os.environ.get("NEXUS_SIMULATED_BACKEND") != "metal":
        pytest.skip('nox -s "tests(metal)" makes the wheels and the double')
    return Path(folder)


def prove(
    folder: Path, wheels: Path, *arguments: str, **variables: str
) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {
        "HOME": str(folder),
        "PYTHON": sys.executable,
        "NEXUS_PEERS": "",
        "NEXUS_CACHE_DIR": str(folder / "cache"),
        **variables,
    }
    script = str(ROOT / "tools" / "prove_on_mac.sh")
    return subprocess.run(
        ["sh", script, str(wheels), str(folder / "out"), *arguments],
        cwd=folder, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip


@pytest.mark.usefixtures("wheels")
def test_the_state_of_the_gpu_is_seen_by_an_empty_command_buffer(tmp_path: Path) -> None:
    command = [sys.executable, str(ROOT / "benchmarks" / "gpu" / "gpu_state.py"), "metal:0"]
    states = [simulated.metal_environment(), {"NEXUS_METAL_DRIVER": str(tmp_path / "no-file")}]
    told = [
        subprocess.run(command, env=os.environ | each, capture_output=True, text=True, check=False)
        for each in states
    ]
    assert [each.returncode for each in told] == [0, 1]
    assert told[0].stdout == "works\n"
    assert told[1].stdout.startswith("does not work: ")


def test_one_command_runs_the_gallery_and_makes_the_report(wheels: Path, tmp_path: Path) -> None:
    done = prove(tmp_path, wheels, "gallery", **simulated.metal_environment())
    assert done.returncode == 0, done.stdout + done.stderr
    assert "14 finished, 0 failed, 0 left" in done.stdout
    rows = (tmp_path / "out" / "hardware_rows.md").read_text()
    assert rows.startswith("Not for docs/hardware.md: the driver was simulated by ")
    assert "| metal | `benchmarks/gpu/run_all.sh WHEELS OUT gallery` | gallery 14 passed" in rows
    assert rows in done.stdout


def test_where_there_is_no_metal_it_says_so(wheels: Path, tmp_path: Path) -> None:
    done = prove(tmp_path, wheels, "gallery", NEXUS_METAL_DRIVER=str(tmp_path / "no-such-file"))
    assert done.returncode == 2
    assert "metal:0: " in done.stdout
