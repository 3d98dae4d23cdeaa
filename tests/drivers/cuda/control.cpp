// SPDX-License-Identifier: Apache-2.0
// What tests ask of the simulation itself. No such function is in NVIDIA's driver.
#include "control.hpp"
#include "context.hpp"
#include "device.hpp"
#include "graph_exec.hpp"
#include "library.hpp"
#include "pool.hpp"
#include "stream.hpp"

#include <algorithm>
#include <cstring>
#include <string>

using namespace simulated_cuda;

namespace {

size_t allocations_of(MemoryKind first, MemoryKind last) {
  const auto &all = world().allocations.all();
  return static_cast<size_t>(std::count_if(all.begin(), all.end(), [&](const auto &each) {
    return each.second.kind >= first && each.second.kind <= last;
  }));
}

size_t live_contexts() {
  const auto &all = world().contexts.all();
  return static_cast<size_t>(std::count_if(
      all.begin(), all.end(), [](const auto &each) { return !each.second->destroyed(); }));
}

size_t live(const std::string &kind) {
  const World &all = world();
  if (kind == "contexts") return live_contexts();
  if (kind == "streams") return all.streams.size();
  if (kind == "events") return all.events.size();
  if (kind == "modules") return all.modules.size();
  if (kind == "libraries") return all.libraries.size();
  if (kind == "graphs") return all.graphs.size();
  if (kind == "nodes") return all.nodes.size();
  if (kind == "execs") return all.execs.size();
  if (kind == "pools") return all.pools.size();
  if (kind == "device memory") return allocations_of(MemoryKind::kDevice, MemoryKind::kPool);
  if (kind == "imported memory")
    return allocations_of(MemoryKind::kImported, MemoryKind::kImported);
  if (kind == "host memory") return allocations_of(MemoryKind::kHost, MemoryKind::kHost);
  if (kind == "registered memory") {
    return allocations_of(MemoryKind::kRegistered, MemoryKind::kRegistered);
  }
  if (kind == "managed memory") return allocations_of(MemoryKind::kManaged, MemoryKind::kManaged);
  return SIZE_MAX;
}

// Copies as much as there is room for, and tells how long the whole is.
uint64_t tell(const std::string &text, char *out, uint64_t capacity) {
  if (capacity != 0) {
    const size_t count = std::min<size_t>(text.size(), capacity - 1);
    std::memcpy(out, text.data(), count);
    out[count] = '\0';
  }
  return text.size();
}

template <class Lines>
std::string joined(const Lines &lines) {
  std::string text;
  for (const auto &line : lines) text += line + "\n";
  return text;
}

}  // namespace

int simulated_cuda_set(const char *key, const char *value) {
  const Lock lock(world().mutex);
  return world().settings.set(key, value) ? 1 : 0;
}

void simulated_cuda_fail(const char *function, uint64_t nth, int32_t result) {
  const Lock lock(world().mutex);
  world().faults.plan(function, nth, static_cast<CUresult>(result));
}

uint64_t simulated_cuda_clear_failures(void) {
  const Lock lock(world().mutex);
  const uint64_t waiting = world().faults.waiting();
  world().faults.clear();
  return waiting;
}

void simulated_cuda_hold(const char *part_of_name) {
  const Lock lock(world().mutex);
  world().held.insert(part_of_name);
}

void simulated_cuda_release(void) {
  const Lock lock(world().mutex);
  world().held.clear();
  world().changed.notify_all();
}

int64_t simulated_cuda_live(const char *kind) {
  const Lock lock(world().mutex);
  return static_cast<int64_t>(live(kind));
}

uint64_t simulated_cuda_calls(const char *function) {
  const Lock lock(world().mutex);
  return world().faults.calls(function);
}

uint64_t simulated_cuda_log(char *out, uint64_t capacity) {
  const Lock lock(world().mutex);
  return tell(joined(world().faults.logged()), out, capacity);
}

uint64_t simulated_cuda_misuse(char *out, uint64_t capacity) {
  const Lock lock(world().mutex);
  return tell(joined(world().faults.misuse()), out, capacity);
}

void simulated_cuda_forget(void) {
  const Lock lock(world().mutex);
  world().faults.forget();
}

uint64_t simulated_cuda_memory_used(int32_t device) {
  const Lock lock(world().mutex);
  const auto &devices = world().devices;
  const auto index = static_cast<size_t>(device);
  return index < devices.size() ? devices[index]->used() : 0;
}

uint64_t simulated_cuda_functions(char *out, uint64_t capacity) {
  std::string names;
#define SIMULATED(name, since, symbol) names += #name " " #since " " #symbol "\n";
#include "functions.def"
  return tell(names, out, capacity);
}
