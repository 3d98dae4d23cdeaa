# SPDX-License-Identifier: Apache-2.0
"""The gallery's kernels through Nexus beside the same text built by nvcc and launched from C."""

from __future__ import annotations

from collections.abc import Iterator

import nexus
from gallery_works import works
from harness import Contestant, Mismatch, interleave
from measurement import Measurement
from work import Work
from work_sides import CWork, OurWork

NAME = "gallery"
GOAL = "within 2 % of the same kernel built by nvcc and launched from C"
LIMIT = 1.02
TIMES = 5  # runs between two events


def measure(*, smoke: bool) -> Iterator[Measurement]:
    """Measures times on the device. All works are measured before a failure is raised."""
    failures = []
    for work in works(smoke=smoke):
        try:
            yield _measure(work, smoke)
        except (Mismatch, nexus.NexusError) as failure:
            failures.append(f"{work.name}: {type(failure).__name__}: {failure}")
    if failures:
        raise Mismatch("; ".join(failures))


def _measure(work: Work, smoke: bool) -> Measurement:
    ours = OurWork(work)
    c = CWork(work, ours.launched)
    try:
        errors = [work.check(side.label, side.results()) for side in (ours, c)]
        timings = interleave(
            [
                Contestant(side.label, lambda side=side: side.device_seconds(TIMES))  # type: ignore[misc]
                for side in (ours, c)
            ],
            3 if smoke else 31,
        )
    finally:
        c.close()
    ratio = timings[0].median / timings[1].median
    notes = [f"largest error of ours / C's: {errors[0]:.3g} / {errors[1]:.3g} {work.unit}"]
    return Measurement(
        f"{NAME}: {work.name}", GOAL, timings, f"ours / C {ratio:.3f}", ratio <= LIMIT, notes
    )
