// SPDX-License-Identifier: Apache-2.0
// Launches, occupancy and schedules.
#include "execution/launch.hpp"

#include "objects/objects.hpp"

#include <algorithm>
#include <cstring>
#include <nexus-plugin/gpu/row_copy.hpp>
#include <nexus-plugin/gpu/schedule.hpp>
#include <utility>

namespace nexus_hip NXS_HIDDEN {
namespace {

dim3 dimensions(const Size3 &size) noexcept {
  const auto number = [&](std::size_t d) { return static_cast<unsigned>(size[d]); };
  return {number(0), number(1), number(2)};
}

}  // namespace

LaunchCall::LaunchCall(const Kernel &kernel, const nexus_plugin::Launch &launch,
                       uint64_t dynamic_shared, std::vector<void *> parameters)
    : kernel_(&kernel),
      launch_(launch),
      dynamic_shared_(static_cast<unsigned>(dynamic_shared)),
      parameters_(std::move(parameters)),
      packed_(std::max<uint64_t>(1, kernel.code().argument_bytes)) {}

void **LaunchCall::pack() noexcept {
  const auto &arguments = kernel_->code().arguments;
  for (std::size_t i = 0; i < std::min(arguments.size(), parameters_.size()); ++i) {
    std::memcpy(packed_.data() + arguments[i].offset, parameters_[i], arguments[i].size);
  }
  const auto mark = [](uintptr_t number) { return reinterpret_cast<void *>(number); };
  packed_size_ = packed_.size();
  extra_[0] = mark(HIP_LAUNCH_PARAM_BUFFER_POINTER);
  extra_[1] = packed_.data();
  extra_[2] = mark(HIP_LAUNCH_PARAM_BUFFER_SIZE);
  extra_[3] = &packed_size_;
  extra_[4] = mark(HIP_LAUNCH_PARAM_END);
  return extra_;
}

hipError_t LaunchCall::enqueue(hipStream_t stream) noexcept {
  const dim3 groups = dimensions(launch_.group_count), items = dimensions(launch_.group_size);
  const auto launch = [&](auto &call, auto... arguments) {
    return call(kernel_->function(), groups.x, groups.y, groups.z, items.x, items.y, items.z,
                dynamic_shared_, stream, arguments...);
  };
  // Takes no packed parameters.
  if (cooperative()) return launch(hip.ModuleLaunchCooperativeKernel, parameters_.data());
  return launch(hip.ModuleLaunchKernel, nullptr, pack());
}

hipKernelNodeParams LaunchCall::node() noexcept {
  return {.blockDim = dimensions(launch_.group_size),
          .extra = pack(),
          .func = kernel_->function(),
          .gridDim = dimensions(launch_.group_count),
          .kernelParams = nullptr,
          .sharedMemBytes = dynamic_shared_};
}

// HIP has no function for it.
uint64_t Gpu::free_shared(const Kernel &kernel, uint64_t groups, uint64_t) {
  const Device &device = kernel.device();
  const uint64_t each = std::min(device.max_shared_memory(), device.core_shared_memory() / groups);
  return each - std::min(each, kernel.shared_memory());
}

// ---- Graphs -----------------------------------------------------------------

hipError_t Gpu::add(hipGraphNode_t *out, hipGraph_t graph, NativeNodes after,
                    const nexus_plugin::gpu::CopyStep &copy, Device &) noexcept {
  return hip.GraphAddMemcpyNode1D(out, graph, after.data(), after.size(), pointer(copy.to),
                                  pointer(copy.from), copy.size, hipMemcpyDefault);
}

hipError_t Gpu::add(hipGraphNode_t *out, hipGraph_t graph, NativeNodes after,
                    const nexus_plugin::gpu::FillStep &fill, Device &) noexcept {
  const hipMemsetParams node{pointer(fill.to), fill.element, fill.rows,
                             fill.pitch,       fill.value,   fill.width};
  return hip.GraphAddMemsetNode(out, graph, after.data(), after.size(), &node);
}

// HIP launches every kernel of a graph as an ordinary one, whatever its node's attributes say.
hipError_t Gpu::add(hipGraphNode_t *out, hipGraph_t graph, NativeNodes after, LaunchCall &call,
                    bool) noexcept {
  if (call.cooperative()) return hipErrorNotSupported;
  const hipKernelNodeParams node = call.node();
  return hip.GraphAddKernelNode(out, graph, after.data(), after.size(), &node);
}

hipError_t Gpu::change(hipGraphExec_t graph, hipGraphNode_t node, LaunchCall &call) noexcept {
  const hipKernelNodeParams parameters = call.node();
  return hip.GraphExecKernelNodeSetParams(graph, node, &parameters);
}

// ---- Schedules --------------------------------------------------------------

using Captured = nexus_plugin::gpu::Captured<Gpu>;
using KernelCommand = nexus_plugin::gpu::KernelCommand<Gpu>;
using Schedule = nexus_plugin::gpu::Schedule<Gpu>;
using Transfer = nexus_plugin::gpu::Transfer<Gpu>;

struct Recording : nexus_plugin::RecordingOf<devices, kernels, buffers, streams, KernelCommand,
                                             Transfer, Schedule, Captured> {};

}  // namespace nexus_hip

using namespace nexus_hip;

NEXUS_PLUGIN_GPU_OCCUPANCY(Gpu, kernels)
NEXUS_PLUGIN_RECORDING(Recording, nexus_plugin::gpu::schedule_properties<Gpu>)
NEXUS_PLUGIN_GPU_CAPTURE(Gpu, streams)
NEXUS_PLUGIN_GPU_ROWS(Gpu)
