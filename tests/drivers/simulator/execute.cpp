// SPDX-License-Identifier: Apache-2.0
// Runs kernels on the host: the threads of a block are fibers of one thread, so that they can wait
// for each other.
#include "kernel_faults.hpp"
#include "launch.hpp"

#include <algorithm>
#include <vector>

#include "fibers/fibers.hpp"

namespace simulator {
namespace {

using nexus_cpu::Fiber;
using nexus_cpu::Fibers;

struct Item {
  Triple thread;
  Fiber *fiber;
};

class Blocks {
 public:
  explicit Blocks(const Launch &launch) : launch_(launch) {
    std::copy_n(launch.block.begin(), 3, block_.block_size);
    std::copy_n(launch.grid.begin(), 3, block_.grid_size);
    std::copy_n(launch.cluster.begin(), 3, block_.cluster_size);
    block_.dynamic_bytes = launch.shared;
    block_.synchronise = synchronise;
    block_.trap = [](nexus_simulated_block *) { leave(kLaunchFailed); };
  }

  Result run() {
    mine = this;
    launch_.object->image()->enter(&block_);
    const Triple &grid = launch_.grid;
    for (block_.block[2] = 0; block_.block[2] < grid[2]; ++block_.block[2]) {
      for (block_.block[1] = 0; block_.block[1] < grid[1]; ++block_.block[1]) {
        for (block_.block[0] = 0; block_.block[0] < grid[0]; ++block_.block[0]) {
          run_block();
          if (failure_ != kSuccess) return end();
        }
      }
    }
    return end();
  }

 private:
  Result end() {
    if (failure_ != kSuccess) Fibers::mine().drop(enter);
    mine = nullptr;
    return failure_;
  }

  void run_block() {
    constexpr unsigned char kGarbageByte = 0xa5;
    std::fill_n(static_cast<unsigned char *>(block_.dynamic_memory), block_.dynamic_bytes,
                kGarbageByte);
    all_in_one_ = launch_.code->has_barriers == 0;
    if (all_in_one_) {
      Item whole{{0, 0, 0}, fiber(1)};
      (void)resume(whole);
      return;
    }
    std::vector<Item> waiting = start_all();
    while (!waiting.empty() && failure_ == kSuccess) {
      std::vector<Item> again;
      for (Item &item : waiting) {
        if (resume(item)) again.push_back(item);
        if (failure_ != kSuccess) return;
      }
      waiting = std::move(again);
    }
  }

  // Those that wait at a barrier.
  std::vector<Item> start_all() {
    std::vector<Item> waiting;
    size_t next = 1;
    std::vector<Fiber *> free;
    for_each_thread([&](const Triple &thread) {
      if (free.empty()) free.push_back(fiber(next++));
      Item item{thread, free.back()};
      if (!resume(item)) return;
      free.pop_back();
      waiting.push_back(item);
    });
    return waiting;
  }

  template <class Function>
  void for_each_thread(Function &&function) {
    const Triple &size = launch_.block;
    for (uint32_t z = 0; z < size[2]; ++z) {
      for (uint32_t y = 0; y < size[1]; ++y) {
        for (uint32_t x = 0; x < size[0]; ++x) {
          if (failure_ == kSuccess) function(Triple{x, y, z});
        }
      }
    }
  }

  static Fiber *fiber(size_t index) {
    Fibers &fibers = Fibers::mine();
    fibers.reserve(index + 1, enter);
    return fibers.first() + index;
  }

  // Continues a thread; returns whether it waits then.
  bool resume(Item &item) {
    std::copy_n(item.thread.begin(), 3, block_.thread);
    current_ = item.fiber;
    waits_ = false;
    Fiber &own = *Fibers::mine().first();
    nexus_cpu::begin_own_fiber(own);
    nexus_cpu::switch_fiber(own, *item.fiber);
    current_ = nullptr;
    return waits_;
  }

  void run_current() {
    const auto run = [this](const Triple &thread) {
      std::copy_n(thread.begin(), 3, block_.thread);
      launch_.code->run(&block_, launch_.parameters.data());
    };
    if (all_in_one_) return for_each_thread(run);
    launch_.code->run(&block_, launch_.parameters.data());
  }

  // The function of a fiber: runs one thread of a kernel after the other.
  static void enter(nexus_cpu::Context *context) {
    auto *fiber = reinterpret_cast<Fiber *>(context);
    nexus_cpu::entered_fiber(*fiber, *Fibers::mine().first());
    for (;;) {
      begin_kernel_code(__builtin_frame_address(0), [](Result failure) { leave(failure); });
      mine->run_current();
      switch_to_own();
    }
  }

  static void switch_to_own() {
    end_kernel_code();
    nexus_cpu::switch_fiber(*mine->current_, *Fibers::mine().first());
  }

  static void synchronise(nexus_simulated_block *) {
    void *const stack = kernel_stack();
    mine->waits_ = true;
    switch_to_own();
    begin_kernel_code(stack, [](Result failure) { leave(failure); });
  }

  // The kernel ends here, without being unwound.
  static void leave(Result failure) {
    mine->failure_ = failure;
    switch_to_own();
  }

  static thread_local Blocks *mine;

  const Launch &launch_;
  nexus_simulated_block block_{};
  Fiber *current_ = nullptr;
  bool waits_ = false;
  bool all_in_one_ = false;  // no barriers: one fiber runs all threads
  Result failure_ = kSuccess;
};

thread_local Blocks *Blocks::mine = nullptr;

}  // namespace

Result execute(const Launch &launch) {
  catch_faults_of_kernels();
  return Blocks(launch).run();
}

}  // namespace simulator
