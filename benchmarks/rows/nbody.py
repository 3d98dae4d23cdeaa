# SPDX-License-Identifier: Apache-2.0
"""The gravity between all pairs of bodies, with tiles of bodies in local memory."""

from __future__ import annotations

import numpy as np

from harness import Result
from kernel_rows import measure_work
from work import Array, Arrays, Launch, Work, ulp_error

NAME = "n-body"
GOAL = "at least 0.95 of OpenMP's speed, faster than OpenCL"
GROUP = 32
SOFTENING = np.float32(1e-3)

OPENMP = """
#include <math.h>
void run(const float *restrict x, const float *restrict y, const float *restrict z,
         const float *restrict mass, float *restrict ax, float *restrict ay, float *restrict az,
         float softening, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    float fx = 0.0f, fy = 0.0f, fz = 0.0f;
    const float px = x[i], py = y[i], pz = z[i];
#pragma omp simd reduction(+ : fx, fy, fz)
    for (int j = 0; j < n; j++) {
      float dx = x[j] - px, dy = y[j] - py, dz = z[j] - pz;
      float near = 1.0f / sqrtf(softening + dx * dx + dy * dy + dz * dz);
      float pull = mass[j] * near * near * near;
      fx += dx * pull;
      fy += dy * pull;
      fz += dz * pull;
    }
    ax[i] = fx;
    ay[i] = fy;
    az[i] = fz;
  }
}
"""
OPENCL = """
#define GROUP 32
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void nbody(__global const float *x, __global const float *y, __global const float *z,
           __global const float *mass, __global float *ax, __global float *ay,
           __global float *az, float softening, int n) {
  __local float other_x[GROUP], other_y[GROUP], other_z[GROUP], other_mass[GROUP];
  int i = get_global_id(0), l = get_local_id(0);
  float px = x[min(i, n - 1)], py = y[min(i, n - 1)], pz = z[min(i, n - 1)];
  float fx = 0.0f, fy = 0.0f, fz = 0.0f;
  for (int first = 0; first < n; first += GROUP) {
    int j = min(first + l, n - 1);
    other_x[l] = x[j];
    other_y[l] = y[j];
    other_z[l] = z[j];
    other_mass[l] = first + l < n ? mass[j] : 0.0f;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < GROUP; k++) {
      float dx = other_x[k] - px, dy = other_y[k] - py, dz = other_z[k] - pz;
      float near = rsqrt(softening + dx * dx + dy * dy + dz * dz);
      float pull = other_mass[k] * near * near * near;
      fx += dx * pull;
      fy += dy * pull;
      fz += dz * pull;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (i < n) {
    ax[i] = fx;
    ay[i] = fy;
    az[i] = fz;
  }
}
"""


def measure(*, smoke: bool) -> list[Result]:
    """At both precisions."""
    return measure_work(
        work(500 if smoke else 8192), precisions=("precise", "fast"), repeats=3 if smoke else 21
    )


def work(bodies: int) -> Work:
    """Returns the work: the accelerations of bodies in a cube."""
    random = np.random.default_rng(1)
    x, y, z = random.uniform(-1, 1, (3, bodies)).astype(np.float32)
    mass = random.uniform(0.5, 1.5, bodies).astype(np.float32)
    inputs = {"x": x, "y": y, "z": z, "mass": mass}
    outputs = ("ax", "ay", "az")
    arguments = (*inputs, *outputs, SOFTENING, np.int32(bodies))
    expected = dict(zip(outputs, _reference(np.stack([x, y, z]), mass), strict=True))
    length = np.sqrt(sum(each**2 for each in expected.values()))

    def error(results: Arrays) -> float:
        return ulp_error(results, expected, scale=length)

    return Work(
        name=f"n-body, {bodies} bodies",
        kernel_file="nbody.c",
        arrays=inputs | {name: np.zeros_like(x) for name in outputs},
        outputs=outputs,
        launches=(Launch("nbody", arguments, (bodies,), (GROUP,)),),
        opencl=OPENCL,
        openmp=OPENMP,
        openmp_arguments=arguments,
        error=error,
        allowed_error=256,
        unit="ulp of the acceleration",
    )


def _reference(places: Array, masses: Array) -> Array:
    """Returns the accelerations as three rows of float64."""
    places, masses = places.astype(np.float64), masses.astype(np.float64)
    pulls = np.empty_like(places)
    for first in range(0, places.shape[1], 256):
        some = slice(first, first + 256)
        away = places[:, None, :] - places[:, some, None]
        cubed = ((away**2).sum(axis=0) + float(SOFTENING)) ** -1.5
        pulls[:, some] = np.einsum("dij,ij,j->di", away, cubed, masses, optimize=True)
    return pulls
