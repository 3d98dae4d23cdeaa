# SPDX-License-Identifier: Apache-2.0
"""Signalling an event from the host and waiting for it, beside pyopencl's user event."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import nexus
from harness import Contestant, Mismatch, Result, our_version, race, timed_calls
from opencl_cpu import OpenCL, opencl_peers

NAME = "signal and wait of an event"
GOAL = "not slower than pyopencl's"


def measure(*, smoke: bool) -> Result:
    """OpenCL's events can be signalled once, so the peer makes a new one each time."""
    event = nexus.get_device("cpu").create_event()
    turn = _turn(event)
    turn()
    if event.value != 1:
        raise Mismatch(f"the event of nexus is at {event.value} after its first signal")
    peers, notes = opencl_peers(lambda runtime: runtime)
    for peer in peers:
        if _cl_turn(peer)() != peer.cl.command_execution_status.COMPLETE:
            raise Mismatch(f"the event of {peer.label} is not complete after the wait")

    calls = 50 if smoke else 1_000
    contestants = [
        Contestant(our_version(), timed_calls(turn, (), calls)),
        *(Contestant(peer.label, timed_calls(_cl_turn(peer), (), calls)) for peer in peers),
    ]
    return race(NAME, GOAL, contestants, 3 if smoke else 41, notes=notes)


def _turn(event: nexus.Event) -> Callable[[], None]:
    value = 0

    def turn() -> None:
        nonlocal value
        value += 1
        event.signal(value)
        event.wait(value)

    return turn


def _cl_turn(peer: OpenCL) -> Callable[[], Any]:
    complete = peer.cl.command_execution_status.COMPLETE

    def turn() -> Any:
        event = peer.cl.UserEvent(peer.context)
        event.set_status(complete)
        event.wait()
        return event.command_execution_status

    return turn
