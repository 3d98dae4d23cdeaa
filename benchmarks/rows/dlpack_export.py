# SPDX-License-Identifier: Apache-2.0
"""Exporting a buffer through DLPack beside numpy's own export."""

from __future__ import annotations

import nexus
from harness import Contestant, Mismatch, Result, our_version, race, timed_calls, version_of

NAME = "DLPack export"
GOAL = "numpy's + 0.3 us at most"


def measure(*, smoke: bool) -> Result:
    """The capsule is dropped unused, which both sides allow."""
    import numpy as np

    array = np.arange(1024, dtype=np.float32)
    buffer = nexus.get_device("cpu").create_buffer(array)
    if not np.array_equal(np.from_dlpack(buffer), array):
        raise Mismatch("what numpy imports differs from what the buffer was made of")

    calls = 100 if smoke else 2_000
    contestants = [
        Contestant(our_version(), timed_calls(buffer.__dlpack__, (), calls)),
        Contestant(version_of("numpy"), timed_calls(array.__dlpack__, (), calls)),
    ]
    return race(NAME, GOAL, contestants, 3 if smoke else 41, allowance=0.3e-6)
