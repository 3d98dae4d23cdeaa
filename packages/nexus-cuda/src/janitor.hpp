// SPDX-License-Identifier: Apache-2.0
// What the driver frees only while the whole device waits, or not before work is done: a thread of
// the plug-in does that.
#ifndef NEXUS_CUDA_JANITOR_HPP_
#define NEXUS_CUDA_JANITOR_HPP_

#include "lanes.hpp"
#include "pooled_event.hpp"

#include <functional>
#include <vector>

namespace nexus_cuda NXS_HIDDEN {

class Device;

// Calls clean when the events are done, with the device's context current. Where there is no thread
// to be had it is leaked.
void clean_later(Device &device, std::vector<EventPtr> after, std::function<void()> clean) noexcept;

// The same for what no event can be recorded for: calls clean when the lanes are seen idle.
void clean_when_idle(Device &device, LaneSet lanes, std::function<void()> clean) noexcept;

}  // namespace nexus_cuda

#endif  // NEXUS_CUDA_JANITOR_HPP_
