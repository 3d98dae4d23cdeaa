// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_CPU_DISPATCH_HPP_
#define NEXUS_CPU_DISPATCH_HPP_

#include "execution/buffer.hpp"
#include "execution/fault.hpp"
#include "execution/work.hpp"
#include "fibers/fiber_group.hpp"
#include "fibers/plain_range.hpp"
#include "objects/kernel.hpp"

#include <nexus-kernel/cpu/descriptor.h>
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <nexus-plugin/kernel/arguments.hpp>
#include <nexus-plugin/kernel/launch.hpp>
#include <optional>
#include <vector>

namespace nexus_cpu NXS_HIDDEN {

// A buffer argument; keeps the buffer alive for the command.
struct BufferArgument {
  std::size_t index;
  nexus_plugin::Ref<Buffer> buffer;
  uint64_t offset;  // bytes from the buffer's start
};
using BufferArguments = std::vector<BufferArgument>;

// A fault of a kernel, and the group and item in which it happened.
struct KernelFault {
  Fault fault;
  Item group;
  std::optional<Item> item;  // id within the group; empty if unknown
};

using ArgumentList = nexus_plugin::Arguments<Buffer>::List;

// The measured run time of a command, kept when its arguments change.
class RunTime {
 public:
  // The nanoseconds that one thread needs; UINT64_MAX before the first run.
  uint64_t expected() const noexcept { return ns_.load(std::memory_order_relaxed); }
  void learn(uint64_t ns) noexcept { ns_.store(ns, std::memory_order_relaxed); }

 private:
  std::atomic<uint64_t> ns_{UINT64_MAX};
};

// Returns the group size for a launch without one: rows as long as possible along x, and enough
// groups for all threads, but no more than that.
nexus_plugin::Size3 choose_group_size(const uint64_t (&grid_size)[3]);

// A kernel with its arguments and sizes, in the form that the kernel reads. One unit is one group.
// The arguments are a snapshot: a change of them needs a new Dispatch.
class Dispatch final : public Work {
 public:
  Dispatch(nexus_plugin::Ref<Kernel> kernel, const ArgumentList &arguments,
           const nexus_plugin::Launch &launch, std::shared_ptr<RunTime> run_time);
  Dispatch(const Dispatch &) = delete;
  Dispatch &operator=(const Dispatch &) = delete;

  void run(uint64_t begin, uint64_t end, unsigned worker) noexcept override;
  void finish(uint64_t busy_ns) override;
  uint64_t expected_ns() const noexcept override { return run_time_->expected(); }

 private:
  struct Local {
    std::size_t argument;  // its index
    uint64_t offset;       // bytes from the start of a thread's block
  };

  void pack(const ArgumentList &arguments);
  void pack_local_memory(const ArgumentList &arguments, uint64_t extra);
  void run_groups(uint64_t begin, uint64_t end, void *const *arguments, void *local) noexcept;
  // plain holds the caller of a plain C function while that runs.
  void call_kernel(FiberGroup &groups, uint64_t begin, uint64_t end, void *const *arguments,
                   void *local, std::optional<PlainRange> &plain) noexcept;

  // Runs the groups of a launch with guarded memory one by one. A fault ends the run, and its group
  // is known.
  struct Watched;
  bool run_watched(FiberGroup &groups, uint64_t begin, uint64_t end, void *const *arguments,
                   void *local) noexcept;
  static void caught(void *watched, const Fault &fault) noexcept;

  nexus_plugin::Ref<Kernel> kernel_;
  BufferArguments buffers_;
  std::shared_ptr<RunTime> run_time_;
  nexus_cpu_sizes sizes_;
  const bool guarded_ = GuardedMemory::wanted();
  PlainCaller caller_ = nullptr;

  std::vector<void *> pointers_;   // the kernel's arguments
  std::vector<void *> addresses_;  // range convention: what the pointers of buffers point to
  struct alignas(16) Chunk {
    std::byte bytes[16];
  };
  std::vector<Chunk> scalars_;

  std::vector<Local> locals_;
  uint64_t local_stride_ = 0;  // bytes of one thread's block
  uint64_t local_extra_ = 0;   // the offset of the command's own local memory in it
  struct Free {
    void operator()(void *memory) const noexcept { std::free(memory); }
  };
  std::unique_ptr<std::byte, Free> local_memory_;

  // Set when the current run has failed, so that the rest of its groups is skipped.
  std::atomic<bool> failed_{false};
  // Written by the thread that set failed_: the fault if there was one, else the barrier's failure.
  std::optional<KernelFault> fault_;
  BarrierFailure failure_{};
};

}  // namespace nexus_cpu

#endif  // NEXUS_CPU_DISPATCH_HPP_
