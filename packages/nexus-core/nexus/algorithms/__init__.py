# SPDX-License-Identifier: Apache-2.0
"""Algorithms on arrays, on every device that compiles the portable language.

The inputs are buffers of one device, and the result is a buffer of that device. All functions
take:

    out       the buffer for the result; None makes a new one
    schedule  a schedule to which the commands are appended, instead of running now
    stream    the stream to run in; None means the device's default stream
    blocking  whether the call waits until the result is ready

A call without a schedule records its own, and later calls with the same shapes and dtypes reuse it.
Any thread may call these functions.
"""

from __future__ import annotations

from nexus.algorithms._compact import compact
from nexus.algorithms._elementwise import Elementwise, elementwise
from nexus.algorithms._expression import FUNCTIONS
from nexus.algorithms._histogram import histogram
from nexus.algorithms._matmul import matmul
from nexus.algorithms._random import random
from nexus.algorithms._reduce import argmax, argmin, max, min, reduce, sum  # noqa: A004
from nexus.algorithms._scan import scan
from nexus.algorithms._sort import sort, sort_by_key
from nexus.algorithms._transpose import transpose

__all__ = [
    "FUNCTIONS",
    "Elementwise",
    "argmax",
    "argmin",
    "compact",
    "elementwise",
    "histogram",
    "matmul",
    "max",
    "min",
    "random",
    "reduce",
    "scan",
    "sort",
    "sort_by_key",
    "sum",
    "transpose",
]
