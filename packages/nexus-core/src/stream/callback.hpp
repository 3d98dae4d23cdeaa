// SPDX-License-Identifier: Apache-2.0
//
// The user's callbacks in streams, and the one thread that calls them.
#pragma once

#include <nexus/nexus_c.h>

#include <cstdint>

namespace nexus::core {

class Queue;
class DeferredWakes;

/// Calls function(context, status) once, on the callback thread, when the queue's earlier work is
/// done or has failed, or when held earlier work is cancelled. Throws what Queue::hold() throws,
/// and NXS_OutOfResources if the thread can't be started; function is then never called.
void addCallback(Queue &queue, nexus_callback_fn function, void *context, DeferredWakes &wakes);

/// For the end of the process: waits at most timeout nanoseconds for the calls of callbacks that
/// are due or cancelled. Callbacks added before and not called by then are never called.
void finishCallbacks(uint64_t timeout);

}  // namespace nexus::core
