# SPDX-License-Identifier: Apache-2.0
"""Binding another buffer and running, beside pyopencl's set_arg, enqueue and finish."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from harness import Contestant, Mismatch, Result, race, timed_calls
from nexus_add import NexusAdd
from opencl_add import OpenCLAdd
from opencl_cpu import opencl_peers

NAME = "rebind and run, 1 024 items"
GOAL = "not slower than pyopencl's"
ITEMS = 1024


def measure(*, smoke: bool) -> Result:
    """Each turn sums with the other of two first inputs, and waits for the sum."""
    import numpy as np

    ours = NexusAdd(ITEMS)
    peers, notes = opencl_peers(lambda runtime: OpenCLAdd(runtime, ours.a, ours.b))
    sums = [_first_turns(_our_turn(ours), ours.result)]
    sums += [_first_turns(_cl_turn(peer), peer.result) for peer in peers]
    for one in sums:
        if not np.array_equal(one, [ours.b + ours.b, ours.a + ours.b]):
            raise Mismatch("a sum after rebinding is wrong")

    calls = 20 if smoke else 300
    contestants = [
        Contestant(ours.label, timed_calls(_our_turn(ours), (), calls)),
        *(Contestant(peer.label, timed_calls(_cl_turn(peer), (), calls)) for peer in peers),
    ]
    return race(NAME, GOAL, contestants, 3 if smoke else 41, notes=notes)


def _first_turns(turn: Callable[[], None], result: Callable[[], Any]) -> list[Any]:
    sums = []
    for _ in range(2):
        turn()
        sums.append(result())
    return sums


def _our_turn(ours: NexusAdd) -> Callable[[], None]:
    inputs = ours.inputs
    turn_number = 0

    def turn() -> None:
        nonlocal turn_number
        turn_number += 1
        ours.command.set_buffer(0, inputs[turn_number % 2])
        ours.schedule.run()

    return turn


def _cl_turn(peer: OpenCLAdd) -> Callable[[], None]:
    turn_number = 0

    def turn() -> None:
        nonlocal turn_number
        turn_number += 1
        peer.kernel.set_arg(0, peer.inputs[turn_number % 2])
        peer.run()

    return turn
