// SPDX-License-Identifier: Apache-2.0
#include "library.hpp"

#include "compiled_for.hpp"
#include "device.hpp"
#include "kernel.hpp"
#include "symbols.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <nexus-plugin/binary_check.hpp>
#include <nexus-plugin/functions.hpp>
#include <nexus-plugin/property_table.hpp>

namespace nexus_cpu NXS_HIDDEN {

using nexus_plugin::check_path;
using nexus_plugin::check_pointer;
using nexus_plugin::Error;
using nexus_plugin::guarded;
using nexus_plugin::Ref;
using nexus_plugin::Value;

constinit nexus_plugin::HandleTable<Library, NXS_ObjectType_Library> libraries;

namespace {

void sort_once_each(std::vector<std::string> &names) {
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
}

std::string read_file(const std::string &path) {
  if (path.empty())
    throw Error(NXS_InvalidValue, "path is empty; give the path of a kernel library");
  // First the header alone, so that a wrong file of any size is refused at once.
  {
    const nexus_plugin::ByteSource source(path);
    if (!source.isOpen()) {
      throw Error(NXS_InvalidValue, "path is '", path,
                  "', which can't be read; check that it exists");
    }
  }
  if (const std::string wrong = nexus_plugin::checkBinary(path); !wrong.empty()) {
    throw Error(NXS_InvalidBinary, wrong);
  }
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

constexpr auto library_properties = nexus_plugin::property_table<Library>({
    {NP_Name,
     [](const Library &library) -> Value {
       if (library.path().empty()) return {};
       return library.path().substr(library.path().rfind('/') + 1);
     }},
    {NP_Type, [](const Library &) -> Value { return "shared object"; }},
    {NP_Size, [](const Library &library) -> Value { return library.size(); }},
    {NP_Path,
     [](const Library &library) -> Value {
       return library.path().empty() ? Value() : Value(library.path());
     }},
    {NP_Count, [](const Library &library) -> Value { return library.callable_names().size(); }},
    {NP_SubUnits, [](const Library &library) -> Value { return library.callable_names(); }},
    {NP_KernelNames, [](const Library &library) -> Value { return library.kernel_names(); }},
});

}  // namespace

Library::Library(const Processor &processor, std::string_view bytes, const std::string &path)
    : path_(path), size_(bytes.size()), object_(bytes, path), names_(find_names(bytes)) {
  check_compiled_for(object_, processor, path);
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

extern "C" {

nxs_status nxsCreateLibrary(nxs_id device, const void *data, uint64_t size, nxs_id *out_library) {
  return guarded([&] {
    const Ref<Device> processors = devices.pin(device);
    check_pointer(out_library, "out_library");
    const auto *bytes = static_cast<const char *>(check_pointer(data, "data"));
    *out_library =
        libraries.create(processors->processor(),
                         std::string_view(bytes, static_cast<std::size_t>(size)), std::string());
  });
}

nxs_status nxsCreateLibraryFromFile(nxs_id device, const nxs_string *path, nxs_id *out_library) {
  return guarded([&] {
    const Ref<Device> processors = devices.pin(device);
    check_pointer(out_library, "out_library");
    const std::string file(check_path(path, "path"));
    *out_library = libraries.create(processors->processor(), read_file(file), file);
  });
}

}  // extern "C"
