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
