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

UNFINISHED_WORK = """
from mpi4py import MPI

import nexus

SLOW = '''
NEXUS_KERNEL(slow, (NEXUS_GLOBAL unsigned int *, x)) {
  unsigned int s = x[0];
  for (int i = 0; i < 50000000; i++) s = s * 1664525u + 1013904223u;
  x[0] = s | 1u;
}
'''
world = MPI.COMM_WORLD
device = nexus.get_device("cpu")
buffer, other = (nexus.zeros(1, "uint32", device=device) for _ in range(2))
schedule = device.create_schedule()
schedule.create_command(device.compile(SLOW).get_kernel("slow"), [buffer], grid_size=1)

schedule.run(blocking=False)
if world.rank == 0:
    world.Send(buffer, 1)
else:
    world.Recv(other, 0)
    assert other.numpy()[0] == buffer.numpy()[0] != 0
    other.fill(8)

schedule.run(blocking=False)
if world.rank == 0:
    world.Recv(buffer, 1)
    assert buffer.numpy()[0] == 8
else:
    world.Send(other, 0)
"""


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


def test_messages_wait_for_submitted_work(tmp_path: Path) -> None:
    """A send has what a submitted run writes; what is received replaces what one writes."""
    run_program(UNFINISHED_WORK, tmp_path)


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
