# SPDX-License-Identifier: Apache-2.0
"""Prices of call and put options: logarithm, exponential, root and erfc of each item."""

from __future__ import annotations

import math

import numpy as np

from harness import Result
from kernel_rows import measure_work
from work import Array, Arrays, Launch, Work, ulp_error

NAME = "Black-Scholes"
GOAL = "at least 0.95 of OpenMP's speed, faster than OpenCL"
RATE, VOLATILITY = np.float32(0.02), np.float32(0.3)

_PRICES = """
  float deviation = volatility * SQRT(years[i]);
  float drift = (rate + 0.5f * volatility * volatility) * years[i];
  float d1 = (LOG(price[i] / strike[i]) + drift) / deviation;
  float d2 = d1 - deviation;
  float share1 = normal_below(d1);
  float share2 = normal_below(d2);
  float discounted = strike[i] * EXP(-rate * years[i]);
  call[i] = price[i] * share1 - discounted * share2;
  put[i] = discounted * (1.0f - share2) - price[i] * (1.0f - share1);
"""
OPENMP = f"""
#include <math.h>
#define SQRT sqrtf
#define LOG logf
#define EXP expf
static inline float normal_below(float x) {{ return 0.5f * erfcf(x * -0.70710678f); }}
void run(const float *restrict price, const float *restrict strike, const float *restrict years,
         float *restrict call, float *restrict put, float rate, float volatility, int n) {{
#pragma omp parallel for simd
  for (int i = 0; i < n; i++) {{
{_PRICES}
  }}
}}
"""
OPENCL = f"""
#define SQRT sqrt
#define LOG log
#define EXP exp
inline float normal_below(float x) {{ return 0.5f * erfc(x * -0.70710678f); }}
__kernel void black_scholes(__global const float *restrict price,
                            __global const float *restrict strike,
                            __global const float *restrict years, __global float *restrict call,
                            __global float *restrict put, float rate, float volatility, int n) {{
  int i = get_global_id(0);
  if (i >= n) return;
{_PRICES}
}}
"""


def measure(*, smoke: bool) -> list[Result]:
    """At both precisions."""
    return measure_work(
        work(14 if smoke else 22), precisions=("precise", "fast"), repeats=3 if smoke else 21
    )


def work(exponent: int) -> Work:
    """Returns the work: the prices of 2^exponent options."""
    items = 1 << exponent
    random = np.random.default_rng(1)
    price, strike = random.uniform(80, 120, (2, items)).astype(np.float32)
    years = random.uniform(0.25, 2, items).astype(np.float32)
    arguments = ("price", "strike", "years", "call", "put", RATE, VOLATILITY, np.int32(items))
    expected = _reference(price, strike, years)

    def error(results: Arrays) -> float:
        # Both are differences of values of about the price
        return ulp_error(results, expected, scale=price)

    return Work(
        name=f"Black-Scholes, 2^{exponent} options",
        kernel_file="black_scholes.c",
        arrays={
            "price": price,
            "strike": strike,
            "years": years,
            "call": np.zeros_like(price),
            "put": np.zeros_like(price),
        },
        outputs=("call", "put"),
        launches=(Launch("black_scholes", arguments, (items,)),),
        opencl=OPENCL,
        openmp=OPENMP,
        openmp_arguments=arguments,
        error=error,
        allowed_error=16,
        unit="ulp of the price",
    )


def _reference(price: Array, strike: Array, years: Array) -> dict[str, Array]:
    price, strike, years = (each.astype(np.float64) for each in (price, strike, years))
    rate, volatility = float(RATE), float(VOLATILITY)
    deviation = volatility * np.sqrt(years)
    d1 = (np.log(price / strike) + (rate + 0.5 * volatility**2) * years) / deviation
    d2 = d1 - deviation
    discounted = strike * np.exp(-rate * years)
    call = price * _normal_below(d1) - discounted * _normal_below(d2)
    return {"call": call, "put": call + discounted - price}


def _normal_below(values: Array) -> Array:
    scaled = (values * -math.sqrt(0.5)).tolist()
    return 0.5 * np.fromiter(map(math.erfc, scaled), np.float64, len(scaled))
