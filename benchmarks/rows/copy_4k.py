# SPDX-License-Identifier: Apache-2.0
"""A blocking copy of 4 KiB from a buffer to the host beside memcpy."""

from __future__ import annotations

from copies import measure_copy
from harness import Result

NAME = "copy 4 KiB to the host"
GOAL = "memcpy + 1 us at most"
BYTES = 4096
ALLOWANCE = 1e-6


def measure(*, smoke: bool) -> Result:
    """Both copy from the buffer's memory to the same array."""
    ours, peer = measure_copy(BYTES, 100 if smoke else 1_000, 3 if smoke else 41)
    met = ours.median <= peer.median + ALLOWANCE
    return Result(NAME, GOAL, ours, peer, ours.median / peer.median, met)
