// SPDX-License-Identifier: Apache-2.0
// Waits across contexts: events do not leave theirs, so the waiting one has an event of its own,
// which is set when the other's is done.
#ifndef NEXUS_OPENCL_RELAY_HPP_
#define NEXUS_OPENCL_RELAY_HPP_

#include "stream.hpp"

namespace nexus_opencl NXS_HIDDEN {

// Enqueues in a queue of context that later work starts when the signal has happened.
void enqueue_relayed_wait(Enqueuing &work, const Signal &signal, cl_context context);

}  // namespace nexus_opencl

#endif  // NEXUS_OPENCL_RELAY_HPP_
