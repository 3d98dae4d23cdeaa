/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The portable kernel language for the CPU; nexus_kernel.h says what each construct means. For gcc
 * and clang, as C11 or C++17.
 *
 * Build a kernel library with, for example
 *   cc -O3 -march=native -fno-math-errno -fno-trapping-math -fPIC -shared kernel.c -o kernel.so
 */
#ifndef NEXUS_KERNEL_CPU_H_
#define NEXUS_KERNEL_CPU_H_

#if defined(__cplusplus)
#define NXK_STATIC_ASSERT(condition, text) static_assert(condition, text)
#define NEXUS_RESTRICT __restrict__
#else
#define NXK_STATIC_ASSERT(condition, text) _Static_assert(condition, text)
#define NEXUS_RESTRICT restrict
#endif

/* Inlined always, so that a kernel's loop over items has no calls. */
#define NEXUS_FUNCTION static inline __attribute__((always_inline, unused))
/* Two spellings that mean nothing on the CPU, but that macros can tell apart. */
#define NEXUS_GLOBAL __attribute(())
#define NEXUS_LOCAL __attribute__(())
#define NEXUS_CONSTANT const
#define NEXUS_THREAD
#define NEXUS_CONSTANT_DATA static const
#define NEXUS_SETTABLE_DATA __attribute__((visibility("default")))
#define NEXUS_HAS_FLOAT64 1

#define NXK_UNUSED __attribute__((unused))
#define NXK_CACHE_LINE __attribute__((aligned(64)))

#include "common/parameters.h"
#include "cpu/descriptor.h"
/* What those above have declared: */
#include "cpu/atomics.h"
#include "cpu/items.h"
#include "cpu/math.h"
#include "cpu/vectors.h"
/* and what needs vectors: */
#include "cpu/describe.h"
#include "cpu/features.h"
#include "cpu/kernel.h"
#include "cpu/phases.h"

#endif /* NEXUS_KERNEL_CPU_H_ */
