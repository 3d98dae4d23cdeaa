// SPDX-License-Identifier: Apache-2.0
//
// The work items of a group that wait for each other.
//
// The first item runs on the thread's own stack; each other one is a fiber. Control goes round:
// from a waiting item directly to the next. The first item is the last to pass a barrier: when it
// goes on, the others wait at the next barrier or have ended. So when it ends, all have ended.
//
// Items that can't go on are dropped without unwinding: kernels are C.
#ifndef NEXUS_CPU_FIBER_GROUP_HPP_
#define NEXUS_CPU_FIBER_GROUP_HPP_

#include "fibers/fibers.hpp"

#include <nexus-api/nxs.h>
#include <array>
#include <csetjmp>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace nexus_cpu NXS_HIDDEN {

using Item = std::array<int32_t, 3>;  // x, y and z

// The reason why the items of a group could not go on.
struct BarrierFailure {
  enum class Kind {
    kEnded,   // waiting waits at a barrier, and other has ended
    kSites,   // waiting and other wait at different barriers
    kMemory,  // no memory for stacks
    kNested   // the kernel was started by an item of another one
  };
  Kind kind;
  int reason;  // kMemory: errno
  Item group;
  Item waiting;
  int32_t site;
  Item other;
  int32_t other_site;
};

// Runs the groups of one part of a launch, one after the other. Only for the thread that made it.
class FiberGroup {
 public:
  // The description of a group. Must stay valid until the first item has ended.
  struct Body {
    void (*run)(const void *context, const int32_t *item) = nullptr;  // runs an item to its end
    const void *context = nullptr;
    Item id{};
  };

  explicit FiberGroup(const int32_t *group_size) noexcept : size_(group_size) {}
  FiberGroup(const FiberGroup &) = delete;
  FiberGroup &operator=(const FiberGroup &) = delete;

  // Calls function, which runs the groups. Returns false if a group could not go on; failure() has
  // the reason.
  template <class Function>
  bool run(Function &&function) noexcept {
    if (_setjmp(leave_) != 0) return false;
    std::forward<Function>(function)();
    return ended_well();
  }

  // Each returns when the item may go on. If no item may, run() returns instead.

  // Called when the first item reaches a barrier before the others of its group have run.
  void start(const Body &body, const int32_t *item, int32_t site);
  // Called when an item of the latest started group reaches a barrier.
  void wait(int32_t site);

  // Returns whether an item other than the first is running, on its fiber.
  bool on_fiber() const noexcept { return current_ != first_; }
  // Returns the running item. Requires on_fiber().
  Item item_on_fiber() const noexcept { return item(static_cast<std::size_t>(current_ - first_)); }

  // Called by an item that can't go on, on any stack of the thread: makes run() return false,
  // without a failure().
  [[noreturn]] void abandon() noexcept;

  const BarrierFailure &failure() const noexcept { return failure_; }

 private:
  static void enter(Context *context);
  void run_next_item(Fiber *fiber);
  void wait_first(int32_t site);
  void go_on_with_next(Fiber *fiber);
  void go_round();
  void take_fibers(std::size_t count);
  bool ended_well();

  std::size_t find(bool waiting) const noexcept;
  Item item(std::size_t index) const noexcept;
  using Kind = BarrierFailure::Kind;
  void note(Kind kind, const Item &waiting = {}, int32_t site = 0, const Item &other = {},
            int32_t other_site = 0);
  [[noreturn]] void give_up(Kind kind, const Item &waiting = {}, int32_t site = 0,
                            const Item &other = {}, int32_t other_site = 0);
  void drop_fibers();
  [[noreturn]] void leave();

  static constexpr std::size_t kAbandoned = ~std::size_t{0};  // a value of waiting_

  const int32_t *size_;
  Body body_;
  Fiber *first_ = nullptr;  // the next three are set by take_fibers()
  Fiber *end_ = nullptr;
  Fiber *current_ = nullptr;
  std::size_t others_ = 0;   // the number of items without the first
  std::size_t waiting_ = 0;  // how many of them wait at a barrier
  int32_t differ_ = 0;       // not 0 if they wait at different barriers
  Item next_item_{};         // the next item that a fiber runs
  Fibers *fibers_ = nullptr;
  BarrierFailure failure_{};
  std::jmp_buf leave_;
};

}  // namespace nexus_cpu

#endif  // NEXUS_CPU_FIBER_GROUP_HPP_
