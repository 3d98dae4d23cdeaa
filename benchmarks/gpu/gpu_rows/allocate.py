# SPDX-License-Identifier: Apache-2.0
"""Allocating and freeing 1 MiB in stream order, beside the driver's calls."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import c_side
from cuda_core_side import cuda_core
from cupy_side import cupy
from harness import Contestant, Mismatch, interleave, our_version, timed_submissions, version_of
from measurement import Measurement, in_words
from nexus_side import gpu

NAME = "allocate and free 1 MiB"
GOAL = "at most cuMemAllocAsync and cuMemFreeAsync in C plus 0.6 us"
ALLOWANCE = 0.6e-6
BYTES = 1 << 20
CALLS = 400


def measure(*, smoke: bool) -> list[Measurement]:
    """C's pool may keep freed memory, as ours does."""
    c, device = c_side.baseline(), gpu()
    c.keep_freed(1 << 30)
    _compare(device)
    calls = 20 if smoke else CALLS
    notes: list[str] = []

    def ours() -> None:
        device.create_buffer(BYTES).close()

    contestants = [
        Contestant(our_version(), timed_submissions(ours, (), device.synchronize, calls)),
        Contestant(c_side.LABEL, lambda: float(c.time_allocations(BYTES, calls))),
    ]
    for make in (_cuda_core, _cupy):
        try:
            label, pair, drain = make()
            pair()
        except Exception as reason:
            notes.append(f"without {make.__name__[1:]}: {type(reason).__name__}: {reason}")
            continue
        contestants.append(Contestant(label, timed_submissions(pair, (), drain, calls)))
    timings = interleave(contestants, 3 if smoke else 51)
    over = timings[0].median - timings[1].median
    figure = f"ours - C {in_words(over)}"
    return [Measurement(NAME, GOAL, timings, figure, over <= ALLOWANCE, notes)]


def _compare(device: Any) -> None:
    """Checks that memory that is allocated again holds what is written."""
    for value in (1, 2, 3):
        with device.create_buffer(BYTES) as buffer:
            buffer.fill(value)
            if not np.all(buffer.numpy() == value):
                raise Mismatch("memory that was allocated does not hold what was written")


def _cuda_core() -> tuple[str, Callable[[], Any], Callable[[], Any]]:
    device = cuda_core().Device(0)
    device.set_current()
    stream = device.create_stream()

    def pair() -> None:
        device.allocate(BYTES, stream=stream).close(stream)

    return version_of("cuda-core"), pair, stream.sync


def _cupy() -> tuple[str, Callable[[], Any], Callable[[], Any]]:
    module = cupy()

    def pair() -> None:
        module.cuda.alloc(BYTES)

    label = f"cupy {module.__version__}, its own pool"
    return label, pair, module.cuda.Device().synchronize
