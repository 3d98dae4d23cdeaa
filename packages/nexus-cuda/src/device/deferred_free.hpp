// SPDX-License-Identifier: Apache-2.0
// What is freed later: not before work is done, or by a call in which the driver waits for the
// whole device. A thread of the plug-in does it.
#ifndef NEXUS_CUDA_DEFERRED_FREE_HPP_
#define NEXUS_CUDA_DEFERRED_FREE_HPP_

#include "device/queue.hpp"
#include "device/stream_pool.hpp"

#include <functional>
#include <vector>

namespace nexus_cuda NXS_HIDDEN {

// The thread that frees for one device: a call that waits for an endless kernel there holds up no
// other device. Started at first use; lives as long as the process.
class FreeThread;
FreeThread *make_free_thread();

// Calls free when the events are done, with the device's context current. Where there is no thread
// to be had it is leaked.
void free_later(Device &device, std::vector<EventPtr> after, std::function<void()> free) noexcept;

// The same for what no event can be recorded for: calls free when the streams are seen idle.
void free_when_idle(Device &device, StreamSet users, std::function<void()> free) noexcept;

}  // namespace nexus_cuda

#endif  // NEXUS_CUDA_DEFERRED_FREE_HPP_
