// SPDX-License-Identifier: Apache-2.0
#include "system/memory.hpp"

#include <algorithm>
#if defined(__APPLE__)
#include "system/apple_system.hpp"

#include <mach/mach.h>
#include <unistd.h>
#endif

namespace nexus_cpu NXS_HIDDEN {
namespace {

#if defined(__APPLE__)

std::optional<uint64_t> apple_free_memory() {
  vm_statistics64_data_t state{};
  mach_msg_type_number_t count = HOST_VM_INFO64_COUNT;
  const mach_port_t host = mach_host_self();
  const kern_return_t status =
      host_statistics64(host, HOST_VM_INFO64, reinterpret_cast<host_info64_t>(&state), &count);
  mach_port_deallocate(mach_task_self(), host);
  if (status != KERN_SUCCESS) return std::nullopt;
  const uint64_t pages = uint64_t{state.free_count} + state.inactive_count;
  return pages * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

#else

// "MemTotal:       24684092 kB" is a number of bytes; 0 where it is no such line.
std::optional<uint64_t> memory_line(std::string_view line, std::string_view key) {
  auto value = value_of(line, key);
  if (!value || !value->ends_with("kB")) return std::nullopt;
  value->remove_suffix(2);
  const auto kilobytes = parse_number(*value);
  if (!kilobytes || *kilobytes > (INT64_MAX >> 10)) return std::nullopt;
  return *kilobytes << 10;
}

#endif

}  // namespace

std::optional<uint64_t> MemoryState::used() const {
  if (total == 0 || !free) return std::nullopt;
  return total - std::min(*free, total);
}

std::optional<uint64_t> MemoryState::used_percent() const {
  const auto bytes = used();
  if (!bytes) return std::nullopt;
  return static_cast<uint64_t>(100.0 * static_cast<double>(*bytes) / static_cast<double>(total) +
                               0.5);
}

#if defined(__APPLE__)

MemoryState read_memory(const SystemTree &) {
  return {system_number("hw.memsize"), apple_free_memory()};
}

#else

MemoryState read_memory(const SystemTree &tree) {
  MemoryState out;
  std::optional<uint64_t> idle, available;
  for_each_line(tree.text("/proc/meminfo"), [&](std::string_view line) {
    if (const auto bytes = memory_line(line, "MemTotal")) out.total = *bytes;
    if (const auto bytes = memory_line(line, "MemFree")) idle = bytes;
    if (const auto bytes = memory_line(line, "MemAvailable")) available = bytes;
    return true;
  });
  out.free = available ? available : idle;
  return out;
}

#endif

}  // namespace nexus_cpu
