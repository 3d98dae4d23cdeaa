// SPDX-License-Identifier: Apache-2.0
#include "execution/kernel.hpp"

#include <algorithm>
#include <utility>

namespace nexus_hip NXS_HIDDEN {

constinit HandleTable<Kernel, NXS_ObjectType_Kernel> kernels;

// Limits are the code's own: HIP answers a launch beyond them as if the device were lost.
Kernel::Kernel(Ref<Library> of, const std::string &name)
    : LoadedKernel(std::move(of), name), code_(&library().kernel(name)) {
  refuse_host_calls(*code_);
  max_group_items_ = std::min(code_->max_group_items, device().max_group_items());
  warp_size_ = code_->wavefront_size;
  shared_memory_ = code_->group_bytes;
  private_memory_ = code_->private_bytes;
  registers_ = code_->vector_registers;
  read_arguments();
  const CurrentDevice current(device());
  const auto find = [&] {
    return hip.ModuleGetFunction(&function_, library().handle(), code_->name.c_str());
  };
  device().check(device().state().memory.with_room(find), join("finding the kernel '", name, "'"));
}

void Kernel::read_arguments() {
  counted_ = true;
  if (code_->description) return describe(*code_->description);
  nexus_plugin::check_argument_count(code_->arguments.size(), name());
  for (const CodeArgument &argument : code_->arguments) {
    const bool pointer = argument.value_kind == "global_buffer";
    specs_.push_back({argument.name, pointer ? NXS_ArgumentKind_Buffer : NXS_ArgumentKind_Unknown,
                      NXS_DataType_Undefined, pointer ? 0 : argument.size});
  }
  required_group_size_ = code_->required_group_size;
}

}  // namespace nexus_hip

using namespace nexus_hip;

NEXUS_PLUGIN_OBJECT(Kernel, kernels, nexus_plugin::gpu::kernel_properties<Gpu>)
NEXUS_PLUGIN_KERNEL_ARGUMENTS(kernels, counted, "")
