# SPDX-License-Identifier: Apache-2.0
"""Waiting for what another thread does soon."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable


def eventually(condition: Callable[[], bool], seconds: float = 20) -> bool:
    """Returns whether the condition comes true within that time; collects garbage meanwhile."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        gc.collect()
        time.sleep(0.005)
    return True
