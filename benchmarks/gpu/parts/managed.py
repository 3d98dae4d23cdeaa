# SPDX-License-Identifier: Apache-2.0
"""Managed memory, never more than 64 MiB of it."""

from __future__ import annotations

import numpy as np

import nexus
from gpu_cases import Bench, NotThere, case
from part_tools import SOON, mistakes

BYTES = 16 << 20


@case(limit=90, endangers=True)
def host_and_kernels_see_the_same_managed_memory(bench: Bench) -> str:
    device = bench.device
    count = BYTES // 4
    try:
        buffer = device.create_buffer((count,), dtype="int32", memory="managed")
    except nexus.NexusError as error:
        if error.status == nexus.status.NXS_NotSupported:
            raise NotThere(f"managed memory: {error}") from error
        raise
    view = np.asarray(buffer)
    view[:] = np.arange(count, dtype=np.int32)
    schedule = device.create_schedule()
    kernel = mistakes(device).get_kernel("add_one")
    schedule.create_command(kernel, (buffer, np.int32(count)), 256, count)
    for turn in (1, 2, 3):
        schedule.run(timeout=SOON)
        assert np.array_equal(view, np.arange(count) + turn), f"wrong after run {turn}"
    del view
    buffer.close()
    return f"{BYTES >> 20} MiB, three runs, each seen by the host"
