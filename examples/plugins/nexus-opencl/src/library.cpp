// SPDX-License-Identifier: Apache-2.0
#include "kernel.hpp"

#include "container.hpp"
#include "program.hpp"
#include "spirv.hpp"

#include <algorithm>

namespace nexus_opencl NXS_HIDDEN {

using nexus_plugin::Error;
using nexus_plugin::join;
using nexus_plugin::member;
using nexus_plugin::Value;

constinit nexus_plugin::HandleTable<Library, NXS_ObjectType_Library> libraries;

namespace {

constexpr const char *kSourceOptions = "-cl-kernel-arg-info";

// Texts of other languages, such as PTX, are a driver's binaries.
bool is_opencl_c(std::string_view bytes) {
  return bytes.find('\0') == std::string_view::npos &&
         bytes.find("kernel") != std::string_view::npos &&
         bytes.find(".version") == std::string_view::npos;
}

// One of the forms that libraries come in, not built yet.
struct Unbuilt {
  Owned<cl_program> program;
  std::vector<KernelDescription> kernels;
  std::string format;
  std::string options = {};
};

Unbuilt open_container(const Device &device, std::string_view bytes) {
  Container container = read_container(bytes);
  if (container.built_for != device_identity(device)) {
    throw Error(NXS_InvalidBinary, "the code was compiled for '", container.built_for,
                "', and this device is '", device_identity(device), "'; compile the program again");
  }
  if (container.kind == CodeKind::source) {
    return {program_from_source(device, container.code), std::move(container.kernels), "opencl",
            container.options};
  }
  return {program_from_binary(device, container.code), std::move(container.kernels), "opencl"};
}

Unbuilt open_any(const Device &device, std::string_view bytes) {
  if (bytes.empty()) throw Error(NXS_InvalidBinary, "the library has no bytes");
  if (is_container(bytes)) return open_container(device, bytes);
  if (is_spirv(bytes)) {
    std::vector<KernelDescription> kernels = read_spirv(bytes);
    return {program_from_spirv(device, bytes), std::move(kernels), "spirv"};
  }
  if (is_opencl_c(bytes)) {
    return {program_from_source(device, bytes), {}, "opencl-c", kSourceOptions};
  }
  return {program_from_binary(device, bytes), {}, "binary"};
}

constexpr auto library_properties = nexus_plugin::joined(
    nexus_plugin::library_file_properties<Library>,
    nexus_plugin::property_table<Library>({
        {NP_Type, [](const Library &) -> Value { return "OpenCL program"; }},
        {NP_Format, member<&Library::format>},
        {NP_Count, [](const Library &library) -> Value { return library.kernel_names().size(); }},
        {NP_SubUnits, member<&Library::kernel_names>},
        {NP_KernelNames, member<&Library::kernel_names>},
    }));

}  // namespace

Library::Library(const Device &device, std::string_view bytes, const std::string &path)
    : LibraryFile(bytes, path), device_(&device) {
  Unbuilt opened = open_any(device, bytes);
  format_ = std::move(opened.format);
  descriptions_ = std::move(opened.kernels);
  program_ = std::move(opened.program);
  const cl_int error = build(device, program_.get(), opened.options);
  if (error != CL_SUCCESS) {
    const nxs_status status = error == CL_OUT_OF_RESOURCES     ? NXS_OutOfResources
                              : error == CL_OUT_OF_HOST_MEMORY ? NXS_OutOfHostMemory
                                                               : NXS_InvalidBinary;
    const std::string log = build_log(device, program_.get());
    throw_error(error, status,
                join("building the library for '", device.name(), "'",
                     log.empty() ? "" : " (the compiler said: " + log + ")"));
  }
  kernel_names_ = nexus_opencl::kernel_names(device, program_.get());
}

const KernelDescription *Library::description(std::string_view name) const noexcept {
  const auto found = std::find_if(descriptions_.begin(), descriptions_.end(),
                                  [&](const KernelDescription &each) { return each.name == name; });
  return found == descriptions_.end() ? nullptr : &*found;
}

}  // namespace nexus_opencl

using namespace nexus_opencl;

NEXUS_PLUGIN_OBJECT(Library, libraries, library_properties)

NEXUS_PLUGIN_LIBRARIES(devices, libraries, kernels, nexus_plugin::read_library_file)
