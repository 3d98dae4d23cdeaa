// SPDX-License-Identifier: Apache-2.0
#include "world.hpp"

#include "call.hpp"
#include "context.hpp"
#include "device.hpp"
#include "event.hpp"
#include "graph.hpp"
#include "graph_exec.hpp"
#include "library.hpp"
#include "pool.hpp"
#include "stream.hpp"
#include "visible_devices.hpp"

#include <pthread.h>
#include <atomic>

namespace simulated_cuda {
namespace {

std::atomic<bool> in_child{false};

}  // namespace

World::World() : settings(Settings::from_environment()) {
  faults.plan_from_environment();
}

World &world() {
  static World *const only = new World;
  return *only;
}

bool forked() {
  return in_child.load(std::memory_order_relaxed);
}

CUresult Call::begin(const char *name, Needs needs) {
  World &all = world();
  if (on_host_function()) {
    all.faults.note_misuse(std::string(name) + " within a host function");
    return CUDA_ERROR_NOT_PERMITTED;
  }
  const CUresult planned = all.faults.begin(name);
  if (planned != CUDA_SUCCESS) return planned;
  if (needs == Needs::kNothing) return CUDA_SUCCESS;
  if (!all.initialised) return CUDA_ERROR_NOT_INITIALIZED;
  if (needs == Needs::kInit) return CUDA_SUCCESS;
  return enter(current_context());
}

CUresult Call::enter(Context *wanted) {
  context = wanted;
  if (context == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
  if (context->destroyed()) return CUDA_ERROR_CONTEXT_IS_DESTROYED;
  return context->failure();
}

void misused(const std::string &what, CUresult result) {
  world().faults.note_misuse(what);
  fail(result);
}

}  // namespace simulated_cuda

using namespace simulated_cuda;

SIMULATED_EXPORT CUresult cuInit(unsigned flags) {
  return call("cuInit", Needs::kNothing, [&](Call &) {
    World &all = world();
    require(flags == 0);
    if (all.initialised) return;
    require(all.settings.init_result == 0, static_cast<CUresult>(all.settings.init_result));
    const std::vector<int> visible = visible_devices(all.settings.devices);
    require(!visible.empty(), CUDA_ERROR_NO_DEVICE);
    for (const int number : visible) {
      const int ordinal = static_cast<int>(all.devices.size());
      all.devices.push_back(std::make_unique<Device>(ordinal, number, all.settings));
    }
    (void)pthread_atfork(nullptr, nullptr, [] { in_child = true; });
    all.initialised = true;
  });
}

SIMULATED_EXPORT CUresult cuDriverGetVersion(int *out_version) {
  return call("cuDriverGetVersion", Needs::kNothing,
              [&](Call &) { give(out_version, world().settings.driver_version); });
}
