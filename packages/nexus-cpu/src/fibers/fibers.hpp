// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_CPU_FIBERS_HPP_
#define NEXUS_CPU_FIBERS_HPP_

#include "fibers/fiber.hpp"
#include "fibers/stacks.hpp"

#include <nexus-api/nxs.h>
#include <cstddef>
#include <memory>
#include <vector>

namespace nexus_cpu NXS_HIDDEN {

class FiberGroup;

// The fibers of a thread, kept until it ends and used by one group after the other. The first
// stands for the thread's own stack. They stay where they are, side by side.
class Fibers {
 public:
  using Entry = void (*)(Context *fiber);  // which is a Fiber's first member; never returns

  // Of the thread that asks.
  static Fibers &mine();

  Fibers() = default;
  ~Fibers();
  Fibers(const Fibers &) = delete;
  Fibers &operator=(const Fibers &) = delete;

  // Has at least count, the first included, at most kMaxGroupItems: those that are new begin with
  // entry when they are first switched to. Throws std::system_error or std::bad_alloc; what was
  // there before still is.
  void reserve(std::size_t count, Entry entry);

  // All begin anew: what they were at is gone, without being unwound.
  void drop(Entry entry);

  Fiber *first() noexcept { return fibers_.get(); }

  // The thread that uses them. A thread that ends meanwhile, since a kernel called exit(), leaves
  // the memory that it stands on.
  FiberGroup *user = nullptr;

 private:
  void begin(std::size_t index, Entry entry);

  std::unique_ptr<Fiber[]> fibers_;
  std::size_t count_ = 0;
  struct Part {
    std::size_t first;  // the index of the fiber that has the first of the stacks
    Stacks stacks;
  };
  std::vector<Part> parts_;
};

}  // namespace nexus_cpu

#endif  // NEXUS_CPU_FIBERS_HPP_
