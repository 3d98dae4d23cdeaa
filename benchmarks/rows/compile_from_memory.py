# SPDX-License-Identifier: Apache-2.0
"""Compiling a program that this process has compiled before."""

from __future__ import annotations

import nexus
from harness import Contestant, Mismatch, Result, interleave, our_version, timed_calls
from our_side import compiled
from smooth_program import SOURCE

NAME = "compile: from memory"
GOAL = "at most 50 us"
LIMIT = 50e-6


def measure(*, smoke: bool) -> Result:
    """Each call makes a new program of the text, as a function does that compiles its argument."""
    device = nexus.get_device("cpu")
    compiled(nexus.Program(SOURCE), device)

    def again() -> nexus.ObjectCode:
        return nexus.Program(SOURCE).compile(device)

    if again().origin != "memory":
        raise Mismatch(f"the object code came from '{again().origin}', not from memory")
    contestant = Contestant(our_version(), timed_calls(again, (), 20 if smoke else 500))
    (ours,) = interleave([contestant], repeats=3 if smoke else 41)
    return Result(NAME, GOAL, ours, met=ours.median <= LIMIT)
