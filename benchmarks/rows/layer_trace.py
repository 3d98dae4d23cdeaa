# SPDX-License-Identifier: Apache-2.0
"""Runs with the layer `trace` beside runs without it, each in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from harness import Result, Timing, our_version

NAME = "runs with the layer trace"
GOAL = "at most 20 us more"
ALLOWANCE = 20e-6
ITEMS = 1024
FOLDER = Path(__file__).parent.parent

# Layers are inserted when the backend is loaded, so each process has one setting.
_PROGRAM = f"""\
import json, sys
sys.path.insert(0, {str(FOLDER)!r})
from harness import timed_calls, timed_submissions
from nexus_add import NexusAdd
calls, repeats = int(sys.argv[1]), int(sys.argv[2])
ours = NexusAdd({ITEMS})
submit = (ours.schedule.run, (ours.stream, False), ours.stream.synchronize)
batches = {{
    "blocking": timed_calls(ours.schedule.run, (), calls),
    "non-blocking": timed_submissions(*submit, calls),
}}
for batch in batches.values():
    batch()
times = {{name: [batch() for _ in range(repeats)] for name, batch in batches.items()}}
print(json.dumps(times))
"""


def measure(*, smoke: bool) -> list[Result]:
    """Both kinds of run: ours is with the layer, the peer without."""
    calls, repeats, turns = (50, 3, 1) if smoke else (500, 11, 3)
    traced: dict[str, list[float]] = {}
    plain: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory(prefix="nexus-trace-") as folder:
        on = {"NEXUS_LAYERS": "trace", "NEXUS_TRACE_FILE": str(Path(folder) / "trace.json")}
        for _ in range(turns):
            for times, environment in ((traced, on), (plain, {"NEXUS_LAYERS": ""})):
                for name, seconds in _times(calls, repeats, environment).items():
                    times.setdefault(name, []).extend(seconds)
        written = (Path(folder) / "trace.json").stat().st_size
    notes = [f"the trace of one process: {written / 1e6:.1f} MB"]
    return [_result(name, traced[name], plain[name], notes) for name in traced]


def _result(name: str, traced: list[float], plain: list[float], notes: list[str]) -> Result:
    with_layer = Timing.of(f"{our_version()} with NEXUS_LAYERS=trace", traced)
    without = Timing.of(f"{our_version()} without a layer", plain)
    met = with_layer.median <= without.median + ALLOWANCE
    ratio = with_layer.median / without.median
    return Result(f"{name} run, trace", GOAL, with_layer, without, ratio, met, notes)


def _times(calls: int, repeats: int, environment: dict[str, str]) -> dict[str, list[float]]:
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM, str(calls), str(repeats)],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=True,
    )
    times: dict[str, list[float]] = json.loads(done.stdout)
    return times
