// SPDX-License-Identifier: Apache-2.0
// Launches, occupancy and schedules.
#include "execution/launch.hpp"

#include "objects/objects.hpp"

#include <algorithm>
#include <cstring>
#include <nexus-plugin/gpu/schedule.hpp>
#include <utility>

namespace nexus_hip NXS_HIDDEN {

LaunchCall::LaunchCall(const Kernel &kernel, const nexus_plugin::Launch &launch,
                       uint64_t dynamic_shared, std::vector<void *> parameters)
    : kernel_(&kernel),
      launch_(launch),
      dynamic_shared_(static_cast<unsigned>(dynamic_shared)),
      parameters_(std::move(parameters)),
      packed_(std::max<uint64_t>(1, kernel.code().argument_bytes)) {}

hipError_t LaunchCall::enqueue(hipStream_t stream) noexcept {
  const auto launch = [&](auto &call, auto... arguments) {
    const auto groups = [&](std::size_t d) {
      return static_cast<unsigned>(launch_.group_count[d]);
    };
    const auto items = [&](std::size_t d) { return static_cast<unsigned>(launch_.group_size[d]); };
    return call(kernel_->function(), groups(0), groups(1), groups(2), items(0), items(1), items(2),
                dynamic_shared_, stream, arguments...);
  };
  // Takes no packed parameters.
  if (launch_.cooperative()) return launch(hip.ModuleLaunchCooperativeKernel, parameters_.data());
  const auto &arguments = kernel_->code().arguments;
  for (std::size_t i = 0; i < std::min(arguments.size(), parameters_.size()); ++i) {
    std::memcpy(packed_.data() + arguments[i].offset, parameters_[i], arguments[i].size);
  }
  const auto mark = [](uintptr_t number) { return reinterpret_cast<void *>(number); };
  std::size_t size = packed_.size();
  void *extra[] = {mark(HIP_LAUNCH_PARAM_BUFFER_POINTER), packed_.data(),
                   mark(HIP_LAUNCH_PARAM_BUFFER_SIZE), &size, mark(HIP_LAUNCH_PARAM_END)};
  return launch(hip.ModuleLaunchKernel, nullptr, extra);
}

// HIP has no function for it.
uint64_t Gpu::free_shared(const Kernel &kernel, uint64_t groups, uint64_t) {
  const Device &device = kernel.device();
  const uint64_t each = std::min(device.max_shared_memory(), device.core_shared_memory() / groups);
  return each - std::min(each, kernel.shared_memory());
}

using KernelCommand = nexus_plugin::gpu::KernelCommand<Gpu>;
using Schedule = nexus_plugin::gpu::Schedule<Gpu>;
using Transfer = nexus_plugin::gpu::Transfer<Gpu>;

struct Recording : nexus_plugin::RecordingOf<devices, kernels, buffers, streams, KernelCommand,
                                             Transfer, Schedule> {};

}  // namespace nexus_hip

using namespace nexus_hip;

NEXUS_PLUGIN_GPU_OCCUPANCY(Gpu, kernels)
NEXUS_PLUGIN_RECORDING(Recording, nexus_plugin::gpu::schedule_properties<Gpu>)
