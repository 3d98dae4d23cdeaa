// SPDX-License-Identifier: Apache-2.0
#include "device_identity.hpp"

#include <nexus-plugin/text.hpp>

namespace nexus_opencl NXS_HIDDEN {
namespace {

using nexus_plugin::join;

// Processors run what the host runs.
constexpr const char *host_architecture() {
#if defined(__x86_64__)
  return "x86-64";
#elif defined(__aarch64__)
  return "aarch64";
#else
  return "generic";
#endif
}

}  // namespace

std::string architecture_of(const Device &device) {
  const auto major = device.number<cl_uint>(CL_DEVICE_COMPUTE_CAPABILITY_MAJOR_NV);
  const auto minor = device.number<cl_uint>(CL_DEVICE_COMPUTE_CAPABILITY_MINOR_NV);
  if (device.has("cl_nv_device_attribute_query") && major && minor) {
    return join("sm_", *major, *minor);
  }
  const std::string &name = device.name();  // AMD's may go on: "gfx90a:sramecc+:xnack-"
  if (name.starts_with("gfx")) return name.substr(0, name.find(':'));
  return (device.type() & CL_DEVICE_TYPE_CPU) != 0 ? host_architecture() : "generic";
}

std::string device_identity(const Device &device) {
  return join(device.platform().name(), " | ", device.platform().version_text(), " | ",
              device.name(), " | ", device.text(CL_DEVICE_VERSION).value_or(""), " | ",
              device.text(CL_DRIVER_VERSION).value_or(""));
}

}  // namespace nexus_opencl
