# SPDX-License-Identifier: Apache-2.0
"""A product of two matrices by tiles in local memory."""

from __future__ import annotations

import numpy as np

from harness import Result
from kernel_rows import measure_work
from work import THREE_TIMES, Launch, Work, ulp_error

NAME = "tiled matrix multiply"
GOAL = "at least 3 times as fast as PoCL, faster than Intel"
TILE = 16

OPENCL = """
#define TILE 16
__kernel __attribute__((reqd_work_group_size(TILE, TILE, 1)))
void matrix_multiply(__global const float *a, __global const float *b, __global float *c, int m,
                     int n, int k) {
  __local float tile_a[TILE * TILE], tile_b[TILE * TILE];
  int x = get_local_id(0), y = get_local_id(1);
  int column = get_global_id(0), row = get_global_id(1);
  float sum = 0.0f;
  for (int first = 0; first < k; first += TILE) {
    tile_a[y * TILE + x] = row < m && first + x < k ? a[row * k + first + x] : 0.0f;
    tile_b[y * TILE + x] = column < n && first + y < k ? b[(first + y) * n + column] : 0.0f;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < TILE; i++) sum += tile_a[y * TILE + i] * tile_b[i * TILE + x];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (row < m && column < n) c[row * n + column] = sum;
}
"""


def measure(*, smoke: bool) -> list[Result]:
    """Square matrices."""
    return measure_work(work(50 if smoke else 512), repeats=3 if smoke else 21)


def work(size: int) -> Work:
    """Returns the work: the product of two size x size matrices."""
    random = np.random.default_rng(1)
    a, b = random.random((2, size, size), dtype=np.float32)
    sizes = (np.int32(size),) * 3
    expected = {"c": a.astype(np.float64) @ b.astype(np.float64)}
    return Work(
        name=f"tiled matrix multiply, {size}",
        kernel_file="matrix_multiply.c",
        arrays={"a": a, "b": b, "c": np.zeros_like(a)},
        outputs=("c",),
        launches=(Launch("matrix_multiply", ("a", "b", "c", *sizes), (size, size), (TILE, TILE)),),
        opencl=OPENCL,
        error=lambda results: ulp_error(results, expected),
        allowed_error=64,
        pocl_goal=THREE_TIMES,
    )
