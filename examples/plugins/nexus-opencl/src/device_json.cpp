// SPDX-License-Identifier: Apache-2.0
#include "device_json.hpp"

#include <nexus-plugin/arguments.hpp>
#include <nexus-plugin/json.hpp>

namespace nexus_opencl NXS_HIDDEN {
namespace {

using nexus_plugin::json_array;
using nexus_plugin::json_list;
using nexus_plugin::JsonObject;

std::vector<std::string> split_words(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    if (end != 0) words.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

}  // namespace

std::string core_json(const Device &device) {
  return JsonObject()
      .add("SubUnitType", "ComputeUnit")
      .add("Count", device.number<cl_uint>(CL_DEVICE_MAX_COMPUTE_UNITS).value_or(0))
      .add("SIMDSize", device.simd_size())
      .add("MaxClock", device.number<cl_uint>(CL_DEVICE_MAX_CLOCK_FREQUENCY).value_or(0))
      .done();
}

std::string memory_json(const Device &device) {
  std::vector<std::string> types, names;
  const auto add = [&](const char *name, const char *kind, uint64_t size, uint64_t line) {
    if (size == 0) return;
    types.push_back(JsonObject()
                        .add("Name", name)
                        .add("Kind", kind)
                        .add("Size", size)
                        .add("LineSize", line)
                        .done());
    names.emplace_back(name);
  };
  add("Cache", "cache", device.number<cl_ulong>(CL_DEVICE_GLOBAL_MEM_CACHE_SIZE).value_or(0),
      device.number<cl_uint>(CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE).value_or(0));
  add("Global", "memory", device.number<cl_ulong>(CL_DEVICE_GLOBAL_MEM_SIZE).value_or(0), 0);
  add("Local", "scratchpad", device.core_memory_size(), 0);
  JsonObject out;
  if (const auto unified = device.number<cl_bool>(CL_DEVICE_HOST_UNIFIED_MEMORY)) {
    out.add_json("UnifiedMemory", *unified != CL_FALSE ? "1" : "0");
  }
  return out.add_json("MemoryTypes", json_array(types))
      .add_json("SupportedMemoryTypes", json_list(names))
      .done();
}

std::string limits_json(const Device &device) {
  const auto &group = device.max_group_size();
  const std::vector<int64_t> sizes(group.begin(), group.end());
  return JsonObject()
      .add("MaxThreadsPerBlock", device.max_group_items())
      .add_json("MaxGroupSize", json_list(sizes))
      .add("MaxThreadgroupMemorySize", device.local_memory_size())
      .add("MaxArguments", nexus_plugin::kMaxArguments)
      .add("MaxArgumentSize", device.number<size_t>(CL_DEVICE_MAX_PARAMETER_SIZE).value_or(0))
      .add("MaxConstantMemorySize",
           device.number<cl_ulong>(CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE).value_or(0))
      .add("MaxBufferSize", device.max_buffer_size())
      .done();
}

std::string extensions_json(const Device &device) {
  const Platform &platform = device.platform();
  const std::string own =
      JsonObject()
          .add("Platform", platform.name())
          .add("PlatformVendor", platform.vendor())
          .add("PlatformVersion", platform.version_text())
          .add("DeviceVersion", device.text(CL_DEVICE_VERSION).value_or(""))
          .add("Profile", device.text(CL_DEVICE_PROFILE).value_or(""))
          .add("OpenCLCVersion", device.text(CL_DEVICE_OPENCL_C_VERSION).value_or(""))
          .add("ILVersion", device.il_version())
          .add_json("Extensions", json_list(split_words(device.extensions())))
          .done();
  return JsonObject().add_json("OpenCL", own).done();
}

}  // namespace nexus_opencl
