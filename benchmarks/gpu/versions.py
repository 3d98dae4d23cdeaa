# SPDX-License-Identifier: Apache-2.0
"""Finds the versions on which results depend: the GPU, its driver, the peers and the tools."""

from __future__ import annotations

import importlib.metadata
import re
import shutil
import subprocess
from collections.abc import Sequence
from datetime import datetime, timezone
from typing import Any

from cubins import nvcc
from harness import NotMeasured, machine

DISTRIBUTIONS = (
    "nexus-core",
    "nexus-cuda",
    "nexus-cpu",
    "nexus-hip",
    "nexus-metal",
    "nexus-cuda-baseline",
    "cuda-core",
    "cuda-bindings",
    "cuda-pathfinder",
    "cupy-cuda13x",
    "cupy-cuda12x",
    "cupy",
    "cupy-rocm-7-0",
    "rocm-bindings-hip",
    "mlx",
    "numba",
    "numba-cuda",
    "torch",
    "triton",
    "jax",
    "pycuda",
    "numpy",
    "pytest",
    "nvidia-cuda-nvrtc",
    "nvidia-cuda-nvrtc-cu12",
    "nvidia-nvjitlink",
    "nvidia-nvjitlink-cu12",
)
_QUERY = ("name", "driver_version", "memory.total", "compute_cap", "pstate", "clocks.max.sm")


def now() -> str:
    """Returns the time in UTC, to the second."""
    return datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def about() -> dict[str, Any]:
    """Returns all versions, without those of missing tools."""
    return {
        "date": now(),
        "machine": machine(),
        "gpus": gpus(),
        "packages": packages(),
        "tools": {
            name: version
            for name, version in (
                ("nvcc", _nvcc_version()),
                ("compute-sanitizer", _said(["compute-sanitizer", "--version"], r"ersion (\S+)")),
                ("driver supports CUDA", _said(["nvidia-smi"], r"CUDA Version: (\S+)")),
            )
            if version
        },
    }


def packages() -> dict[str, str]:
    """Returns the versions of our packages and of the peers."""
    found = {}
    for name in DISTRIBUTIONS:
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found


def gpus() -> list[dict[str, str]]:
    """Returns nvidia-smi's description of each GPU; nothing without nvidia-smi."""
    text = _output(["nvidia-smi", f"--query-gpu={','.join(_QUERY)}", "--format=csv,noheader"])
    rows = [[each.strip() for each in line.split(",")] for line in text.splitlines()]
    return [dict(zip(_QUERY, row, strict=True)) for row in rows if len(row) == len(_QUERY)]


def _nvcc_version() -> str:
    try:
        return _said([nvcc(), "--version"], r"V(\d\S+)")
    except NotMeasured:
        return ""


def _said(command: Sequence[str], pattern: str) -> str:
    found = re.search(pattern, _output(command))
    return found[1] if found else ""


def _output(command: Sequence[str]) -> str:
    """Returns a tool's output; nothing if the tool is missing or fails."""
    if not shutil.which(command[0]):
        return ""
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout if done.returncode == 0 else ""
