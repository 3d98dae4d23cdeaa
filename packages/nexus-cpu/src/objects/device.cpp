// SPDX-License-Identifier: Apache-2.0
#include "objects/device.hpp"

#include "compile/compile_request.hpp"
#include "compile/compiler.hpp"
#include "fibers/fibers.hpp"
#include "pool/pool.hpp"

#include <unistd.h>
#include <nexus-plugin/base/functions.hpp>
#include <nexus-plugin/base/json.hpp>
#include <nexus-plugin/base/property_table.hpp>
#include <nexus-plugin/kernel/arguments.hpp>

namespace nexus_cpu NXS_HIDDEN {

using namespace nexus_plugin;

constinit HandleTable<Device, NXS_ObjectType_Device> devices;

namespace {

std::string kernel_model_json(const Processor &processor) {
  JsonObject out;
#if defined(__x86_64__)
  out.add("LLVMTarget", "x86-64");
#elif defined(__aarch64__)
  out.add("LLVMTarget", "aarch64");
#endif
  out.add("Processor", processor.architecture);
#if defined(__x86_64__)
  // Only on x86, since elsewhere the names are the system's, not LLVM's.
  if (!processor.features.empty()) out.add_json("Features", json_list(processor.features));
#endif
  return out.done();
}

std::string limits_json(uint64_t max_buffer_size) {
  return JsonObject()
      .add("MaxThreadsPerBlock", kMaxGroupItems)
      .add_json("MaxGridSize", "[2147483647,2147483647,2147483647]")  // ids are int32_t
      .add("MaxThreadgroupMemorySize", kMaxLocalMemory)
      .add("MaxArguments", kMaxArguments)
      .add("MaxBufferSize", max_buffer_size)
      .done();
}

// Not cached, since CC and the installed compilers may change.
Value compiler_text() {
  try {
    const Compiler compiler = find_compiler(false);
    return join(compiler.name, " (", valid_utf8(compiler.identity), ")");
  } catch (const Error &) {
    return {};
  }
}

Value page_size() {
  const long size = sysconf(_SC_PAGESIZE);
  return size > 0 ? Value(size) : Value();
}

std::string text_or(const std::string &text, const char *if_empty) {
  return text.empty() ? if_empty : valid_utf8(text);
}

template <auto Member>
Value of_processor(const Device &device) {
  return known(device.processor().*Member);
}

template <auto Member>
Value of_machine(const Device &device) {
  return known(device.machine().*Member);
}

template <auto Read>
Value of_tree(const Device &device) {
  return known(Read(device.tree()));
}

// Constant properties first, then changing ones.
constexpr auto device_properties = property_table<Device>({
    {NP_Name, [](const Device &d) -> Value { return text_or(d.processor().name, "CPU"); }},
    {NP_Type, [](const Device &) -> Value { return "cpu"; }},
    {NP_Vendor, [](const Device &d) -> Value { return text_or(d.processor().vendor, "unknown"); }},
    {NP_Architecture,
     [](const Device &d) -> Value { return text_or(d.processor().architecture, "generic"); }},
    {NP_Family, of_processor<&Processor::family>},
    {NP_Model, of_processor<&Processor::model>},
    {NP_Stepping, of_processor<&Processor::stepping>},
    {NP_Features,
     [](const Device &d) -> Value { return known(joined_by(",", d.processor().features)); }},
    {NP_VectorExtensions,
     [](const Device &d) -> Value { return known(vector_extensions(d.processor().features)); }},
    {NP_MatrixExtensions,
     [](const Device &d) -> Value { return known(matrix_extensions(d.processor().features)); }},
    {NP_SIMDSize, of_processor<&Processor::simd_lanes>},
    {NP_Count, of_machine<&Machine::cores>},
    {NP_CoreCount, of_machine<&Machine::cores>},
    {NP_ThreadCount, of_machine<&Machine::threads>},
    {NP_ThreadsPerCore, of_machine<&Machine::threads_per_core>},
    {NP_SocketCount, of_machine<&Machine::sockets>},
    {NP_NumaNodeCount, of_machine<&Machine::numa_nodes>},
    {NP_SubUnitType, [](const Device &) -> Value { return "Core"; }},
    {NP_CoreClockRate, of_machine<&Machine::max_clock_mhz>},
    {NP_BaseClock, of_machine<&Machine::base_clock_mhz>},
    {NP_CacheLineSize, of_machine<&Machine::cache_line>},
    {NP_PageSize, [](const Device &) -> Value { return page_size(); }},
    {NP_GlobalMemorySize, known_member<&Device::memory_size>},
    {NP_UnifiedMemory, [](const Device &) -> Value { return 1; }},
    {NP_MaxBufferSize, member<&Device::max_buffer_size>},
    // Kernels accept any address that is aligned for their elements.
    {NP_BufferOffsetAlignment, [](const Device &) -> Value { return 1; }},
    {NP_MaxThreadsPerBlock, [](const Device &) -> Value { return kMaxGroupItems; }},
    {NP_MaxThreadsPerThreadgroup, [](const Device &) -> Value { return kMaxGroupItems; }},
    {NP_MaxThreadgroupMemorySize, [](const Device &) -> Value { return kMaxLocalMemory; }},
    {NP_MaxArguments, [](const Device &) -> Value { return kMaxArguments; }},
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
    {NP_KernelModel,
     [](const Device &d) -> Value { return Json{kernel_model_json(d.processor())}; }},
    {NP_Languages, [](const Device &) -> Value { return compile_languages(); }},
    {NP_Compiler, [](const Device &) -> Value { return compiler_text(); }},
    {NP_UsableThreadCount, [](const Device &) -> Value { return usable_processors().size(); }},
    {NP_ProcessorTimeLimit, of_tree<processor_time_limit>},
    {NP_MemoryLimit, of_tree<memory_limit>},
    {NP_GlobalMemoryFree,
     [](const Device &d) -> Value { return known(read_memory(d.tree()).free); }},
    {NP_GlobalMemoryUsed,
     [](const Device &d) -> Value { return known(read_memory(d.tree()).used()); }},
    {NP_MemoryUtilization,
     [](const Device &d) -> Value { return known(read_memory(d.tree()).used_percent()); }},
    {NP_CoreUtilization,
     [](const Device &d) -> Value { return known(d.activity().core_utilization()); }},
    {NP_CurrentClock, of_tree<read_current_clock>},
    {NP_Temperature, of_tree<read_temperature>},
    {NP_PowerDraw, [](const Device &d) -> Value { return known(d.activity().power_draw()); }},
});

}  // namespace
}  // namespace nexus_cpu

using namespace nexus_cpu;

NEXUS_PLUGIN_GET_PROPERTY(Device, devices, device_properties)
