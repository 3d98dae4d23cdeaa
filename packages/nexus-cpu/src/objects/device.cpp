// SPDX-License-Identifier: Apache-2.0
#include "objects/device.hpp"

#include "compile/compile_request.hpp"
#include "compile/compiler.hpp"
#include "fibers/limits.hpp"
#include "objects/device_json.hpp"
#include "system/container_limit.hpp"
#include "system/sensors.hpp"
#include "system/usable_processors.hpp"

#include <unistd.h>
#include <nexus-plugin/arguments.hpp>
#include <nexus-plugin/functions.hpp>
#include <nexus-plugin/json.hpp>
#include <nexus-plugin/property_table.hpp>

namespace nexus_cpu NXS_HIDDEN {

using nexus_plugin::join;
using nexus_plugin::Json;
using nexus_plugin::known;
using nexus_plugin::known_member;
using nexus_plugin::member;
using nexus_plugin::valid_utf8;
using nexus_plugin::Value;

constinit nexus_plugin::HandleTable<Device, NXS_ObjectType_Device> devices;

namespace {

// Not cached, since CC and the installed compilers may change.
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

Value page_size() {
  const long size = sysconf(_SC_PAGESIZE);
  return size > 0 ? Value(size) : Value();
}

// Constant properties first, then changing ones.
constexpr auto device_properties = nexus_plugin::property_table<Device>({
    {NP_Name,
     [](const Device &d) -> Value {
       return d.processor().name.empty() ? Value("CPU") : Value(valid_utf8(d.processor().name));
     }},
    {NP_Type, [](const Device &) -> Value { return "cpu"; }},
    {NP_Vendor,
     [](const Device &d) -> Value {
       return d.processor().vendor.empty() ? Value("unknown")
                                           : Value(valid_utf8(d.processor().vendor));
     }},
    {NP_Architecture,
     [](const Device &d) -> Value {
       return d.processor().architecture.empty() ? Value("generic")
                                                 : Value(d.processor().architecture);
     }},
    {NP_Family, [](const Device &d) -> Value { return known(d.processor().family); }},
    {NP_Model, [](const Device &d) -> Value { return known(d.processor().model); }},
    {NP_Stepping, [](const Device &d) -> Value { return known(d.processor().stepping); }},
    {NP_Features, [](const Device &d) -> Value { return known(joined(d.processor().features)); }},
    {NP_VectorExtensions,
     [](const Device &d) -> Value { return known(vector_extensions(d.processor().features)); }},
    {NP_MatrixExtensions,
     [](const Device &d) -> Value { return known(matrix_extensions(d.processor().features)); }},
    {NP_SIMDSize, [](const Device &d) -> Value { return known(d.processor().simd_lanes); }},
    {NP_Count, [](const Device &d) -> Value { return known(d.machine().cores); }},
    {NP_CoreCount, [](const Device &d) -> Value { return known(d.machine().cores); }},
    {NP_ThreadCount, [](const Device &d) -> Value { return known(d.machine().threads); }},
    {NP_ThreadsPerCore,
     [](const Device &d) -> Value { return known(d.machine().threads_per_core); }},
    {NP_SocketCount, [](const Device &d) -> Value { return known(d.machine().sockets); }},
    {NP_NumaNodeCount, [](const Device &d) -> Value { return known(d.machine().numa_nodes); }},
    {NP_SubUnitType, [](const Device &) -> Value { return "Core"; }},
    {NP_CoreClockRate, [](const Device &d) -> Value { return known(d.machine().max_clock_mhz); }},
    {NP_BaseClock, [](const Device &d) -> Value { return known(d.machine().base_clock_mhz); }},
    {NP_CacheLineSize, [](const Device &d) -> Value { return known(d.machine().cache_line); }},
    {NP_PageSize, [](const Device &) -> Value { return page_size(); }},
    {NP_GlobalMemorySize, known_member<&Device::memory_size>},
    {NP_UnifiedMemory, [](const Device &) -> Value { return 1; }},
    {NP_MaxBufferSize, member<&Device::max_buffer_size>},
    // Kernels accept any address that is aligned for their elements.
    {NP_BufferOffsetAlignment, [](const Device &) -> Value { return 1; }},
    {NP_MaxThreadsPerBlock, [](const Device &) -> Value { return kMaxGroupItems; }},
    {NP_MaxThreadsPerThreadgroup, [](const Device &) -> Value { return kMaxGroupItems; }},
    {NP_MaxThreadgroupMemorySize, [](const Device &) -> Value { return kMaxLocalMemory; }},
    {NP_MaxArguments, [](const Device &) -> Value { return nexus_plugin::kMaxArguments; }},
    {NP_DataTypes,
     [](const Device &) -> Value {
       return std::vector<std::string>{"float32", "float64", "int8",  "uint8",  "int16", "uint16",
                                       "int32",   "uint32",  "int64", "uint64", "bool"};
     }},
    {NP_CoreSubsystem,
     [](const Device &d) -> Value { return Json{core_json(d.processor(), d.machine())}; }},
    {NP_MemorySubsystem,
     [](const Device &d) -> Value { return Json{memory_json(d.machine(), d.memory_size())}; }},
    {NP_Limits, [](const Device &d) -> Value { return Json{limits_json(d.max_buffer_size())}; }},
    {NP_KernelModel, [](const Device &d) -> Value { return Json{kernel_model_json(d.processor())}; }},
    {NP_Languages, [](const Device &) -> Value { return compile_languages(); }},
    {NP_Compiler, [](const Device &) -> Value { return compiler_text(); }},
    {NP_UsableThreadCount, [](const Device &) -> Value { return count_usable_processors(); }},
    {NP_ProcessorTimeLimit,
     [](const Device &d) -> Value { return known(processor_time_limit(d.tree())); }},
    {NP_MemoryLimit, [](const Device &d) -> Value { return known(memory_limit(d.tree())); }},
    {NP_GlobalMemoryFree, [](const Device &d) -> Value { return known(read_memory(d.tree()).free); }},
    {NP_GlobalMemoryUsed,
     [](const Device &d) -> Value { return known(read_memory(d.tree()).used()); }},
    {NP_MemoryUtilization,
     [](const Device &d) -> Value { return known(read_memory(d.tree()).used_percent()); }},
    {NP_CoreUtilization,
     [](const Device &d) -> Value { return known(d.activity().core_utilization()); }},
    {NP_CurrentClock, [](const Device &d) -> Value { return known(read_current_clock(d.tree())); }},
    {NP_Temperature, [](const Device &d) -> Value { return known(read_temperature(d.tree())); }},
    {NP_PowerDraw, [](const Device &d) -> Value { return known(d.activity().power_draw()); }},
});

}  // namespace
}  // namespace nexus_cpu

using namespace nexus_cpu;

NEXUS_PLUGIN_GET_PROPERTY(Device, devices, device_properties)
