// SPDX-License-Identifier: Apache-2.0
//
// What tests ask of the simulation itself, at any time on any thread: tests/simulated.py has these
// functions for Python, and says what each does. No such function is in a real driver.
#include "call.hpp"
#include "context.hpp"
#include "device.hpp"
#include "event.hpp"
#include "graph.hpp"
#include "library.hpp"
#include "pool.hpp"
#include "stream.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <string>

using namespace simulator;

namespace {

size_t count_contexts() {
  const auto &all = world().contexts.all();
  return static_cast<size_t>(std::count_if(
      all.begin(), all.end(), [](const auto &each) { return !each.second->destroyed(); }));
}

// -1: no such kind.
int64_t count_live(const std::string &kind) {
  const World &all = world();
  if (const auto own = all.more_kinds.find(kind); own != all.more_kinds.end()) return own->second();
  std::map<std::string, size_t> counts{
      {"contexts", count_contexts()},      {"streams", all.streams.size()},
      {"events", all.events.size()},       {"modules", all.modules.size()},
      {"libraries", all.libraries.size()}, {"graphs", all.graphs.size()},
      {"nodes", all.nodes.size()},         {"execs", all.execs.size()},
      {"pools", all.pools.size()}};
  // By MemoryKind.
  const std::array<const char *, 7> memory{"device memory",   "device memory", "",
                                           "imported memory", "host memory",   "registered memory",
                                           "managed memory"};
  for (const char *each : memory) counts[each];
  for (const auto &[begin, each] : all.allocations.all()) {
    ++counts[memory[static_cast<size_t>(each.kind)]];
  }
  const auto found = counts.find(kind);
  return found == counts.end() ? -1 : static_cast<int64_t>(found->second);
}

}  // namespace

uint64_t simulator::tell(const std::vector<std::string> &lines, char *out, uint64_t capacity) {
  std::string text;
  for (const std::string &line : lines) text += line + "\n";
  if (capacity != 0) {
    const size_t count = std::min<size_t>(text.size(), capacity - 1);
    std::memcpy(out, text.data(), count);
    out[count] = '\0';
  }
  return text.size();
}

SIMULATED_EXPORT int simulated_set(const char *key, const char *value) {
  const Lock lock(world().mutex);
  return world().settings.set(key, value) ? 1 : 0;
}

SIMULATED_EXPORT void simulated_fail(const char *function, uint64_t nth, int32_t result) {
  const Lock lock(world().mutex);
  world().log.plan(function, nth, static_cast<Result>(result));
}

SIMULATED_EXPORT uint64_t simulated_clear_failures(void) {
  const Lock lock(world().mutex);
  const uint64_t waiting = world().log.waiting();
  world().log.clear();
  return waiting;
}

SIMULATED_EXPORT void simulated_hold(const char *part_of_name) {
  const Lock lock(world().mutex);
  world().held.insert(part_of_name);
}

SIMULATED_EXPORT void simulated_release(void) {
  const Lock lock(world().mutex);
  world().held.clear();
  world().changed.notify_all();
}

SIMULATED_EXPORT int64_t simulated_live(const char *kind) {
  const Lock lock(world().mutex);
  return count_live(kind);
}

SIMULATED_EXPORT uint64_t simulated_calls(const char *function) {
  const Lock lock(world().mutex);
  return world().log.calls(function);
}

SIMULATED_EXPORT uint64_t simulated_log(char *out, uint64_t capacity) {
  const Lock lock(world().mutex);
  return tell(world().log.lines(), out, capacity);
}

SIMULATED_EXPORT uint64_t simulated_misuse(char *out, uint64_t capacity) {
  const Lock lock(world().mutex);
  return tell(world().log.misuse(), out, capacity);
}

SIMULATED_EXPORT void simulated_forget(void) {
  const Lock lock(world().mutex);
  world().log.forget();
}

SIMULATED_EXPORT uint64_t simulated_memory_used(int32_t device) {
  const Lock lock(world().mutex);
  const auto &devices = world().devices;
  const auto index = static_cast<size_t>(device);
  return index < devices.size() ? devices[index]->used() : 0;
}
