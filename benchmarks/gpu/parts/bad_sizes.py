# SPDX-License-Identifier: Apache-2.0
"""Launches that a device can't run are refused with a reason, and the next one works."""

from __future__ import annotations

from typing import Any

import numpy as np

import nexus
from gpu_cases import Bench, case
from part_tools import mistakes, refusal, still_works


def _refused(bench: Bench, group: object, grid: object, *words: str, local_memory: int = 0) -> str:
    device = bench.device
    library = mistakes(device)
    buffer = device.create_buffer((1024,), dtype="int32")
    kernel = library.get_kernel("much_shared_memory" if local_memory else "add_one")
    arguments = (buffer,) if local_memory else (buffer, np.int32(1024))

    def launch() -> None:
        schedule = device.create_schedule()
        command = schedule.create_command(kernel, arguments)
        command.finalize(group, grid, local_memory)  # type: ignore[arg-type]
        schedule.run(timeout=30)

    text = refusal(launch, *words)
    still_works(device, library)
    return text


@case(endangers=True)
def a_group_beyond_the_limit_is_refused(bench: Bench) -> str:
    return _refused(bench, 2048, 4096, "group")


@case(endangers=True)
def a_group_beyond_the_limit_in_three_dimensions_is_refused(bench: Bench) -> str:
    return _refused(bench, (32, 32, 2), (64, 64, 64), "group")


@case(endangers=True)
def a_group_too_deep_in_z_is_refused(bench: Bench) -> str:
    return _refused(bench, (1, 1, 128), (1, 1, 128), "group")


@case(endangers=True)
def too_many_groups_in_y_are_refused(bench: Bench) -> str:
    return _refused(bench, 1, (1, 70_000))


@case(endangers=True)
def a_group_of_nothing_is_refused(bench: Bench) -> str:
    return _refused(bench, 0, 1024, "group")


@case(endangers=True)
def too_much_shared_memory_is_refused(bench: Bench) -> str:
    return _refused(bench, 128, 128, "memory", local_memory=1 << 20)


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


@case(endangers=True)
def wrong_arguments_are_refused(bench: Bench) -> str:
    device = bench.device
    library = mistakes(device)
    kernel = library.get_kernel("add_one")
    buffer = device.create_buffer((1024,), dtype="int32")
    texts = []
    for arguments in ((), (buffer,), (buffer, np.int32(1), np.int32(1)), (buffer, np.int64(1))):
        schedule = device.create_schedule()

        def record(schedule: nexus.Schedule = schedule, arguments: Any = arguments) -> None:
            schedule.create_command(kernel, arguments, 256, 1024)
            schedule.run(timeout=30)

        texts.append(refusal(record))
    still_works(device, library)
    return " / ".join(texts)
