// SPDX-License-Identifier: Apache-2.0
#include "system/usable_processors.hpp"

#include <algorithm>
#include <fstream>
#include <numeric>
#include <string>
#include <thread>
#if defined(__linux__)
#include <pthread.h>
#include <sched.h>
#endif

namespace nexus_cpu NXS_HIDDEN {
namespace {

#if defined(__linux__)
// Larger than cpu_set_t, which ends at 1024 processors.
constexpr std::size_t kSets = 16;
constexpr std::size_t kMostProcessors = kSets * CPU_SETSIZE;

// Returns whether a lower number is a thread of the same core.
bool shares_core_with_lower(unsigned processor) {
  std::ifstream file("/sys/devices/system/cpu/cpu" + std::to_string(processor) +
                     "/topology/thread_siblings_list");
  unsigned first = processor;  // the list is in ascending order
  file >> first;
  return first < processor;
}
#endif

}  // namespace

std::size_t count_usable_processors() {
#if defined(__linux__)
  cpu_set_t sets[kSets];
  if (sched_getaffinity(0, sizeof(sets), sets) == 0) {
    const int count = CPU_COUNT_S(sizeof(sets), sets);
    if (count > 0) return static_cast<std::size_t>(count);
  }
#endif
  return std::max(1U, std::thread::hardware_concurrency());
}

std::vector<unsigned> usable_processors() {
  std::vector<unsigned> usable;
#if defined(__linux__)
  cpu_set_t sets[kSets];
  if (sched_getaffinity(0, sizeof(sets), sets) == 0) {
    for (unsigned i = 0; i < kMostProcessors; ++i) {
      if (CPU_ISSET_S(i, sizeof(sets), sets)) usable.push_back(i);
    }
  }
  std::stable_partition(usable.begin(), usable.end(),
                        [](unsigned processor) { return !shares_core_with_lower(processor); });
#endif
  if (usable.empty()) {
    usable.resize(std::max(1U, std::thread::hardware_concurrency()));
    std::iota(usable.begin(), usable.end(), 0U);
  }
  return usable;
}

bool pin_to(std::thread &thread, unsigned processor) noexcept {
#if defined(__linux__)
  if (processor >= kMostProcessors) return false;
  cpu_set_t sets[kSets];
  CPU_ZERO_S(sizeof(sets), sets);
  CPU_SET_S(processor, sizeof(sets), sets);
  return pthread_setaffinity_np(thread.native_handle(), sizeof(sets), sets) == 0;
#else
  (void)thread, (void)processor;
  return false;
#endif
}

}  // namespace nexus_cpu
