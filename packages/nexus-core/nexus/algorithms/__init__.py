# SPDX-License-Identifier: Apache-2.0
"""Algorithms on arrays, on every device that compiles the portable language.

    x = device.create_buffer(numpy.random.default_rng(1).random(1000))
    total = nexus.algorithms.sum(x)

Buffers come in, and a buffer on the same device goes out. All functions take:

    out       the buffer for the result; None makes a new one
    schedule  a schedule to which the algorithm's commands are appended: it runs when that does
    stream    the stream to run in; None is the device's default stream
    blocking  whether the call waits for the result

Without a schedule, a call records one that a later call with equal shapes and dtypes uses again.
"""

from __future__ import annotations

from nexus.algorithms._elementwise import Elementwise, elementwise
from nexus.algorithms._expression import FUNCTIONS
from nexus.algorithms._reduce import argmax, argmin, max, min, reduce, sum  # noqa: A004
from nexus.algorithms._scan import scan

__all__ = [
    "FUNCTIONS",
    "Elementwise",
    "argmax",
    "argmin",
    "elementwise",
    "max",
    "min",
    "reduce",
    "scan",
    "sum",
]
