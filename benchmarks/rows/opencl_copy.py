# SPDX-License-Identifier: Apache-2.0
"""Copies between the host and a buffer of the OpenCL backend beside pyopencl's, in one runtime."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from harness import Contestant, Mismatch, Result, race, timed_calls
from opencl_backend import SameDevice, measure_each

NAME = "OpenCL: copy 256 MiB"
GOAL = "at least 0.98 of pyopencl's bandwidth"
BYTES = 256 << 20


def measure(*, smoke: bool) -> list[Result]:
    """To the host, and from it: a blocking copy of each side, of the same memory."""
    size = BYTES // 16 if smoke else BYTES
    repeats = 3 if smoke else 21
    to_host = measure_each(f"{NAME} to the host", GOAL, lambda at: _to_host(at, size, repeats))
    from_host = measure_each(
        f"{NAME} from the host", GOAL, lambda at: _from_host(at, size, repeats)
    )
    return to_host + from_host


def _to_host(device: SameDevice, size: int, repeats: int) -> Result:
    source = np.random.default_rng(1).integers(0, 256, size, np.uint8)
    host = np.zeros_like(source)
    ours, peer = device.ours.create_buffer(source), device.theirs.buffer(source)
    queue = device.theirs.queue()
    enqueue_copy = device.theirs.cl.enqueue_copy
    for label, copy, arguments in (
        ("nexus", ours.copy, (host,)),
        (device.theirs.label, enqueue_copy, (queue, host, peer)),
    ):
        host[:] = 0
        copy(*arguments)
        _require_equal(label, host, source)
    return _result(
        "to the host", device, ours.copy, (host,), enqueue_copy, (queue, host, peer), repeats
    )


def _from_host(device: SameDevice, size: int, repeats: int) -> Result:
    source = np.random.default_rng(1).integers(0, 256, size, np.uint8)
    empty = np.zeros_like(source)
    ours, peer = device.ours.create_buffer(empty), device.theirs.buffer(empty)
    queue = device.theirs.queue()
    enqueue_copy = device.theirs.cl.enqueue_copy
    ours.copy_from(source)
    _require_equal("nexus", ours.numpy(), source)
    enqueue_copy(queue, peer, source)
    enqueue_copy(queue, empty, peer)
    _require_equal(device.theirs.label, empty, source)
    return _result(
        "from the host",
        device,
        ours.copy_from,
        (source,),
        enqueue_copy,
        (queue, peer, source),
        repeats,
    )


def _require_equal(label: str, copied: Any, source: Any) -> None:
    if not np.array_equal(copied, source):
        raise Mismatch(f"the copy of {label} differs from its source")


def _result(
    direction: str,
    device: SameDevice,
    copy: Callable[..., Any],
    arguments: tuple[Any, ...],
    enqueue_copy: Callable[..., Any],
    enqueued: tuple[Any, ...],
    repeats: int,
) -> Result:
    ours = Contestant(device.label, timed_calls(copy, arguments, 1))
    peer = Contestant(device.theirs.label, timed_calls(enqueue_copy, enqueued, 1))
    return race(f"{NAME} {direction}", GOAL, [ours, peer], repeats, limit=1 / 0.98)
