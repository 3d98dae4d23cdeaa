// SPDX-License-Identifier: Apache-2.0
#include "objects/library.hpp"

#include "objects/compiled_for.hpp"
#include "objects/kernel.hpp"
#include "objects/symbols.hpp"

#include <algorithm>

namespace nexus_cpu NXS_HIDDEN {

using nexus_plugin::Error;
using nexus_plugin::member;
using nexus_plugin::Value;

constinit nexus_plugin::HandleTable<Library, NXS_ObjectType_Library> libraries;

namespace {

void sort_once_each(std::vector<std::string> &names) {
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
}

// Reads the header first, so that a wrong file is refused whatever its size.
std::string read_file(const std::string &path) {
  const bool readable = !path.empty() && nexus_plugin::ByteSource(path).isOpen();
  if (const std::string wrong = readable ? nexus_plugin::checkBinary(path) : std::string();
      !wrong.empty()) {
    throw Error(NXS_InvalidBinary, wrong);
  }
  return nexus_plugin::read_library_file(path);
}

constexpr auto library_properties = nexus_plugin::joined(
    nexus_plugin::library_file_properties<Library>,
    nexus_plugin::property_table<Library>({
        {NP_Type, [](const Library &) -> Value { return "shared object"; }},
        {NP_Count, [](const Library &library) -> Value { return library.callable_names().size(); }},
        {NP_SubUnits, member<&Library::callable_names>},
        {NP_KernelNames, member<&Library::kernel_names>},
    }));

}  // namespace

Library::Library(const Device &device, std::string_view bytes, const std::string &path)
    : LibraryFile(bytes, path), object_(bytes, path), names_(find_names(bytes)) {
  check_compiled_for(object_, device.processor(), path);
}

Library::Names Library::find_names(std::string_view bytes) {
  Symbols symbols = read_symbols(bytes);
  Names names;
  const std::string_view prefix = kDescriptorPrefix;
  for (const std::string &object : symbols.objects) {
    if (object.starts_with(prefix)) names.kernels.push_back(object.substr(prefix.size()));
  }
  names.callable = names.kernels;
  for (std::string &function : symbols.functions) {
    if (!function.starts_with(prefix) && function != kCompiledFor)
      names.callable.push_back(std::move(function));
  }
  sort_once_each(names.kernels);
  sort_once_each(names.callable);
  if (names.kernels.empty() && symbols.told_apart) names.kernels = names.callable;
  return names;
}

}  // namespace nexus_cpu

using namespace nexus_cpu;

NEXUS_PLUGIN_OBJECT(Library, libraries, library_properties)

NEXUS_PLUGIN_LIBRARIES(devices, libraries, kernels, read_file)
