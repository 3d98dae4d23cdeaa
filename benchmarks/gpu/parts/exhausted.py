# SPDX-License-Identifier: Apache-2.0
"""Allocates memory until there is none: the error is readable, and everything still works."""

from __future__ import annotations

import time

import nexus
from gpu_cases import Bench, case
from part_tools import still_works

LARGE, SMALL = 4 << 30, 64 << 20
MOST = 4096  # buffers; more than fit on any GPU


def _fill(device: nexus.Device, size: int) -> tuple[list[nexus.Buffer], str]:
    buffers: list[nexus.Buffer] = []
    while len(buffers) < MOST:
        try:
            buffers.append(device.create_buffer(size))
        except nexus.NexusError as error:
            return buffers, f"{error.status.name}: {error}"
    raise AssertionError(f"{MOST} buffers of {size} bytes were given")


@case(endangers=True, limit=180)
def exhausted_memory_is_an_error_and_all_goes_on(bench: Bench) -> str:
    device = bench.device
    still_works(device)
    start = time.monotonic()
    large, text = _fill(device, LARGE)
    small, _ = _fill(device, SMALL)
    seconds = time.monotonic() - start
    assert large, f"not one buffer of {LARGE >> 30} GiB: {text}"
    # The buffers are intact, and there is room as soon as one is freed
    large[0].fill(1)
    large.pop().close()
    with device.create_buffer(LARGE // 2) as again:
        again.fill(2)
    del large, small
    device.synchronize(timeout=60)
    still_works(device)
    with device.create_buffer(LARGE) as buffer:
        buffer.fill(3)
    return f"{seconds:.1f} s to fill; {text}"


@case(endangers=True, limit=180)
def memory_that_was_freed_is_given_again(bench: Bench) -> str:
    """A pool that kept buffers of one size frees them for one of another size."""
    device = bench.device
    buffers, _ = _fill(device, LARGE)
    count = len(buffers)
    del buffers
    with device.create_buffer(LARGE * count * 3 // 4) as one:
        one.fill(1, blocking=False)
        device.synchronize(timeout=60)
    still_works(device)
    return f"{count} buffers of {LARGE >> 30} GiB, then one of three quarters of that"


@case(endangers=True)
def a_release_threshold_gives_memory_back(bench: Bench) -> str:
    """Released memory is kept for later buffers, but not beyond the threshold."""
    device = bench.device
    still_works(device)
    device.trim_memory()
    before = device.memory_reserved
    device.create_buffer(LARGE).close()
    device.synchronize(timeout=60)
    kept = device.memory_reserved - before
    device.set_release_threshold(before + SMALL)
    device.create_buffer(LARGE).close()
    still_works(device)
    left = device.memory_reserved - before
    device.set_release_threshold(None)
    assert kept >= LARGE, f"{kept} bytes more are kept, and {LARGE} were released"
    assert left <= SMALL, f"{left} bytes more are kept, and the threshold leaves {SMALL}"
    return f"{kept >> 20} MiB kept without a threshold, {left >> 20} MiB with one"
