# SPDX-License-Identifier: Apache-2.0
"""Copies of 256 MiB to the device and back, of page-locked and of pageable memory."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from time import perf_counter
from typing import Any

import numpy as np

import c_side
import nexus
from harness import Contestant, Mismatch, interleave, our_version
from measurement import Measurement
from nexus_side import gpu

NAME = "copy 256 MiB"
GOAL = "pinned: at least 0.98 of the driver's speed; pageable: at least 1.5 times the driver's"
PINNED, PAGEABLE = 0.98, 1.5
BYTES = 256 << 20


@dataclass(frozen=True)
class _Way:
    """A copy by both sides, and the goal as a share of the driver's speed."""

    name: str
    ours: Callable[[], Any]
    driver: Callable[[], float]
    least: float


def measure(*, smoke: bool) -> list[Measurement]:
    """Each copy is awaited."""
    size = BYTES // 16 if smoke else BYTES
    device, c = gpu(), c_side.baseline()
    there, c_there = device.create_buffer(size), c.allocate(size)
    host = np.random.default_rng(1).integers(0, 256, size, dtype=np.uint8)
    back = np.zeros_like(host)
    pinned, c_pinned = device.create_buffer(size, memory="host"), c.host_allocate(size)
    try:
        ways = [
            _Way("pinned, to the device", partial(there.copy_from, pinned),
                 partial(c.copy_in, c_there, c_pinned, size), PINNED),
            _Way("pinned, from the device", partial(pinned.copy_from, there),
                 partial(c.copy_out, c_pinned, c_there, size), PINNED),
            _Way("pageable, to the device", partial(there.copy_from, host),
                 partial(c.copy_in, c_there, host.ctypes.data, size), PAGEABLE),
            _Way("pageable, from the device", partial(there.copy, back),
                 partial(c.copy_out, back.ctypes.data, c_there, size), PAGEABLE),
        ]  # fmt: skip
        _compare(there, pinned, host, back)
        return [_measure(way, size, 3 if smoke else 15) for way in ways]
    finally:
        c.release(c_there)
        c.host_release(c_pinned)


def _compare(there: nexus.Buffer, pinned: nexus.Buffer, host: Any, back: Any) -> None:
    """Checks that data copied one way to the device comes back the other way."""
    there.copy_from(host)
    pinned.copy_from(there)
    if not np.array_equal(pinned.numpy(), host):
        raise Mismatch("pageable to the device and pinned back is not what was sent")
    there.fill(0)
    there.copy_from(pinned)
    there.copy(back)
    if not np.array_equal(back, host):
        raise Mismatch("pinned to the device and pageable back is not what was sent")


def _measure(way: _Way, size: int, repeats: int) -> Measurement:
    def timed() -> float:
        start = perf_counter()
        way.ours()
        return perf_counter() - start

    ours, driver = interleave(
        [Contestant(our_version(), timed), Contestant(c_side.LABEL, lambda: float(way.driver()))],
        repeats,
    )
    speed = driver.median / ours.median
    figure = (
        f"{speed:.3f} of the driver's speed; {size / ours.median / 1e9:.1f} GB/s, "
        f"driver {size / driver.median / 1e9:.1f} GB/s"
    )
    goal = f"at least {way.least:g} of the driver's speed"
    return Measurement(f"{NAME}, {way.name}", goal, (ours, driver), figure, speed >= way.least)
