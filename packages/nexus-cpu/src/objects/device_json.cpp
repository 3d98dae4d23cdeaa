// SPDX-License-Identifier: Apache-2.0
#include "objects/device_json.hpp"

#include "fibers/limits.hpp"

#include <algorithm>
#include <iterator>
#include <nexus-plugin/arguments.hpp>
#include <nexus-plugin/json.hpp>

namespace nexus_cpu NXS_HIDDEN {
namespace {

using nexus_plugin::join;
using nexus_plugin::json_array;
using nexus_plugin::json_list;
using nexus_plugin::JsonObject;

std::string kind_json(const CoreKind &kind) {
  return JsonObject()
      .add("Name", kind.name)
      .add("Count", kind.cores)
      .add("TotalCount", kind.cores)
      .add("ThreadsPerCore", kind.threads_per_core)
      .add("BaseClock", kind.base_clock_mhz)
      .add("MaxClock", kind.max_clock_mhz)
      .add("Architecture", kind.architecture)
      .done();
}

std::string cache_json(const Cache &cache) {
  return JsonObject()
      .add("Name", cache.name)
      .add("Kind", "cache")
      .add("Size", cache.size)
      .add("MaxSize", cache.max_size)
      .add("Count", cache.count)
      .add("TotalSize", cache.total_size)
      .add("SharedBy", cache.shared_by)
      .add("ThreadsSharing", cache.threads_sharing)
      .add("LineSize", cache.line_size)
      .add("Ways", cache.ways)
      .done();
}

std::string main_memory_json(uint64_t size) {
  return JsonObject()
      .add("Name", "Global")
      .add("Kind", "memory")
      .add("Size", size)
      .add("Count", 1)
      .done();
}

}  // namespace

std::string core_json(const Processor &processor, const Machine &machine) {
  JsonObject out;
  out.add("SubUnitType", "Core")
      .add("Count", machine.cores)
      .add("ThreadCount", machine.threads)
      .add("ThreadsPerCore", machine.threads_per_core)
      .add("SIMDSize", processor.simd_lanes)
      .add("BaseClock", machine.base_clock_mhz)
      .add("MaxClock", machine.max_clock_mhz);
  if (!machine.kinds.empty()) {
    std::vector<std::string> kinds;
    std::transform(machine.kinds.begin(), machine.kinds.end(), std::back_inserter(kinds),
                   kind_json);
    out.add_json("Units", json_array(kinds));
  }
  return out.done();
}

std::string memory_json(const Machine &machine, uint64_t memory_size) {
  std::vector<std::string> types;
  std::vector<std::string> names;
  const auto add = [&](const Cache &cache) {
    types.push_back(cache_json(cache));
    names.push_back(cache.name);
  };
  std::for_each(machine.caches.begin(), machine.caches.end(), add);
  if (memory_size != 0) {
    types.push_back(main_memory_json(memory_size));
    names.emplace_back("Global");
  }
  std::for_each(machine.others.begin(), machine.others.end(), add);
  return JsonObject()
      .add_json("UnifiedMemory", "1")
      .add_json("MemoryTypes", json_array(types))
      .add_json("SupportedMemoryTypes", json_list(names))
      .done();
}

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
      .add_json("MaxGridSize",
                join("[", kMaxLaunchSize, ",", kMaxLaunchSize, ",", kMaxLaunchSize, "]"))
      .add("MaxThreadgroupMemorySize", kMaxLocalMemory)
      .add("MaxArguments", nexus_plugin::kMaxArguments)
      .add("MaxBufferSize", max_buffer_size)
      .done();
}

}  // namespace nexus_cpu
