# SPDX-License-Identifier: Apache-2.0
"""Runs with the layer `validate` beside runs without it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from harness import NotMeasured, Result, Timing, our_version

NAME = "run with the layer validate, 1 024 items"
GOAL = "none: what the layer costs"
HERE = Path(__file__).parent

_PROGRAM = """
import json, sys
sys.path[:0] = [{folder!r}]
from harness import Contestant, interleave, timed_calls, timed_submissions
from nexus_add import NexusAdd
ours = NexusAdd(1024)
ours.schedule.run()
blocking, other = interleave(
    [
        Contestant("blocking", timed_calls(ours.schedule.run, (), {calls})),
        Contestant("non-blocking", timed_submissions(
            ours.schedule.run, (ours.stream, False), ours.stream.synchronize, 64)),
    ],
    repeats={repeats},
)
print(json.dumps([[t.median, t.low, t.high, t.repeats] for t in (blocking, other)]))
"""


def measure(*, smoke: bool) -> Result:
    """Layers are chosen when a process begins, so the sides are processes that take turns."""
    sides: dict[str, list[list[list[float]]]] = {"validate": [], "": []}
    for _ in range(1 if smoke else 5):
        for layer, turns in sides.items():
            turns.append(_measured(layer, smoke=smoke))
    on, off = (_median(turns) for turns in sides.values())
    label = f"{our_version()}, blocking"
    blocking, plain = _timing(f"{label}, validate", on[0]), _timing(f"{label}, off", off[0])
    note = (
        f"a non-blocking run: {on[1][0] * 1e6:.2f} us with the layer, {off[1][0] * 1e6:.2f} us off"
    )
    return Result(NAME, GOAL, blocking, plain, blocking.median / plain.median, None, [note])


def _measured(layer: str, *, smoke: bool) -> list[list[float]]:
    """Returns a process's timings of a blocking and of a non-blocking run."""
    text = _PROGRAM.format(
        folder=str(HERE.parent), calls=50 if smoke else 1000, repeats=3 if smoke else 21
    )
    done = subprocess.run(
        [sys.executable, "-c", text],
        env=os.environ | {"NEXUS_LAYERS": layer},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise NotMeasured(f"the measuring process failed: {done.stderr.strip()[-200:]}")
    measured: list[list[float]] = json.loads(done.stdout.splitlines()[-1])
    return measured


def _median(turns: list[list[list[float]]]) -> list[list[float]]:
    """Returns the turn with the median blocking run."""
    return sorted(turns)[len(turns) // 2]


def _timing(label: str, numbers: list[float]) -> Timing:
    median, low, high, repeats = numbers
    return Timing(label, median, low, high, int(repeats))
