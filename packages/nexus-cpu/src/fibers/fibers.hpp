// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_CPU_FIBERS_HPP_
#define NEXUS_CPU_FIBERS_HPP_

#include "fibers/context.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

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

inline constexpr uint64_t kMaxGroupItems = 4096;
inline constexpr uint64_t kMaxLocalMemory = uint64_t{1} << 20;  // bytes of one group

// A fiber: a flow of control with its own stack, which its thread switches to and from. It never
// changes its thread.
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
#if defined(NEXUS_CPU_ASAN)
  // Else memory that is mapped here later would have the red zones of this stack.
  __asan_unpoison_memory_region(fiber.stack_begin, fiber.stack_size);
#elif defined(NEXUS_CPU_TSAN)
  if (fiber.sanitizer != nullptr) __tsan_destroy_fiber(fiber.sanitizer);
  fiber.sanitizer = nullptr;
#endif
}

// Returns the bytes of stack for a work item that waits at barriers: the setting cpu.fiber_stack,
// else 64 KiB. Read once.
std::size_t fiber_stack_size();

// Stacks of the same size in one mapping. Below each is a guard of kGuard bytes, where every access
// faults: a stack overflow ends the process and corrupts nothing. Memory is allocated when first
// touched. Not thread-safe.
class Stacks {
 public:
  static constexpr std::size_t kGuard = 64 * 1024;

  // size: bytes of one stack, rounded up to the page size. Throws std::system_error with the
  // system's reason.
  Stacks(std::size_t count, std::size_t size);
  ~Stacks();
  Stacks(Stacks &&other) noexcept;

  // The lowest byte of a stack, and its size.
  void *begin(std::size_t index) const noexcept { return memory_ + index * stride() + kGuard; }
  std::size_t size() const noexcept { return size_; }

  // Leaks the memory.
  void leave() noexcept { memory_ = nullptr; }

 private:
  std::size_t stride() const noexcept { return kGuard + size_; }

  std::byte *memory_ = nullptr;
  std::size_t count_ = 0;
  std::size_t size_ = 0;
};

class FiberGroup;

// The fibers of a thread, kept until it ends and used by one group after the other. The first
// represents the thread's own stack. They are contiguous and never move.
class Fibers {
 public:
  using Entry = void (*)(Context *fiber);  // fiber is a Fiber's first member; never returns

  // Returns the calling thread's fibers.
  static Fibers &mine();

  Fibers() = default;
  ~Fibers();
  Fibers(const Fibers &) = delete;
  Fibers &operator=(const Fibers &) = delete;

  // Makes at least count fibers, including the first; at most kMaxGroupItems. New ones start with
  // entry when they are first switched to. Throws std::system_error or std::bad_alloc; then the
  // fibers are unchanged.
  void reserve(std::size_t count, Entry entry);

  // Resets all fibers to start with entry, without unwinding them.
  void drop(Entry entry);

  Fiber *first() noexcept { return fibers_.get(); }

  // The group that uses the fibers. If the thread ends meanwhile, since a kernel called exit(), the
  // memory is leaked, as its stack is in it.
  FiberGroup *user = nullptr;

 private:
  void begin(std::size_t index, Entry entry);

  std::unique_ptr<Fiber[]> fibers_;
  std::size_t count_ = 0;
  struct Part {
    std::size_t first;  // the index of the fiber with the first of the stacks
    Stacks stacks;
  };
  std::vector<Part> parts_;
};

}  // namespace nexus_cpu

#endif  // NEXUS_CPU_FIBERS_HPP_
