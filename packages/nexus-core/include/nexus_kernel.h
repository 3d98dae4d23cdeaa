/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kernels for Nexus, in the common subset of C and C++: one text for the CPU, CUDA, HIP, OpenCL and
 * Metal.
 *
 *   #include <nexus_kernel.h>
 *
 *   NEXUS_KERNEL_BOUNDED(saxpy, (n), (NEXUS_GLOBAL const float *, x), (NEXUS_GLOBAL float *, y),
 *                        (float, a), (int, n)) {
 *     int i = nexus_global_id(0);
 *     y[i] = a * x[i] + y[i];
 *   }
 *
 * NEXUS_KERNEL(name, (type, parameter), ...) { what one work item does }
 *     Whole groups run, so more items than asked for: the body guards its indices. nexus_barrier()
 *     waits until all items of the group are at the same call.
 *
 * NEXUS_KERNEL_BOUNDED(name, (bound_x, bound_y, bound_z), (type, parameter), ...) { ... }
 *     The same without a guard and without barriers: only items whose global id is below the bounds
 *     run. One to three expressions of the parameters. Every compiler vectorises it.
 *
 * NEXUS_PHASED_KERNEL(name, (size_x, size_y, size_z), (type, parameter), ...) { what a group does }
 *     Its group size is constant, 1024 items at most. The items run inside
 *       NEXUS_PHASE { ... }   what they wrote is seen by all of the group afterwards
 *       NEXUS_STEP { ... }    items do not look at what others write
 *     `continue` ends one for its item; `break`, `return` and `goto` must not leave it. Outside of
 *     them all is the same for the whole group, and nothing writes to memory.
 *       NEXUS_PRIVATE(type, name);  a value of each item that lives across them: NEXUS_MINE(name)
 *       NEXUS_ANY(condition)        to leave a loop of steps that has become useless to the items
 *                                   for which the condition does not hold
 *
 * Parameters, up to 64:
 *   (NEXUS_GLOBAL float *, x)      a buffer; also const
 *   (NEXUS_CONSTANT float *, x)    a buffer that is only read, by all items alike
 *   (NEXUS_LOCAL float *, x)       memory of the group, whose size the command gives
 *   (float, x)                     a value: a number, nexus_bool, or a vector such as nexus_float4
 *   (NEXUS_LOCAL float, x, 256)    no argument: an array of the group that the kernel declares
 *                                  itself, 32 KiB of such arrays at most
 * NEXUS_RESTRICT after the * promises that no other parameter reaches the memory.
 * Pointers in the parameters of a function say the same, and NEXUS_THREAD where they point to a
 * variable of the work item.
 *
 * Ids and sizes, int, of dimension 0, 1 or 2, in the kernel's own body: nexus_global_id,
 * nexus_group_id, nexus_local_id, nexus_group_size, nexus_group_count, nexus_grid_size (items asked
 * for), nexus_launch_size (items launched: whole groups).
 *
 * NEXUS_FUNCTION float f(float x) {...}         a function that kernels call
 * NEXUS_CONSTANT_DATA float table[3] = {...};   a table beside the kernels
 * NEXUS_SETTABLE_DATA float table[3] = {...};   one that the program can write, by
 *                                               library.get_global("table"); kernels only read it
 *
 * One of NEXUS_TARGET_CPU, NEXUS_TARGET_CUDA, NEXUS_TARGET_HIP, NEXUS_TARGET_OPENCL and
 * NEXUS_TARGET_METAL is 1, the others are 0; NEXUS_HAS_FLOAT64 is 1 where there is double.
 *
 * Work items do not look at what others of the same launch write, except across barriers and phases
 * of their group and through atomics: compilers are told so.
 */
#ifndef NEXUS_KERNEL_H_
#define NEXUS_KERNEL_H_

#if defined(__METAL_VERSION__)
#define NEXUS_TARGET_METAL 1
#include "nexus-kernel/metal.h"
#elif defined(__OPENCL_VERSION__) || defined(__OPENCL_C_VERSION__)
#define NEXUS_TARGET_OPENCL 1
#include "nexus-kernel/opencl.h"
#elif defined(__HIP__) || defined(__HIPCC__) || defined(__HIPCC_RTC__)
#define NEXUS_TARGET_HIP 1
#include "nexus-kernel/hip.h"
#elif defined(__CUDACC__) || defined(__CUDACC_RTC__)
#define NEXUS_TARGET_CUDA 1
#include "nexus-kernel/cuda.h"
#else
#define NEXUS_TARGET_CPU 1
#include "nexus-kernel/cpu.h"
#endif

/* The others are 0. */
#if !defined(NEXUS_TARGET_CPU)
#define NEXUS_TARGET_CPU 0
#endif
#if !defined(NEXUS_TARGET_CUDA)
#define NEXUS_TARGET_CUDA 0
#endif
#if !defined(NEXUS_TARGET_HIP)
#define NEXUS_TARGET_HIP 0
#endif
#if !defined(NEXUS_TARGET_OPENCL)
#define NEXUS_TARGET_OPENCL 0
#endif
#if !defined(NEXUS_TARGET_METAL)
#define NEXUS_TARGET_METAL 0
#endif

#endif /* NEXUS_KERNEL_H_ */
