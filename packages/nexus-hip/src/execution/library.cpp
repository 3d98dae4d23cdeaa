// SPDX-License-Identifier: Apache-2.0
#include "execution/kernel.hpp"
#include "objects/objects.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace nexus_hip NXS_HIDDEN {

constinit HandleTable<Library, NXS_ObjectType_Library> libraries;

Library::Library(Device &device, std::string_view bytes, const std::string &path)
    : LoadedLibrary(device, bytes, path) {
  const std::optional<TargetId> target = read_target_id(device.target_id());
  if (!target) {
    throw Error(NXS_NotSupported, "HIP reports the architecture '", device.target_id(),
                "' for the device '", device.name(),
                "', which is not the name of an AMD architecture");
  }
  nexus_plugin::NamedCode named = nexus_plugin::split_names(bytes);
  code_ = code_for(named.code, *target);
  object_ = read_code_object(code_, *target);
  const CurrentDevice current(device);
  load(code_, std::move(named.names), format());
  std::vector<std::string> symbols;
  for (const CodeKernel &kernel : object_.kernels) symbols.push_back(kernel.name);
  list(std::move(symbols));
}

const CodeKernel &Library::kernel(const std::string &name) const {
  const std::string symbol = symbol_of(name);
  const auto found = std::find_if(object_.kernels.begin(), object_.kernels.end(),
                                  [&](const CodeKernel &each) { return each.name == symbol; });
  if (found == object_.kernels.end()) throw_no_kernel(name);
  return *found;
}

}  // namespace nexus_hip

using namespace nexus_hip;

NEXUS_PLUGIN_OBJECT(Library, libraries, nexus_plugin::gpu::library_properties<Gpu>)

NEXUS_PLUGIN_LIBRARIES(devices, libraries, kernels, nexus_plugin::read_library_file)
NEXUS_PLUGIN_GPU_GLOBALS(libraries, buffers)
