// SPDX-License-Identifier: Apache-2.0
#include "execution/kernel.hpp"

#include <algorithm>
#include <utility>

namespace nexus_hip NXS_HIDDEN {

constinit HandleTable<Library, NXS_ObjectType_Library> libraries;

Library::Library(Device &device, std::string_view bytes, const std::string &path)
    : LibraryFile(bytes, path), device_(&device) {
  device.refuse_lost();
  const std::optional<TargetId> target = read_target_id(device.target_id());
  if (!target) {
    throw Error(NXS_NotSupported, "HIP names the architecture of '", device.name(), "' '",
                device.target_id(), "', which is none of AMD's");
  }
  nexus_plugin::NamedCode named = nexus_plugin::split_names(bytes);
  code_ = code_for(named.code, *target);
  object_ = read_code_object(code_, *target);
  names_ = std::move(named.names);
  for (const CodeKernel &kernel : object_.kernels) {
    symbols_.push_back(kernel.name);
    kernel_names_.push_back(nexus_plugin::name_of_symbol(kernel.name, names_));
  }
  std::sort(kernel_names_.begin(), kernel_names_.end());
}

const CodeKernel &Library::kernel(const std::string &name) const {
  const std::string symbol = nexus_plugin::symbol_of_name(name, names_, symbols_);
  const auto found = std::find(symbols_.begin(), symbols_.end(), symbol);
  if (found == symbols_.end()) {
    throw_no_kernel(name, nexus_plugin::instead_of(name, kernel_names_, "no kernel"));
  }
  return object_.kernels[static_cast<std::size_t>(found - symbols_.begin())];
}

namespace {

constexpr auto library_properties = nexus_plugin::joined(
    nexus_plugin::library_file_properties<Library>,
    nexus_plugin::property_table<Library>({
        {NP_Type, [](const Library &) -> Value { return "HIP library"; }},
        {NP_Format, [](const Library &) -> Value { return "hsaco"; }},
        {NP_Architecture, member<&Library::target>},
        {NP_Count, [](const Library &library) -> Value { return library.kernel_names().size(); }},
        {NP_KernelNames, member<&Library::kernel_names>},
    }));

}  // namespace
}  // namespace nexus_hip

using namespace nexus_hip;

NEXUS_PLUGIN_OBJECT(Library, libraries, library_properties)

NEXUS_PLUGIN_LIBRARIES(devices, libraries, kernels, nexus_plugin::read_library_file)
