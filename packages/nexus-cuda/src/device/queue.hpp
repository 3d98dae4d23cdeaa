// SPDX-License-Identifier: Apache-2.0
// The kit's queues of this driver, by short names.
#ifndef NEXUS_CUDA_QUEUE_HPP_
#define NEXUS_CUDA_QUEUE_HPP_

#include "device/device.hpp"

#include <nexus-plugin/gpu/copy_workers.hpp>
#include <nexus-plugin/gpu/queue.hpp>

namespace nexus_cuda NXS_HIDDEN {

using nexus_plugin::known_member;
using nexus_plugin::member;
using nexus_plugin::Ref;
using nexus_plugin::Shared;
using nexus_plugin::StagingSlotPtr;
using nexus_plugin::stream_bit;
using nexus_plugin::StreamSet;
using nexus_plugin::Value;
using nexus_plugin::WakePtr;

using nexus_plugin::gpu::wait_for_copies;
using Condition = nexus_plugin::gpu::ConditionOf<Gpu>;
using ConditionPtr = Shared<Condition>;
using CopyJob = nexus_plugin::gpu::CopyJob<Gpu>;
using CopyJobPtr = nexus_plugin::gpu::CopyJobPtr<Gpu>;
using Enqueuing = nexus_plugin::gpu::Enqueuing<Gpu>;
using EventPtr = nexus_plugin::gpu::EventPtr<Gpu>;
using OwnedStream = nexus_plugin::gpu::OwnedStream<Gpu>;
using PooledStream = nexus_plugin::gpu::Pooled<Gpu>;
using Queue = nexus_plugin::gpu::Queue<Gpu>;
using EventPool = nexus_plugin::EventPool<Queue>;
using Signal = nexus_plugin::StreamSignal<Queue>;
using StreamPool = nexus_plugin::StreamPool<Queue>;
using Tickets = nexus_plugin::Tickets<Queue>;

}  // namespace nexus_cuda

#endif  // NEXUS_CUDA_QUEUE_HPP_
