# SPDX-License-Identifier: Apache-2.0
"""Runs compute-sanitizer on the launches of the conformance suite and on the gallery."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from gpu_cases import Bench, NotThere, add_case

_PLACES = (
    "/usr/local/cuda/bin/compute-sanitizer",
    "/usr/local/cuda/compute-sanitizer/compute-sanitizer",
)
_FOUND = 86  # the exit status for errors of device code or of calls of the driver
GALLERY = Path(__file__).parents[1] / "gallery_in_one.py"
SUITE = ("nexus.conformance.api.test_launch", "nexus.conformance.capi.test_commands")


def _tool() -> str:
    for place in (shutil.which("compute-sanitizer"), *_PLACES):
        if place and Path(place).is_file():
            return place
    raise NotThere("needs compute-sanitizer on the PATH")


def _run_under(tool: str, command: Sequence[str]) -> str:
    """Runs a program under a tool; returns its summary.

    Failing driver calls don't count: tests make calls fail on purpose, and the driver tells by an
    error that a kernel has no more parameters or that memory is pageable.
    """
    options = ["--report-api-errors", "no"] if tool == "memcheck" else []
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [_tool(), "--tool", tool, "--error-exitcode", str(_FOUND), "--target-processes",
             "application-only", *options, *command],
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
        )  # fmt: skip
    said = done.stdout + done.stderr
    print(said[-20000:])
    if re.search(r"Device not supported|Unable to find injection", said):
        raise NotThere(f"compute-sanitizer does not work here: {said.strip()[-300:]}")
    summaries = re.findall(r"(?:ERROR|RACECHECK) SUMMARY: .*", said)
    if not summaries:
        raise AssertionError(f"status {done.returncode} and no summary: {said.strip()[-500:]}")
    assert done.returncode == 0, f"status {done.returncode}; {summaries[-1]}; {said[:1500]}"
    assert re.search(r"SUMMARY: 0 |\(0 errors", summaries[-1]), summaries[-1]
    return str(summaries[-1])


def gallery(tool: str, bench: Bench) -> str:
    return _run_under(tool, [sys.executable, str(GALLERY), bench.selector])


def suite_module(tool: str, module: str, bench: Bench) -> str:
    backend = bench.selector.partition(":")[0]
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-q", "--pyargs", module,
               "--nexus-backend", backend, "--nexus-device", bench.selector]  # fmt: skip
    return _run_under(tool, command)


for _tool_name in ("memcheck", "racecheck"):
    for _module in SUITE:
        add_case(
            __name__, f"{_tool_name} of {_module}", partial(suite_module, _tool_name, _module),
            limit=300,
        )  # fmt: skip
    add_case(__name__, f"{_tool_name} of the gallery", partial(gallery, _tool_name), limit=300)
