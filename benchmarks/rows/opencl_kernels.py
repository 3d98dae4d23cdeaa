# SPDX-License-Identifier: Apache-2.0
"""The kernels of the gallery through the OpenCL backend and through pyopencl, in one runtime."""

from __future__ import annotations

from functools import partial

from harness import Contestant, Result, race, timed_calls
from kernel_rows import checked
from opencl_backend import SameDevice, measure_each
from opencl_side import OpenCLSide
from our_side import NexusSide
from rows import black_scholes, mandelbrot, matrix_multiply, nbody, prefix_sum, reduce, vector_add
from work import Work

NAME = "OpenCL: kernels of the gallery"
GOAL = "at most 1.02 of pyopencl's time"
LIMIT = 1.02


def measure(*, smoke: bool) -> list[Result]:
    """Both run the same text in OpenCL C with the same group sizes, and wait."""
    return [
        result
        for work in _works(smoke)
        for result in measure_each(f"OpenCL: {work.name}", GOAL, partial(_measure, work, smoke))
    ]


def _works(smoke: bool) -> list[Work]:
    if smoke:
        return [vector_add.work(18), matrix_multiply.work(50)]
    return [
        vector_add.work(24),
        black_scholes.work(20),
        nbody.work(4096),
        mandelbrot.work(512),
        matrix_multiply.work(512),
        reduce.work("reduce", 22),
        prefix_sum.work(20),
    ]


def _measure(work: Work, smoke: bool, device: SameDevice) -> Result:
    library = device.ours.load_library(work.opencl.encode())
    ours = NexusSide(work, device.ours, library, device.label)
    peer = OpenCLSide(work, device.theirs, ours.group_sizes, fast_math=False)
    errors = [checked(work, side) for side in (ours, peer)]
    contestants = [Contestant(side.label, timed_calls(side.run, (), 1)) for side in (ours, peer)]
    shown = f"{errors[0]:.3g} / {errors[1]:.3g} {work.unit}"
    name, repeats = f"OpenCL: {work.name}", 3 if smoke else 41
    return race(name, GOAL, contestants, repeats, limit=LIMIT, errors=shown)
