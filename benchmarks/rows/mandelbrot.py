# SPDX-License-Identifier: Apache-2.0
"""The Mandelbrot set, where neighbouring items need different numbers of turns."""

from __future__ import annotations

import numpy as np

from harness import Result
from kernel_rows import measure_work
from work import Array, Arrays, Launch, Work

NAME = "Mandelbrot"
GOAL = "at least 0.95 of OpenMP's speed, faster than OpenCL"
LEFT, TOP, WIDTH = -2.0, -1.25, 2.5  # of the plane

_TURNS = """
  float c_re = left + column * pixel, c_im = top + row * pixel;
  float re = 0.0f, im = 0.0f;
  int count = 0;
  while (count < limit && re * re + im * im <= 4.0f) {
    float next = re * re - im * im + c_re;
    im = 2.0f * re * im + c_im;
    re = next;
    count++;
  }
  turns[row * width + column] = count;
"""
OPENMP = f"""
void run(int *restrict turns, int width, int height, float left, float top, float pixel,
         int limit) {{
#pragma omp parallel for schedule(dynamic, 4)
  for (int row = 0; row < height; row++)
    for (int column = 0; column < width; column++) {{
{_TURNS}
    }}
}}
"""
OPENCL = f"""
__kernel void mandelbrot(__global int *restrict turns, int width, int height, float left, float top,
                         float pixel, int limit) {{
  int column = get_global_id(0), row = get_global_id(1);
  if (column >= width || row >= height) return;
{_TURNS}
}}
"""


def measure(*, smoke: bool) -> list[Result]:
    """At both precisions."""
    return measure_work(
        work(64 if smoke else 1024), precisions=("precise", "fast"), repeats=3 if smoke else 15
    )


def work(side: int, limit: int = 256) -> Work:
    """Returns the work: an image of side x side pixels."""
    pixel = np.float32(WIDTH / side)
    sizes = (np.int32(side), np.int32(side))
    arguments = ("turns", *sizes, np.float32(LEFT), np.float32(TOP), pixel, np.int32(limit))
    expected = _reference(side, limit, pixel)

    def error(results: Arrays) -> float:
        return 100 * float(np.mean(results["turns"] != expected))

    return Work(
        name=f"Mandelbrot, {side} x {side} x {limit}",
        kernel_file="mandelbrot.c",
        arrays={"turns": np.zeros((side, side), np.int32)},
        outputs=("turns",),
        launches=(Launch("mandelbrot", arguments, (side, side), (64, 1)),),
        opencl=OPENCL,
        openmp=OPENMP,
        openmp_arguments=arguments,
        error=error,
        # Rounding may move a pixel that lies close to the edge across it
        allowed_error=2,
        unit="% of the pixels",
    )


def _reference(side: int, limit: int, pixel: np.float32) -> Array:
    at = np.arange(side) * float(pixel)
    c = (LEFT + at)[None, :] + 1j * (TOP + at)[:, None]
    turns = np.zeros(c.shape, np.int32)
    places, c = np.arange(c.size), c.ravel()
    z = np.zeros_like(c)
    for _ in range(limit):
        inside = z.real**2 + z.imag**2 <= 4
        places, z, c = places[inside], z[inside], c[inside]
        turns.flat[places] += 1
        z = z * z + c
    return turns
