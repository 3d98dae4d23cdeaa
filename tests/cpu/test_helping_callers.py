# SPDX-License-Identifier: Apache-2.0
"""Blocking callers take part in their run, each with its own local memory."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np

import nexus

# Slow enough to be shared with the pool's threads, short enough for a caller to take part.
SOURCE = """
NEXUS_PHASED_KERNEL(turn_in_scratch, (64, 1, 1), (NEXUS_GLOBAL nexus_uint32 *, out),
                    (nexus_uint32, value), (NEXUS_LOCAL nexus_uint32 *, scratch)) {
  NEXUS_PRIVATE(nexus_uint32, next);
  NEXUS_PHASE {
    scratch[nexus_local_id(0)] = value;
  }
  for (int turn = 0; turn < 100; ++turn) {
    NEXUS_PHASE {
      NEXUS_MINE(next) = scratch[(nexus_local_id(0) + 1) % 64] * 3u + (nexus_uint32)turn;
    }
    NEXUS_PHASE {
      scratch[nexus_local_id(0)] = NEXUS_MINE(next);
    }
  }
  NEXUS_STEP {
    out[nexus_global_id(0)] = scratch[nexus_local_id(0)];
  }
}
"""
ITEMS, GROUP, RUNS = 1 << 14, 64, 100


def _wrong_values(device: nexus.Device, kernel: nexus.Kernel, value: int) -> int:
    """Counts the wrong values of blocking runs in a new stream."""
    expected = value
    for turn in range(100):
        expected = (3 * expected + turn) % 2**32
    out = device.create_buffer(np.zeros(ITEMS, np.uint32))
    schedule = device.create_schedule()
    command = schedule.create_command(kernel, (out, np.uint32(value)))
    command.set_local_memory(2, GROUP * 4)
    command.finalize(GROUP, ITEMS)
    stream = device.create_stream()
    wrong = 0
    for _ in range(RUNS):
        schedule.run(stream)
        wrong += int(np.count_nonzero(out.numpy() != expected))
        out.fill(0)
    return wrong


def test_callers_that_help_at_the_same_time_do_not_share_local_memory() -> None:
    device = nexus.get_device("cpu")
    kernel = device.compile(SOURCE).get_kernel("turn_in_scratch")
    with ThreadPoolExecutor(6) as threads:
        jobs = [threads.submit(_wrong_values, device, kernel, 1000 * n) for n in range(6)]
        assert [job.result(timeout=60) for job in jobs] == [0] * 6
