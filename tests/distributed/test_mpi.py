# SPDX-License-Identifier: Apache-2.0
"""Buffers as messages of mpi4py, and the program of docs/mpi.md."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import simulated
from test_pages import blocks

import nexus

MPIEXEC = Path(sys.executable).parent / "mpiexec"
if not MPIEXEC.exists():
    MPIEXEC = Path(shutil.which("mpiexec") or MPIEXEC)

pytest.importorskip("mpi4py", reason="mpi4py is not installed: nox -s distributed has it")
pytestmark = pytest.mark.skipif(
    not MPIEXEC.exists(), reason="no mpiexec: nox -s distributed has it"
)


def run_program(text: str, folder: Path, processes: int = 2) -> None:
    """Runs a program in processes that can send each other messages."""
    program = folder / "program.py"
    program.write_text(text, encoding="utf-8")
    done = subprocess.run(
        [MPIEXEC, "-n", str(processes), sys.executable, "-W", "error", program],
        capture_output=True, text=True, timeout=250, check=False,
        env={**os.environ, "NEXUS_DEVICE": "cpu", "NEXUS_CPU_THREADS": "1"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr + done.stdout


def test_the_page_runs(tmp_path: Path) -> None:
    (program,) = blocks("mpi.md")
    run_program(program, tmp_path)


def test_a_message_is_read_from_the_memory_of_the_buffer(
    tmp_path: Path, device: nexus.Device
) -> None:
    run_program(
        "import nexus\n"
        "from mpi4py import MPI\n"
        "buffer = nexus.zeros(16, device='cpu')\n"
        "assert MPI.buffer(buffer).address == buffer.native_handle\n",
        tmp_path,
        processes=1,
    )


@pytest.mark.skipif(
    not (simulated.folder() / "libcuda.so.1").exists(),
    reason="tests/drivers is not built: nox -s distributed builds it",
)
def test_a_message_is_read_from_the_memory_of_a_gpu(tmp_path: Path) -> None:
    """MPI gets the address; a GPU-aware one reads there."""
    run_program(
        "import nexus\n"
        "from mpi4py import MPI\n"
        "buffer = nexus.zeros(16, device='cuda:0')\n"
        "assert MPI.buffer(buffer).address == buffer.native_handle\n",
        tmp_path,
        processes=1,
    )


def test_a_part_with_gaps_is_refused(tmp_path: Path) -> None:
    run_program(
        "import nexus\n"
        "from mpi4py import MPI\n"
        "part = nexus.zeros((4, 4), device='cpu')[:, ::2]\n"
        "try:\n"
        "    MPI.COMM_SELF.Isend(part, 0)\n"
        "except (BufferError, ValueError):\n"
        "    pass\n"
        "else:\n"
        "    raise SystemExit('it was sent')\n",
        tmp_path,
        processes=1,
    )
