# SPDX-License-Identifier: Apache-2.0
"""Binding another buffer and replaying, beside the replay alone."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

import nexus
from harness import Contestant, Mismatch, interleave, timed_submissions
from measurement import Measurement, in_words
from nexus_side import GpuSide, image

NAME = "rebind one argument and replay"
GOAL = "at most 2 us over the replay"
LIMIT = 2e-6
ITEMS, GROUP = 1024, 256


def measure(*, smoke: bool) -> list[Measurement]:
    """A schedule of one command, which is launched, and one of 100, which is a graph."""
    ours = GpuSide(image("launches.cu"))
    return [
        _measure(ours, commands, calls, smoke)
        for commands, calls in ((1, 10 if smoke else 400), (100, 3 if smoke else 50))
    ]


def _measure(ours: GpuSide, commands: int, calls: int, smoke: bool) -> Measurement:
    size = ITEMS * 4
    x, sources = ours.zeros(size), [ours.zeros(size), ours.zeros(size)]
    for value, source in enumerate(sources, start=1):
        source.fill(value)
    arguments = (x, sources[0], np.int32(ITEMS))
    kept = ours.schedule("add_to", arguments, ITEMS // GROUP, GROUP, times=commands)
    bound = ours.schedule("add_to", arguments, ITEMS // GROUP, GROUP, times=commands)
    turn = _turn(ours, bound, sources)
    _compare(ours, x, turn, commands)
    stream = ours.stream
    alone = timed_submissions(kept.run, (stream, False), stream.synchronize, calls)
    rebound = timed_submissions(turn, (), stream.synchronize, calls)
    timings = interleave(
        [Contestant(f"{ours.label}, rebind and run", rebound), Contestant("the run alone", alone)],
        3 if smoke else 51,
    )
    over = timings[0].median - timings[1].median
    plural = "s" if commands > 1 else ""
    return Measurement(
        f"{NAME}, {commands} command{plural}",
        GOAL,
        timings,
        f"{in_words(over)} over the replay",
        over <= LIMIT,
    )


def _turn(
    ours: GpuSide, schedule: nexus.Schedule, sources: list[nexus.Buffer]
) -> Callable[[], None]:
    commands = schedule.get_commands()
    command = commands[len(commands) // 2]
    number = 0

    def turn() -> None:
        nonlocal number
        number += 1
        command.set_buffer(1, sources[number % 2])
        schedule.run(ours.stream, False)

    return turn


def _compare(ours: GpuSide, x: nexus.Buffer, turn: Callable[[], None], commands: int) -> None:
    """The first run adds 2 by the rebound command and 1 by each other; the next run 1 by all."""
    for expected in (commands + 1, 2 * commands + 1):
        turn()
        ours.stream.synchronize()
        values = x.numpy()
        if not np.all(values == expected):
            raise Mismatch(f"after rebinding, values are {values[:4]}... and not {expected}")
