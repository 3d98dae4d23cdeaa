# SPDX-License-Identifier: Apache-2.0
"""The sum of two arrays, in the caches and in memory."""

from __future__ import annotations

import numpy as np

from harness import Result
from kernel_rows import measure_work
from work import Launch, Work, ulp_error

NAME = "vector add, float32"
GOAL = "at least 0.95 of OpenMP's speed, faster than OpenCL"
OPENMP = """
void run(const float *restrict a, const float *restrict b, float *restrict c, int n) {
#pragma omp parallel for simd
  for (int i = 0; i < n; i++) c[i] = a[i] + b[i];
}
"""
OPENCL = """
__kernel void vector_add(__global const float *restrict a, __global const float *restrict b,
                         __global float *restrict c, int n) {
  int i = get_global_id(0);
  if (i < n) c[i] = a[i] + b[i];
}
"""


def measure(*, smoke: bool) -> list[Result]:
    """Fast mathematics changes nothing here, so there is one precision."""
    if smoke:
        return measure_work(work(18), repeats=3)
    small = measure_work(work(20), repeats=41, calls=20)
    return small + measure_work(work(25), repeats=41)


def work(exponent: int) -> Work:
    """Returns the work: the sum of 2^exponent values."""
    items = 1 << exponent
    random = np.random.default_rng(1)
    a, b = random.random((2, items), dtype=np.float32)
    arguments = ("a", "b", "c", np.int32(items))
    expected = {"c": a.astype(np.float64) + b}
    return Work(
        name=f"vector add, 2^{exponent} float32",
        kernel_file="vector_add.c",
        arrays={"a": a, "b": b, "c": np.zeros_like(a)},
        outputs=("c",),
        launches=(Launch("vector_add", arguments, (items,)),),
        opencl=OPENCL,
        openmp=OPENMP,
        openmp_arguments=arguments,
        error=lambda results: ulp_error(results, expected),
        allowed_error=0.5,
    )
