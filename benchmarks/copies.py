# SPDX-License-Identifier: Apache-2.0
"""Measures copies from a buffer to the host beside the C library's memcpy."""

from __future__ import annotations

import ctypes

import nexus
from harness import Contestant, Mismatch, Timing, interleave, our_version, timed_calls


def measure_copy(size: int, calls: int, repeats: int) -> tuple[Timing, Timing]:
    """Returns the times of buffer.copy(host) and of memcpy with the same addresses and size."""
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
    ours, peer = interleave(
        [
            Contestant(our_version(), timed_calls(buffer.copy, (host,), calls)),
            Contestant("memcpy, by ctypes", timed_calls(ctypes.memmove, memcpy, calls)),
        ],
        repeats,
    )
    return ours, peer
