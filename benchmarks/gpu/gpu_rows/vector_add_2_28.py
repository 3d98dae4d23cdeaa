# SPDX-License-Identifier: Apache-2.0
"""The sum of 2^28 floats, as a share of the bandwidth of the driver's copy within the device."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import c_side
import nexus
from cubins import cubin
from harness import Contestant, Mismatch, interleave
from measurement import Measurement
from nexus_side import GpuSide

NAME = "vector add, 2^28 floats"
GOAL = "at least 0.92 of the bandwidth of a copy within the device"
LEAST = 0.92
KERNEL = Path(__file__).parents[1] / "gpu_kernels" / "vector_add4.c"
GROUP, WIDTH = 256, 4  # work items of a group, values of a work item
TIMES = 5  # runs between two events


def measure(*, smoke: bool) -> list[Measurement]:
    """Our portable kernel, compiled by us, and nvcc's kernel through us and from C."""
    items = 1 << (20 if smoke else 28)
    c = c_side.baseline()
    image = cubin("launches.cu", c.architecture)
    ours = GpuSide(image)
    tile = np.random.default_rng(1).random((2, 1 << 20), dtype=np.float32)
    a, b = (ours.device.create_buffer(np.tile(each, items >> 20)) for each in tile)
    total = ours.zeros(items * 4)
    count = np.int32(items // WIDTH)
    groups = items // WIDTH // GROUP
    by_nvcc = ours.schedule("add_vectors", (a, b, total, count), groups, GROUP)
    schedules = {"nvcc's kernel": by_nvcc}
    notes: list[str] = []
    try:
        schedules["the portable kernel"] = _portable(ours, (a, b, total, count))
    except nexus.NexusError as reason:
        notes.append(f"without the portable kernel: {reason}")
    for label, schedule in schedules.items():
        _compare(label, schedule, total, tile)
    to, source = c.allocate(items * 4), c.allocate(items * 4)
    try:
        (function,) = c.functions(image, "add_vectors")
        contestants = [
            Contestant(f"{ours.label}, {label}", _on_device(ours, schedule))
            for label, schedule in reversed(schedules.items())
        ]
        launch = c_side.launch(function, (to, source, to, count), (groups, 1, 1), (GROUP, 1, 1))

        def copy() -> float:
            return float(c.copy_inside(to, source, items * 4, TIMES))

        def add() -> float:
            return float(c.time_on_device([launch], TIMES))

        contestants.append(Contestant(f"{c_side.LABEL}, the copy", copy))
        contestants.append(Contestant(f"{c_side.LABEL}, nvcc's kernel", add))
        timings = interleave(contestants, 3 if smoke else 15)
    finally:
        c.release(to)
        c.release(source)
    copied = 2 * items * 4 / timings[len(schedules)].median
    added = 3 * items * 4 / timings[0].median
    figure = f"{added / copied:.3f} of {copied / 1e9:.0f} GB/s, read and written"
    return [Measurement(NAME, GOAL, timings, figure, added >= LEAST * copied, notes)]


def _portable(ours: GpuSide, arguments: tuple[Any, ...]) -> nexus.Schedule:
    kernel = ours.device.compile(KERNEL).get_kernel("vector_add4")
    schedule = ours.device.create_schedule()
    schedule.create_command(kernel, arguments, None, int(arguments[-1]))
    schedule.prepare(ours.stream)
    return schedule


def _on_device(ours: GpuSide, schedule: nexus.Schedule) -> Any:
    return lambda: ours.device_seconds(schedule, TIMES)


def _compare(label: str, schedule: nexus.Schedule, total: nexus.Buffer, tile: Any) -> None:
    total.fill(0)
    schedule.run()
    values = total.numpy().reshape(-1, tile.shape[1])
    if not np.all(values == tile[0] + tile[1]):
        raise Mismatch(f"{label} computes another sum than numpy")
