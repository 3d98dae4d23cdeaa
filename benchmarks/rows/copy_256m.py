# SPDX-License-Identifier: Apache-2.0
"""A blocking copy of 256 MiB from a buffer to the host beside memcpy."""

from __future__ import annotations

from copies import measure_copy
from harness import Result

NAME = "copy 256 MiB to the host"
GOAL = "at least 97 % of memcpy's speed"


def measure(*, smoke: bool) -> Result:
    """Both copy from the buffer's memory to the same array."""
    size, repeats = (16 << 20, 3) if smoke else (256 << 20, 21)
    return measure_copy(NAME, GOAL, size, 1, repeats, limit=1.03)
