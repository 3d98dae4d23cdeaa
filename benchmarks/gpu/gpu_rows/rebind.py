# SPDX-License-Identifier: Apache-2.0
"""Binding another buffer and replaying, beside a CUDA graph in C, and beside the replay alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import c_side
import nexus
from harness import Contestant, Mismatch, interleave, timed_submissions
from measurement import Measurement, in_words
from nexus_side import GpuSide, image

NAME = "rebind one argument and replay"
GOAL = "at most 2 us over the same by cuGraphExecKernelNodeSetParams in C"
ALONE_GOAL = "at most 2 us over the replay"
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
    stream = ours.stream
    _check(x.numpy, turn, commands)
    alone = timed_submissions(kept.run, (stream, False), stream.synchronize, calls)
    rebound = timed_submissions(turn, (), stream.synchronize, calls)
    sides = [Contestant(f"{ours.label}, rebind and run", rebound), Contestant("the run", alone)]
    beside_c = commands > 1 and not ours.device.selector.startswith("hip:")
    if beside_c:
        sides.append(Contestant("C, rebind and cuGraphLaunch", _c_turns(commands, calls)))
    timings = interleave(sides, 3 if smoke else 51)
    over, over_c = (timings[0].median - timings[each].median for each in (1, -1))
    figure = f"{in_words(over)} over the replay"
    if beside_c:
        figure += f", {in_words(over_c)} over C"
    plural = "s" if commands > 1 else ""
    name = f"{NAME}, {commands} command{plural}"
    return Measurement(name, GOAL if beside_c else ALONE_GOAL, timings, figure, over_c <= LIMIT)


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


def _c_turns(commands: int, calls: int) -> Callable[[], float]:
    """Returns what measures the seconds of a turn in C."""
    c = c_side.baseline()
    (function,) = c.functions(image("launches.cu"), "add_to")
    x, *sources = (c.allocate(ITEMS * 4) for _ in range(3))
    for value, address in enumerate((x, *sources)):
        c_side.write(address, np.full(ITEMS, value, np.float32))
    one, two = (
        c_side.launch(function, (x, each, np.int32(ITEMS)), (ITEMS // GROUP, 1, 1), (GROUP, 1, 1))
        for each in sources
    )
    graph = c.graph([one] * commands)
    turns = iter((two, one))

    def turn() -> None:
        c.time_rebinding(graph, commands // 2, [next(turns)], 1)

    _check(lambda: c_side.read(x, np.empty(ITEMS, np.float32)), turn, commands)
    return lambda: float(c.time_rebinding(graph, commands // 2, (two, one), calls))


def _check(read: Callable[[], Any], turn: Callable[[], None], commands: int) -> None:
    """The first run adds 2 by the rebound command and 1 by each other; the next run 1 by all."""
    for expected in (commands + 1, 2 * commands + 1):
        turn()
        values = read()
        if not np.all(values == expected):
            raise Mismatch(f"after rebinding, values are {values[:4]}... and not {expected}")
