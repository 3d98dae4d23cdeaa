/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The mathematics of the portable kernel language on the CPU: functions of float, and a few of int.
 *
 * Code of our own without calls and branches, so that a loop over work items vectorises with every
 * compiler. Precise by default: special values as in C (Annex F), errors in
 * docs/kernels/accuracy.md. Under fast mathematics (-ffast-math, or NEXUS_FAST_MATH defined)
 * shorter forms: no nan, infinity, -0 or denormal is cared for.
 */
#ifndef NEXUS_KERNEL_CPU_MATH_H_
#define NEXUS_KERNEL_CPU_MATH_H_

#include "math_basic.h"
#include "math_error.h"
#include "math_exponential.h"
#include "math_hyperbolic.h"
#include "math_trigonometric.h"

#endif /* NEXUS_KERNEL_CPU_MATH_H_ */
