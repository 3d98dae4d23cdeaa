# SPDX-License-Identifier: Apache-2.0
"""Recording 100 kernels until their graph is ready, beside cuda.core's graph builder."""

from __future__ import annotations

from time import perf_counter

import numpy as np

import c_side
from cubins import cubin
from cuda_core_side import CudaCoreSide
from harness import Contestant, Mismatch, interleave
from measurement import Measurement, in_words
from nexus_side import GpuSide

NAME = "record a kernel, 100 in a schedule, until it is ready"
GOAL = "not slower than cuda.core's graph builder"
KERNELS, ITEMS, GROUP = 100, 1024, 256


def measure(*, smoke: bool) -> list[Measurement]:
    """Measures the seconds of a command; what is recorded is run once and compared."""
    c = c_side.baseline()
    image = cubin("launches.cu", c.architecture)
    ours = GpuSide(image)
    ones = np.ones(ITEMS, np.float32)
    x, y = ours.zeros(ones.nbytes), ours.zeros(ones.nbytes)
    y.copy_from(ones)
    kernel, arguments = ours.library.get_kernel("add_to"), (x, y, np.int32(ITEMS))

    def record() -> float:
        start = perf_counter()
        schedule = ours.device.create_schedule()
        for _ in range(KERNELS):
            schedule.create_command(kernel, arguments, GROUP, ITEMS)
        schedule.prepare(ours.stream)
        seconds = perf_counter() - start
        x.fill(0)
        schedule.run()
        if not np.all(x.numpy() == KERNELS):
            raise Mismatch(f"nexus has {x.numpy()[:4]}... and not {KERNELS}")
        return seconds / KERNELS

    contestants, notes = [Contestant(ours.label, record)], []
    try:
        contestants.append(_core(image))
    except Exception as reason:
        notes.append(f"without cuda.core: {type(reason).__name__}: {reason}")
    timings = interleave(contestants, 3 if smoke else 31)
    if len(timings) == 1:
        return [Measurement(NAME, GOAL, timings, notes=["not measured: a peer is missing", *notes])]
    figure = f"ours {in_words(timings[0].median)}, cuda.core {in_words(timings[1].median)}"
    return [Measurement(NAME, GOAL, timings, figure, timings[0].median <= timings[1].median, notes)]


def _core(image: bytes) -> Contestant:
    core = CudaCoreSide(image)
    memory = [core.zeros(4 * ITEMS) for _ in range(2)]
    submit, arguments = core.submit(
        "add_to", (*memory, np.int32(ITEMS)), ITEMS // GROUP, GROUP
    )  # to a stream, its first argument

    def record() -> float:
        start = perf_counter()
        builder = core.stream.create_graph_builder()
        builder.begin_building()
        for _ in range(KERNELS):
            submit(builder, *arguments[1:])
        graph = builder.end_building().complete()
        seconds = perf_counter() - start
        graph.launch(core.stream)
        core.synchronize()
        return seconds / KERNELS

    return Contestant(f"{core.label}, a graph builder", record)
