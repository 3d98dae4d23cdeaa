# SPDX-License-Identifier: Apache-2.0
"""A blocking copy of 4 KiB from a buffer to the host beside memcpy."""

from __future__ import annotations

from copies import measure_copy
from harness import Result

NAME = "copy 4 KiB to the host"
GOAL = "memcpy + 1 us at most"


def measure(*, smoke: bool) -> Result:
    """Both copy from the buffer's memory to the same array."""
    calls, repeats = (100, 3) if smoke else (1_000, 41)
    return measure_copy(NAME, GOAL, 4096, calls, repeats, allowance=1e-6)
