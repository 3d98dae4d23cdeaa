# SPDX-License-Identifier: Apache-2.0
"""Measures copies from a buffer to the host beside the C library's memcpy."""

from __future__ import annotations

import ctypes

import nexus
from harness import Contestant, Mismatch, Result, our_version, race, timed_calls


def measure_copy(
    name: str,
    goal: str,
    size: int,
    calls: int,
    repeats: int,
    *,
    limit: float = 1.0,
    allowance: float = 0.0,
) -> Result:
    """Measures buffer.copy(host) beside memcpy between the same addresses."""
    import numpy as np

    source = np.random.default_rng(1).integers(0, 256, size, np.uint8)
    host = np.zeros_like(source)
    buffer = nexus.get_device("cpu").create_buffer(source)
    memory = np.asarray(buffer)
    memcpy = (ctypes.c_void_p(host.ctypes.data), ctypes.c_void_p(memory.ctypes.data), size)
    for label, call, arguments in (
        ("nexus", buffer.copy, (host,)),
        ("memcpy", ctypes.memmove, memcpy),
    ):
        host[:] = 0
        call(*arguments)
        if not np.array_equal(host, source):
            raise Mismatch(f"the copy of {label} differs from its source")
    ours = Contestant(our_version(), timed_calls(buffer.copy, (host,), calls))
    peer = Contestant("memcpy, by ctypes", timed_calls(ctypes.memmove, memcpy, calls))
    return race(name, goal, [ours, peer], repeats, limit=limit, allowance=allowance)
