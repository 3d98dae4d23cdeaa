# SPDX-License-Identifier: Apache-2.0
"""A blocking copy from a CPU buffer to one of the reference backend beside memcpy."""

from __future__ import annotations

import ctypes
from collections.abc import Callable

import nexus
from harness import Contestant, Mismatch, NotMeasured, Result, our_version, race, timed_calls

NAME = "copy from backend to backend"
GOAL_LARGE = "at least 97 % of memcpy's speed"
GOAL_SMALL = "memcpy + 20 us at most"
SMALL, LARGE = 4096, 256 << 20
GOAL = f"{GOAL_LARGE} (256 MiB), {GOAL_SMALL} (4 KiB)"


def measure(*, smoke: bool) -> list[Result]:
    """Both copy between the same two memories."""
    try:
        devices = nexus.get_device("cpu"), nexus.get_device("reference")
    except nexus.NexusError as reason:
        raise NotMeasured(
            "needs the backend of tests/plugins/nexus-reference: build the tree and name its "
            "python/nexus_reference in NEXUS_PLUGIN_PATH"
        ) from reason
    large = LARGE // 16 if smoke else LARGE
    return [
        _row(devices, SMALL, f"{NAME}, 4 KiB", GOAL_SMALL, *((100, 3) if smoke else (1_000, 41)),
             allowance=20e-6),
        _row(devices, large, f"{NAME}, 256 MiB", GOAL_LARGE, 1, 3 if smoke else 21, limit=1.03),
    ]  # fmt: skip


def _row(
    devices: tuple[nexus.Device, nexus.Device],
    size: int,
    name: str,
    goal: str,
    calls: int,
    repeats: int,
    *,
    limit: float = 1.0,
    allowance: float = 0.0,
) -> Result:
    import numpy as np

    host = np.random.default_rng(1).integers(0, 256, size, np.uint8)
    source = devices[0].create_buffer(host)
    target = devices[1].create_buffer(np.zeros_like(host))
    memories = np.asarray(target), np.asarray(source)
    memcpy = (*(ctypes.c_void_p(memory.ctypes.data) for memory in memories), size)
    copies: dict[str, Callable[[], object]] = {
        "nexus": lambda: target.copy_from(source),
        "memcpy": lambda: ctypes.memmove(memories[0].ctypes.data, memories[1].ctypes.data, size),
    }
    for label, copy in copies.items():
        memories[0][:] = 0
        copy()
        if not np.array_equal(memories[0], host):
            raise Mismatch(f"the copy of {label} differs from its source")
    ours = Contestant(our_version(), timed_calls(target.copy_from, (source,), calls))
    peer = Contestant("memcpy, by ctypes", timed_calls(ctypes.memmove, memcpy, calls))
    return race(name, goal, [ours, peer], repeats, limit=limit, allowance=allowance)
