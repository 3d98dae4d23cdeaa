// SPDX-License-Identifier: Apache-2.0
//
// A fiber: a flow of control with its own stack, which its thread switches to and from. It never
// changes its thread.
#ifndef NEXUS_CPU_FIBER_HPP_
#define NEXUS_CPU_FIBER_HPP_

#include "fibers/context.hpp"

#include <nexus-api/nxs.h>
#include <cstddef>
#include <cstdint>

#if defined(__SANITIZE_ADDRESS__)
#define NEXUS_CPU_ASAN 1
#elif defined(__SANITIZE_THREAD__)
#define NEXUS_CPU_TSAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define NEXUS_CPU_ASAN 1
#elif __has_feature(thread_sanitizer)
#define NEXUS_CPU_TSAN 1
#endif
#endif

#if defined(NEXUS_CPU_ASAN)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#elif defined(NEXUS_CPU_TSAN)
#include <sanitizer/tsan_interface.h>
#endif

namespace nexus_cpu NXS_HIDDEN {

struct alignas(64) Fiber {
  Context context;
  int32_t site;  // the barrier that it waits at
  bool waiting;
#if defined(NEXUS_CPU_ASAN)
  const void *stack_begin;
  std::size_t stack_size;
  void *fake_stack;  // the stack on which the sanitizer keeps local variables
#elif defined(NEXUS_CPU_TSAN)
  void *sanitizer;  // the sanitizer's data of this fiber
#endif
};

// Makes the fiber start with entry(its context).
inline void begin_fiber(Fiber &fiber, void *stack, std::size_t size, void (*entry)(Context *)) {
#if defined(NEXUS_CPU_ASAN)
  // Removes red zones of an earlier fiber that was dropped on this stack.
  __asan_unpoison_memory_region(stack, size);
  fiber.stack_begin = stack;
  fiber.stack_size = size;
#elif defined(NEXUS_CPU_TSAN)
  if (fiber.sanitizer != nullptr) __tsan_destroy_fiber(fiber.sanitizer);
  fiber.sanitizer = __tsan_create_fiber(0);
#endif
  prepare(fiber.context, stack, size, entry);
}

// Makes the fiber represent the thread's own stack, on which this is called.
inline void begin_own_fiber([[maybe_unused]] Fiber &fiber) {
#if defined(NEXUS_CPU_TSAN)
  fiber.sanitizer = __tsan_get_current_fiber();
#endif
  read_modes(fiber.context);
}

// Called first by the entry of a fiber; left is the fiber from which the thread switched.
inline void entered_fiber([[maybe_unused]] Fiber &entered, [[maybe_unused]] Fiber &left) {
#if defined(NEXUS_CPU_ASAN)
  const void *begin = nullptr;
  std::size_t size = 0;
  __sanitizer_finish_switch_fiber(entered.fake_stack, &begin, &size);
  left.stack_begin = begin;
  left.stack_size = size;
#endif
}

[[gnu::always_inline]] inline void switch_fiber(Fiber &from, Fiber &to) noexcept {
#if defined(NEXUS_CPU_ASAN)
  __sanitizer_start_switch_fiber(&from.fake_stack, to.stack_begin, to.stack_size);
#elif defined(NEXUS_CPU_TSAN)
  __tsan_switch_to_fiber(to.sanitizer, 0);
#endif
  switch_context(from.context, to.context);
#if defined(NEXUS_CPU_ASAN)
  __sanitizer_finish_switch_fiber(from.fake_stack, nullptr, nullptr);
#endif
}

// Called before the fiber's stack is unmapped.
inline void end_fiber([[maybe_unused]] Fiber &fiber) {
#if defined(NEXUS_CPU_TSAN)
  if (fiber.sanitizer != nullptr) __tsan_destroy_fiber(fiber.sanitizer);
  fiber.sanitizer = nullptr;
#endif
}

}  // namespace nexus_cpu

#endif  // NEXUS_CPU_FIBER_HPP_
