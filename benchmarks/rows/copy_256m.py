# SPDX-License-Identifier: Apache-2.0
"""A blocking copy of 256 MiB from a buffer to the host beside memcpy."""

from __future__ import annotations

from copies import measure_copy
from harness import Result

NAME = "copy 256 MiB to the host"
GOAL = "at least 97 % of memcpy's speed"
BYTES = 256 << 20


def measure(*, smoke: bool) -> Result:
    """Both copy from the buffer's memory to the same array."""
    size = BYTES // 16 if smoke else BYTES
    ours, peer = measure_copy(size, 1, 3 if smoke else 21)
    ratio = ours.median / peer.median
    return Result(NAME, GOAL, ours, peer, ratio, ratio <= 1.03)
