// SPDX-License-Identifier: Apache-2.0
#include "execution/kernel.hpp"

#include <utility>

namespace nexus_hip NXS_HIDDEN {

constinit HandleTable<Kernel, NXS_ObjectType_Kernel> kernels;

Kernel::Kernel(Ref<Library> library, const std::string &name)
    : library_(std::move(library)), name_(name), code_(&library_->kernel(name)) {
  refuse_host_calls(*code_);
  if (code_->description) {
    specs_ = nexus_plugin::specs_of(code_->description->arguments, name_);
    return;
  }
  nexus_plugin::check_argument_count(code_->arguments.size(), name_);
  for (const CodeArgument &argument : code_->arguments) {
    const bool pointer = argument.value_kind == "global_buffer";
    specs_.push_back({argument.name, pointer ? NXS_ArgumentKind_Buffer : NXS_ArgumentKind_Unknown,
                      NXS_DataType_Undefined, pointer ? 0 : argument.size});
  }
}

std::optional<Size3> Kernel::required_group_size() const {
  if (code_->required_group_size) return code_->required_group_size;
  return code_->description ? code_->description->group_size : std::nullopt;
}

namespace {

// Returns a member of the kernel's CodeKernel.
template <auto Member>
Value of_code(const Kernel &kernel) {
  return kernel.code().*Member;
}

constexpr auto kernel_properties = nexus_plugin::joined(
    nexus_plugin::described_kernel_properties<Kernel>,
    nexus_plugin::property_table<Kernel>({
        {NP_Count, [](const Kernel &kernel) -> Value { return kernel.specs().size(); }},
        {NP_Convention,
         [](const Kernel &kernel) -> Value { return kernel.described() ? "nexus" : "hip"; }},
        {NP_PreferredGroupMultiple, of_code<&CodeKernel::wavefront_size>},
        {NP_LocalMemorySize, of_code<&CodeKernel::group_bytes>},
        {NP_PrivateMemorySize, of_code<&CodeKernel::private_bytes>},
        {NP_RegistersPerThread, of_code<&CodeKernel::vector_registers>},
        {NP_MaxThreadgroupMemorySize,
         [](const Kernel &kernel) -> Value { return kernel.device().shared_memory(); }},
    }));

}  // namespace
}  // namespace nexus_hip

using namespace nexus_hip;

NEXUS_PLUGIN_OBJECT(Kernel, kernels, kernel_properties)
NEXUS_PLUGIN_KERNEL_ARGUMENTS(kernels, counted, "")
