# SPDX-License-Identifier: Apache-2.0
"""Measures reading device files in a new process, ours beside Python's json."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import nexus
from harness import Contestant, Mismatch, Result, interleave, our_version

_OURS = """\
import sys
from time import perf_counter
import nexus
nexus.get_backends()
start = perf_counter()
{read}
seconds = perf_counter() - start
print(seconds, {count})
"""
_PEER = """\
import json, sys
from pathlib import Path
from time import perf_counter
paths = sys.argv[1:]
start = perf_counter()
trees = [json.loads(Path(path).read_text(encoding="utf-8")) for path in paths]
seconds = perf_counter() - start
print(seconds, len(trees))
"""


def device_paths() -> list[str]:
    """Returns the device files to read."""
    folder = Path(nexus.lookup_device_info("znver4").source("Name").file).parent
    return sorted(str(path) for path in folder.glob("*-*-*.json"))


def measure_files(
    name: str, limit: float, read: str, count: str, paths: list[str], *, smoke: bool
) -> Result:
    """Times the statement `read`; the expression `count` must then be the number of files."""
    ours, peer = interleave(
        [
            Contestant(
                our_version(), lambda: _seconds(_OURS.format(read=read, count=count), paths)
            ),
            Contestant("Python's json, the same files", lambda: _seconds(_PEER, paths)),
        ],
        repeats=3 if smoke else 25,
    )
    goal = f"at most {limit * 1e3:.0f} ms"
    return Result(name, goal, ours, peer, ours.median / peer.median, ours.median <= limit)


def _seconds(program: str, paths: list[str]) -> float:
    process = subprocess.run(
        [sys.executable, "-c", program, *paths], capture_output=True, text=True, check=True
    )
    seconds, count = process.stdout.split()
    if int(count) != len(paths):
        raise Mismatch(f"{count} device files were read, not {len(paths)}")
    return float(seconds)
