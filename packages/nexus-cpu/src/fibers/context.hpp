// SPDX-License-Identifier: Apache-2.0
//
// Going on elsewhere, on another stack of the same thread.
//
//   struct Context                         where somebody stopped; all 0 at first
//   prepare(context, stack, size, entry)   makes it begin with entry(context) on a stack
//   read_modes(context)                    the modes of floating point that the thread has
//   take_modes(context, other)             makes it go on with other's modes
//   switch_context(from, to)               stops here as from, and goes on as to
//
// What the platform's calling convention lets a function keep, a switch keeps too: registers, and
// the modes of floating point. Not the mask of signals, which is the thread's. Shadow stacks
// (x86's CET, Arm's GCS) are not switched: where a process has turned them on, the first
// switch faults.
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
