// SPDX-License-Identifier: Apache-2.0
//
// Switching between stacks of the same thread.
//
//   struct Context                         the saved state of a stack; initially all 0
//   prepare(context, stack, size, entry)   makes it start with entry(context) on a stack
//   read_modes(context)                    stores the thread's floating-point modes in it
//   take_modes(context, other)             makes it go on with other's modes
//   switch_context(from, to)               saves the current state in from and goes on as to
//
// A switch keeps what the platform's calling convention lets a function keep: registers and
// floating-point modes. The signal mask is the thread's, and is not switched. Shadow stacks (x86's
// CET, Arm's GCS) are not switched either: if the process has enabled them, the first switch
// faults.
#ifndef NEXUS_CPU_CONTEXT_HPP_
#define NEXUS_CPU_CONTEXT_HPP_

#include <nexus-api/nxs.h>

#if defined(NEXUS_CPU_UCONTEXT)
#include "fibers/context_portable.hpp"
#elif defined(__x86_64__) && !defined(__ILP32__)
#include "fibers/context_x86.hpp"
#elif defined(__aarch64__)
#include "fibers/context_arm.hpp"
#else
#include "fibers/context_portable.hpp"
#endif

#endif  // NEXUS_CPU_CONTEXT_HPP_
