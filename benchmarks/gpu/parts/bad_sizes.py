# SPDX-License-Identifier: Apache-2.0
"""Launches at the limits of CUDA: refused with a reason, or run; and the next one works."""

from __future__ import annotations

import numpy as np

from gpu_cases import Bench, case
from part_tools import mistakes, refusal, still_works


def _refused(bench: Bench, group: object, grid: object, *words: str) -> str:
    device = bench.device
    library = mistakes(device)
    arguments = (device.create_buffer((1024,), dtype="int32"), np.int32(1024))

    def launch() -> None:
        schedule = device.create_schedule()
        command = schedule.create_command(library.get_kernel("add_one"), arguments)
        command.finalize(group, grid)  # type: ignore[arg-type]
        schedule.run(timeout=30)

    text = refusal(launch, *words)
    still_works(device, library)
    return text


@case(endangers=True)
def a_group_too_deep_in_z_is_refused(bench: Bench) -> str:
    return _refused(bench, (1, 1, 128), (1, 1, 128), "group")


@case(endangers=True)
def too_many_groups_in_y_are_refused(bench: Bench) -> str:
    return _refused(bench, 1, (1, 70_000))


@case(endangers=True)
def shared_memory_beyond_the_default_of_48_kib_works(bench: Bench) -> str:
    device = bench.device
    kernel = mistakes(device).get_kernel("much_shared_memory")
    buffer = device.create_buffer((1,), dtype="int32")
    schedule = device.create_schedule()
    schedule.create_command(kernel, (buffer,)).finalize(256, 256, 64 << 10)
    schedule.run(timeout=30)
    assert buffer.numpy()[0] == 255
    return "64 KiB of dynamic shared memory"
