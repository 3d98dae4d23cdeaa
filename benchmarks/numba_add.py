# SPDX-License-Identifier: Apache-2.0
"""numba's side of the rows that add arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from harness import NotMeasured, version_of


def numba_add() -> tuple[str, Callable[[Any, Any, Any], None]]:
    """Returns what runs, and a function that sets c = a + b with a parallel loop."""
    version = version_of("numba")
    try:
        import numba
    except ImportError as error:
        raise NotMeasured(f"numba does not import: {error}") from error

    def add(a: Any, b: Any, c: Any) -> None:
        for i in numba.prange(a.shape[0]):
            c[i] = a[i] + b[i]

    import numpy as np

    compiled = numba.njit(add, parallel=True)
    compiled(*np.zeros((3, 4), np.float32))  # chooses the threads
    return f"{version}, {numba.threading_layer()}, {numba.get_num_threads()} threads", compiled
