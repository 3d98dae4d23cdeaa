// SPDX-License-Identifier: Apache-2.0
// Threads that wait in a driver in place of callers, whose waits have an end.
//
// A processor's driver lets the threads that wait in it take part in the work. Intel's needs them:
// while a kernel runs, commands of other queues only run on a thread that waits for them
// (seen with 2026.22.10.0.01).
#ifndef NEXUS_OPENCL_WAIT_THREADS_HPP_
#define NEXUS_OPENCL_WAIT_THREADS_HPP_

#include "queue.hpp"

namespace nexus_opencl NXS_HIDDEN {

// Wakes when the event is done, whatever became of it. False where there is no thread to be had.
bool wake_after_waiting(const Functions &cl, Owned<cl_event> event, const WakePtr &wake) noexcept;

}  // namespace nexus_opencl

#endif  // NEXUS_OPENCL_WAIT_THREADS_HPP_
