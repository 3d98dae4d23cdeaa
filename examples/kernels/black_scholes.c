/* SPDX-License-Identifier: Apache-2.0 */
/* Prices of European options by Black and Scholes, one call and one put a work item. */
#include <nexus_kernel.h>

/* The share of a normal distribution below x. */
NEXUS_FUNCTION float normal_below(float x) {
  return 0.5f * nexus_erfc(x * -0.70710678f);
}

/* rate and volatility are per year; years is the time until the option expires. */
NEXUS_KERNEL_BOUNDED(black_scholes, (n), (NEXUS_GLOBAL const float *NEXUS_RESTRICT, price),
                     (NEXUS_GLOBAL const float *NEXUS_RESTRICT, strike),
                     (NEXUS_GLOBAL const float *NEXUS_RESTRICT, years),
                     (NEXUS_GLOBAL float *NEXUS_RESTRICT, call),
                     (NEXUS_GLOBAL float *NEXUS_RESTRICT, put), (float, rate), (float, volatility),
                     (int, n)) {
  int i = nexus_global_id(0);
  float deviation = volatility * nexus_sqrt(years[i]);
  float drift = (rate + 0.5f * volatility * volatility) * years[i];
  float d1 = (nexus_log(price[i] / strike[i]) + drift) / deviation;
  float d2 = d1 - deviation;
  float share1 = normal_below(d1);
  float share2 = normal_below(d2);
  float discounted = strike[i] * nexus_exp(-rate * years[i]);
  call[i] = price[i] * share1 - discounted * share2;
  put[i] = discounted * (1.0f - share2) - price[i] * (1.0f - share1);
}
