# SPDX-License-Identifier: Apache-2.0
"""A sum by a tree in each group, then of the groups' sums, until one is left."""

from __future__ import annotations

import numpy as np

from harness import Result
from kernel_rows import measure_work
from work import THREE_TIMES, Launch, Work, ulp_error

NAME = "tree reduction"
GOAL = "at least 3 times as fast as PoCL, faster than Intel"
GROUP = 256

OPENCL = """
#define GROUP 256
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void KERNEL(__global const float *values, __global float *sums, int n) {
  __local float part[GROUP];
  int i = get_global_id(0), l = get_local_id(0);
  part[l] = i < n ? values[i] : 0.0f;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int width = GROUP / 2; width > 0; width /= 2) {
    if (l < width) part[l] += part[l + width];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (l == 0) sums[get_group_id(0)] = part[0];
}
"""


def measure(*, smoke: bool) -> list[Result]:
    """With phases."""
    return measure_work(work("reduce", 16 if smoke else 24), repeats=3 if smoke else 21)


def work(kernel: str, exponent: int) -> Work:
    """Returns the work: the sum of 2^exponent values, by our kernel of that name."""
    items = 1 << exponent
    values = np.random.default_rng(1).random(items, dtype=np.float32)
    arrays = {"values": values}
    launches: list[Launch] = []
    source = "values"
    while items > 1:
        target = f"sums_{len(launches)}"
        arguments = (source, target, np.int32(items))
        launches.append(Launch(kernel, arguments, (items,), (GROUP,)))
        items = -(-items // GROUP)
        arrays[target] = np.zeros(items, np.float32)
        source = target
    expected = {source: np.array([values.sum(dtype=np.float64)])}
    return Work(
        name=f"tree reduction, 2^{exponent} float32",
        kernel_file="reduce.c",
        arrays=arrays,
        outputs=(source,),
        launches=tuple(launches),
        opencl=OPENCL.replace("KERNEL", kernel),
        error=lambda results: ulp_error(results, expected),
        allowed_error=8,
        pocl_goal=THREE_TIMES,
    )
