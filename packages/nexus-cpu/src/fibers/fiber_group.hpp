// SPDX-License-Identifier: Apache-2.0
//
// The work items of a group, where they wait for each other.
//
// The item that reaches a barrier first goes on on the thread's own stack; each other one
// is a fiber. Control goes round: from an item that waits straight to the next. The
// first item is the last to pass a barrier: by the time that it goes on the others are
// at the next one, or at their ends. So when it ends, all have ended.
//
// Items that can't go on are dropped where they are, without being unwound: kernels are C.
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

// Why the items of a group could not go on.
struct BarrierFailure {
  enum class Kind {
    kEnded,   // waiting waits, and other has ended
    kSites,   // the two wait at different barriers
    kMemory,  // there is no memory for stacks
    kNested   // the kernel runs within another one's item
  };
  Kind kind;
  int reason;  // kMemory: the system's
  Item group;
  Item waiting;
  int32_t site;
  Item other;
  int32_t other_site;
};

// For the groups of one part of a launch, one after the other. The thread that made it.
class FiberGroup {
 public:
  // The description of a group. Must stay until the first item has ended.
  struct Body {
    void (*run)(const void *context, const int32_t *item) = nullptr;  // an item, to its end
    const void *context = nullptr;
    Item id{};
  };

  explicit FiberGroup(const int32_t *group_size) noexcept : size_(group_size) {}
  FiberGroup(const FiberGroup &) = delete;
  FiberGroup &operator=(const FiberGroup &) = delete;

  // Calls function, which runs the groups. False where one of them could not go on; then
  // failure() says why.
  template <class Function>
  bool run(Function &&function) noexcept {
    if (_setjmp(leave_) != 0) return false;
    std::forward<Function>(function)();
    return ended_well();
  }

  // Each returns when the item may go on. Where none may, they don't return, but run() does.

  // Reached by the first item, before any other of its group.
  void start(const Body &body, const int32_t *item, int32_t site);
  // Reached by an item of the group that was started last.
  void wait(int32_t site);

  // Returns whether a group's other items run just now: a barrier that is reached is one of theirs.
  bool on_fiber() const noexcept { return current_ != first_; }
  // The item that runs just now; only where on_fiber().
  Item item_on_fiber() const noexcept { return item(static_cast<std::size_t>(current_ - first_)); }

  // Called by an item that can't go on, on any stack of the thread: run() returns false, and
  // failure() says nothing.
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
  void note_ended(const Item &waiting, int32_t site, const Item &ended);
  void drop_fibers();
  [[noreturn]] void leave();

  static constexpr std::size_t kAbandoned = ~std::size_t{0};  // as waiting_

  const int32_t *size_;
  Body body_;
  Fiber *first_ = nullptr;  // these three: while a group's first item goes on
  Fiber *end_ = nullptr;
  Fiber *current_ = nullptr;
  std::size_t others_ = 0;   // items but the first
  std::size_t waiting_ = 0;  // of them, at a barrier
  int32_t differ_ = 0;       // not 0: these wait at different ones
  Item next_item_{};         // to be run by a fiber
  Fibers *fibers_ = nullptr;
  BarrierFailure failure_{};
  std::jmp_buf leave_;
};

}  // namespace nexus_cpu

#endif  // NEXUS_CPU_FIBER_GROUP_HPP_
