# SPDX-License-Identifier: Apache-2.0
"""The tree reduction with barriers anywhere in the kernel: the cost of a barrier for an item."""

from __future__ import annotations

import math

from harness import Contestant, Result, Timing, interleave, machine, timed_calls
from kernel_rows import checked
from our_side import cpu_side
from rows.reduce import GROUP, work

NAME = "tree reduction, item and barrier"
GOAL = "at most 15 ns of a core"
LIMIT = 15e-9


def measure(*, smoke: bool) -> Result:
    """Divides the time of the whole reduction, of all cores, by the barriers."""
    job = work("reduce_with_barriers", 12 if smoke else 24)
    ours = cpu_side(job, fast_math=False)
    error = checked(job, ours)
    contestant = Contestant(ours.label, timed_calls(ours.run, (), 1))
    (whole,) = interleave([contestant], repeats=3 if smoke else 9)
    items = sum(launch.grid_size[0] for launch in job.launches)
    crossings = items * (1 + int(math.log2(GROUP)))
    share = machine()["cores"] / crossings
    each = Timing(
        whole.label, whole.median * share, whole.low * share, whole.high * share, whole.repeats
    )
    notes = [f"{job.name}: {whole.median * 1e3:.3f} ms on {machine()['cores']} cores"]
    return Result(
        NAME, GOAL, each, met=each.median <= LIMIT, notes=notes, errors=f"{error:.3g} ulp"
    )
