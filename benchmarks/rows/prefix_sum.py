# SPDX-License-Identifier: Apache-2.0
"""Prefix sums of each group, then of the groups' sums, which are added at the end."""

from __future__ import annotations

import numpy as np

from harness import Result
from kernel_rows import measure_work
from work import THREE_TIMES, Array, Launch, Work, ulp_error

NAME = "prefix sum"
GOAL = "at least 3 times as fast as PoCL, faster than Intel"
GROUP = 256

OPENCL = """
#define GROUP 256
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void prefix_sum(__global const float *in, __global float *out, __global float *sums, int n) {
  __local float part[2 * GROUP];
  int i = get_global_id(0), l = GROUP + get_local_id(0);
  part[l - GROUP] = 0.0f;
  part[l] = i < n ? in[i] : 0.0f;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int distance = 1; distance < GROUP; distance *= 2) {
    float sum = part[l] + part[l - distance];
    barrier(CLK_LOCAL_MEM_FENCE);
    part[l] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (i < n) out[i] = part[l];
  if (l == 2 * GROUP - 1) sums[get_group_id(0)] = part[l];
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void prefix_sum_add(__global float *out, __global const float *sums, int n) {
  int i = get_global_id(0), group = get_group_id(0);
  if (i < n && group > 0) out[i] += sums[group - 1];
}
"""


def measure(*, smoke: bool) -> list[Result]:
    """With phases."""
    return measure_work(work(16 if smoke else 22), repeats=3 if smoke else 21)


def work(exponent: int) -> Work:
    """Returns the work: the prefix sums of 2^exponent values."""
    values = np.random.default_rng(1).random(1 << exponent, dtype=np.float32)
    arrays: dict[str, Array] = {"in_0": values}
    downward: list[Launch] = []
    upward: list[Launch] = []
    items, level = values.size, 0
    while True:
        groups = -(-items // GROUP)
        arrays[f"out_{level}"] = np.zeros(items, np.float32)
        arrays[f"in_{level + 1}"] = np.zeros(groups, np.float32)
        arguments = (f"in_{level}", f"out_{level}", f"in_{level + 1}", np.int32(items))
        downward.append(Launch("prefix_sum", arguments, (items,), (GROUP,)))
        if groups == 1:
            break
        added = (f"out_{level}", f"out_{level + 1}", np.int32(items))
        upward.insert(0, Launch("prefix_sum_add", added, (items,), (GROUP,)))
        items, level = groups, level + 1
    expected = {"out_0": np.cumsum(values, dtype=np.float64)}
    return Work(
        name=f"prefix sum, 2^{exponent} float32",
        kernel_file="prefix_sum.c",
        arrays=arrays,
        outputs=("out_0",),
        launches=(*downward, *upward),
        opencl=OPENCL,
        error=lambda results: ulp_error(results, expected),
        allowed_error=32,
        pocl_goal=THREE_TIMES,
    )
