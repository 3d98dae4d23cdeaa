// SPDX-License-Identifier: Apache-2.0
#include "world.hpp"

#include "call.hpp"
#include "context.hpp"
#include "device.hpp"
#include "event.hpp"
#include "graph.hpp"
#include "library.hpp"
#include "pool.hpp"
#include "stream.hpp"

#include <pthread.h>
#include <atomic>
#include <cstdlib>
#include <numeric>
#include <sstream>
#include <utility>

namespace simulator {
namespace {

std::atomic<bool> in_child{false};

// -1: there is none.
int find_device(const std::string &word, int count) {
  for (int i = 0; i < count; ++i) {
    const bool by_uuid = word.size() > 4 && ("GPU-" + uuid_text(i)).rfind(word, 0) == 0;
    if (word == std::to_string(i) || by_uuid) return i;
  }
  return -1;
}

// The numbers of those that the environment's lists show: of each, up to the first word that means
// none. A list counts what the one before has left.
std::vector<int> visible_devices(int count) {
  std::vector<int> visible(static_cast<size_t>(count));
  std::iota(visible.begin(), visible.end(), 0);
  for (const char *variable : kVisibleDevices) {
    const char *list = std::getenv(variable);
    if (list == nullptr) continue;
    std::vector<int> shown;
    std::istringstream words(list);
    for (std::string word; std::getline(words, word, ',');) {
      const int found = find_device(word, static_cast<int>(visible.size()));
      if (found < 0) break;
      shown.push_back(visible[static_cast<size_t>(found)]);
    }
    visible = std::move(shown);
  }
  return visible;
}

}  // namespace

World::World() : settings(Settings::from_environment()) {
  log.plan_from_environment();
}

void World::start() {
  const std::vector<int> visible = visible_devices(settings.devices);
  require(!visible.empty(), kNoDevice);
  for (const int number : visible) {
    const int ordinal = static_cast<int>(devices.size());
    devices.push_back(std::make_unique<Device>(ordinal, number, settings));
  }
  (void)pthread_atfork(nullptr, nullptr, [] { in_child = true; });
  initialised = true;
}

World &world() {
  static World *const only = new World;
  return *only;
}

bool forked() {
  return in_child.load(std::memory_order_relaxed);
}

Result Call::begin(const char *name, Needs needs) {
  World &all = world();
  if (on_host_function()) {
    all.log.note_misuse(std::string(name) + " within a host function");
    return kNotPermitted;
  }
  const Result planned = all.log.begin(name);
  if (planned != kSuccess || needs == Needs::kNothing) return planned;
  if (!all.initialised) return kNotInitialized;
  return needs == Needs::kInit ? kSuccess : enter(current_context());
}

Result Call::enter(Context *wanted) {
  context = wanted;
  if (context == nullptr) return kInvalidContext;
  if (context->destroyed()) return kContextIsDestroyed;
  return context->failure();
}

void misused(const std::string &what, Result result) {
  world().log.note_misuse(what);
  fail(result);
}

}  // namespace simulator
