# SPDX-License-Identifier: Apache-2.0
"""`nexus run --check` on CUDA, with a replacement of NVIDIA's compute-sanitizer."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
import simulated
from python_process import run_python

pytestmark = pytest.mark.usefixtures("started")

# Says what it got, and runs it.
SANITIZER = """#!/bin/sh
echo "sanitizer: $1 $2 $3 $4 $5 $6"
shift 6
"$@" || exit 9
exit ${SANITIZER_STATUS:-0}
"""
KERNEL = """
extern "C" __global__ void one(int *out) { out[0] = 1; }
"""


def check(folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Returns the command, run in a folder without a CUDA toolkit."""
    (folder / "kernel.cu").write_text(KERNEL)
    words = ["run", "kernel.cu", "--language=cuda", "--device=cuda:0", "--check", "--grid=1"]
    clean = {k: v for k, v in os.environ.items() if k not in ("CUDA_PATH", "CUDA_HOME")}
    return run_python(
        "-m",
        "nexus.cli",
        *words,
        "int32[4]",
        "--out=0=out.npy",
        env=clean | simulated.environment() | environment,
        cwd=folder,
    )


def install(folder: Path) -> None:
    folder.mkdir(parents=True)
    tool = folder / "compute-sanitizer"
    tool.write_text(SANITIZER)
    tool.chmod(0o755)


def test_the_kernel_runs_under_compute_sanitizer(tmp_path: Path) -> None:
    install(tmp_path / "bin")
    done = check(tmp_path, PATH=f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    assert done.returncode == 0, done.stderr
    assert "sanitizer: --tool memcheck --error-exitcode 1 --report-api-errors no" in done.stdout
    assert "one(int32[4]) on cuda:0" in done.stdout
    assert (tmp_path / "out.npy").exists()
    assert f"nexus run: under {tmp_path}/bin/compute-sanitizer" in done.stderr


def test_compute_sanitizer_is_found_in_the_toolkit(tmp_path: Path) -> None:
    install(tmp_path / "toolkit" / "bin")
    done = check(tmp_path, CUDA_HOME=str(tmp_path / "toolkit"))
    assert done.returncode == 0, done.stderr
    assert "sanitizer: --tool memcheck" in done.stdout


def test_what_compute_sanitizer_finds_is_the_status(tmp_path: Path) -> None:
    install(tmp_path / "bin")
    path = f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}"
    assert check(tmp_path, PATH=path, SANITIZER_STATUS="1").returncode == 1


def test_compute_sanitizer_is_named_where_it_is_missing(tmp_path: Path) -> None:
    if any(Path("/usr/local/cuda").glob("*/compute-sanitizer")):
        pytest.skip("needs a machine without compute-sanitizer")
    done = check(tmp_path, PATH=str(tmp_path))
    assert done.returncode == 1
    assert "--check needs NVIDIA's compute-sanitizer for CUDA" in done.stderr
    assert not (tmp_path / "out.npy").exists()
