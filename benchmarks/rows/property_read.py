# SPDX-License-Identifier: Apache-2.0
"""Reading a device's name again beside pyopencl's device.name, without the cost of the loop."""

from __future__ import annotations

import timeit
from collections.abc import Callable

import nexus
from harness import Contestant, Mismatch, Result, our_version, race
from opencl_cpu import opencl_peers

NAME = "read a property"
GOAL = "faster than pyopencl's device.name"


def measure(*, smoke: bool) -> Result:
    """The property can't change, so nexus returns the value that it read before."""
    device = nexus.get_device("cpu")
    peers, notes = opencl_peers(lambda runtime: runtime)
    for name in [device.get_property_str("Name"), *(peer.device.name for peer in peers)]:
        if not isinstance(name, str) or not name:
            raise Mismatch(f"{name!r} is not a name")

    calls = 1_000 if smoke else 20_000
    batches = [(our_version(), _batch("read('Name')", {"read": device.get_property_str}, calls))]
    batches += [(p.label, _batch("device.name", {"device": p.device}, calls)) for p in peers]
    contestants = [Contestant(*each) for each in batches]
    return race(NAME, GOAL, contestants, 3 if smoke else 41, notes=notes)


def _batch(statement: str, names: dict[str, object], calls: int) -> Callable[[], float]:
    """Times the statement and an empty loop; returns the difference for one turn."""
    read = timeit.Timer(statement, globals=names)
    empty = timeit.Timer("pass")

    def batch() -> float:
        return max(read.timeit(calls) - empty.timeit(calls), 0.0) / calls

    return batch
