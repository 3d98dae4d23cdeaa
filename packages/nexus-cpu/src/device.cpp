// SPDX-License-Identifier: Apache-2.0
#include "device.hpp"

#include "compile_request.hpp"
#include "compiler.hpp"
#include "json_text.hpp"
#include "limits.hpp"

#include <nexus-plugin/arguments.hpp>
#include <nexus-plugin/functions.hpp>
#include <nexus-plugin/property_table.hpp>

namespace nexus_cpu NXS_HIDDEN {

using nexus_plugin::join;
using nexus_plugin::Json;
using nexus_plugin::Value;

constinit nexus_plugin::HandleTable<Device, NXS_ObjectType_Device> devices;

namespace {

Value known(uint64_t number) {
  return number == 0 ? Value() : Value(number);
}
Value known(const std::string &text) {
  return text.empty() ? Value() : Value(text);
}

// Names here are plain: nothing to escape.
std::string memory_json(const Processor &processor) {
  std::string types;
  std::string names;
  const auto add = [&](const std::string &name, uint64_t size, uint64_t count) {
    types += join(types.empty() ? "" : ",", "{\"Name\":\"", name, "\",\"Size\":", size,
                  count == 0 ? std::string() : join(",\"Count\":", count), "}");
    names += join(names.empty() ? "" : ",", "\"", name, "\"");
  };
  for (const Cache &cache : processor.caches) add(cache.name, cache.size, cache.count);
  if (processor.memory != 0) add("Global", processor.memory, 1);
  return join("{\"MemoryTypes\":[", types, "],\"SupportedMemoryTypes\":[", names, "]}");
}

std::string core_json(const Processor &processor) {
  std::string text = join("{\"SubUnitType\":\"Core\",\"Count\":", processor.cores);
  if (processor.threads % processor.cores == 0) {
    text += join(",\"ThreadsPerCore\":", processor.threads / processor.cores);
  }
  if (processor.simd_lanes != 0) text += join(",\"SIMDSize\":", processor.simd_lanes);
  return text + "}";
}

std::string limits_json(const Device &device) {
  return join("{\"MaxThreadsPerBlock\":", kMaxGroupItems, ",\"MaxGridSize\":[", kMaxLaunchSize, ",",
              kMaxLaunchSize, ",", kMaxLaunchSize,
              "],\"MaxThreadgroupMemorySize\":", kMaxLocalMemory,
              ",\"MaxArguments\":", nexus_plugin::kMaxArguments,
              ",\"MaxBufferSize\":", device.max_buffer_size(), "}");
}

// Asked anew each time, since CC and what is installed may change.
Value compiler_text() {
  try {
    const Compiler compiler = find_compiler(false);
    return join(compiler.name, " (", valid_utf8(compiler.identity), ")");
  } catch (const nexus_plugin::Error &) {
    return {};
  }
}

std::string joined(const std::vector<std::string> &texts) {
  std::string out;
  for (const std::string &text : texts) out += (out.empty() ? "" : ",") + text;
  return out;
}

constexpr auto device_properties = nexus_plugin::property_table<Device>({
    {NP_Name,
     [](const Device &d) -> Value {
       return d.processor().name.empty() ? Value("CPU") : Value(d.processor().name);
     }},
    {NP_Type, [](const Device &) -> Value { return "cpu"; }},
    {NP_Vendor,
     [](const Device &d) -> Value {
       return d.processor().vendor.empty() ? Value("unknown") : Value(d.processor().vendor);
     }},
    {NP_Architecture,
     [](const Device &d) -> Value {
       return d.processor().architecture.empty() ? Value("generic")
                                                 : Value(d.processor().architecture);
     }},
    {NP_Features, [](const Device &d) -> Value { return known(joined(d.processor().features)); }},
    {NP_CoreCount, [](const Device &d) -> Value { return known(d.processor().cores); }},
    {NP_ThreadCount, [](const Device &d) -> Value { return known(d.processor().threads); }},
    {NP_SIMDSize, [](const Device &d) -> Value { return known(d.processor().simd_lanes); }},
    {NP_CacheLineSize, [](const Device &d) -> Value { return known(d.processor().cache_line); }},
    {NP_GlobalMemorySize, [](const Device &d) -> Value { return known(d.processor().memory); }},
    {NP_CoreClockRate, [](const Device &d) -> Value { return known(d.processor().max_clock_mhz); }},
    {NP_BaseClock, [](const Device &d) -> Value { return known(d.processor().base_clock_mhz); }},
    {NP_MaxBufferSize, [](const Device &d) -> Value { return d.max_buffer_size(); }},
    {NP_UnifiedMemory, [](const Device &) -> Value { return 1; }},
    // Kernels read from any address that suits their elements.
    {NP_BufferOffsetAlignment, [](const Device &) -> Value { return 1; }},
    {NP_MaxThreadsPerBlock, [](const Device &) -> Value { return kMaxGroupItems; }},
    {NP_MaxThreadsPerThreadgroup, [](const Device &) -> Value { return kMaxGroupItems; }},
    {NP_MaxThreadgroupMemorySize, [](const Device &) -> Value { return kMaxLocalMemory; }},
    {NP_MaxArguments, [](const Device &) -> Value { return nexus_plugin::kMaxArguments; }},
    {NP_Count, [](const Device &d) -> Value { return known(d.processor().cores); }},
    {NP_DataTypes,
     [](const Device &) -> Value {
       return std::vector<std::string>{"float32", "float64", "int8",  "uint8",  "int16", "uint16",
                                       "int32",   "uint32",  "int64", "uint64", "bool"};
     }},
    {NP_MemorySubsystem, [](const Device &d) -> Value { return Json{memory_json(d.processor())}; }},
    {NP_CoreSubsystem,
     [](const Device &d) -> Value {
       return d.processor().cores == 0 ? Value() : Value(Json{core_json(d.processor())});
     }},
    {NP_Limits, [](const Device &d) -> Value { return Json{limits_json(d)}; }},
    {NP_SubUnitType, [](const Device &) -> Value { return "Core"; }},
    {NP_Compiler, [](const Device &) -> Value { return compiler_text(); }},
    {NP_Languages, [](const Device &) -> Value { return compile_languages(); }},
});

}  // namespace
}  // namespace nexus_cpu

using namespace nexus_cpu;

NEXUS_PLUGIN_GET_PROPERTY(Device, devices, device_properties)
