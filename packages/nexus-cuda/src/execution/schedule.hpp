// SPDX-License-Identifier: Apache-2.0
// Schedules and their commands: the kit's, with the driver's launches and graphs.
#ifndef NEXUS_CUDA_SCHEDULE_HPP_
#define NEXUS_CUDA_SCHEDULE_HPP_

#include "execution/launch_call.hpp"
#include "memory/buffer.hpp"
#include "stream/stream.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <nexus-plugin/gpu/schedule.hpp>
#include <span>
#include <type_traits>
#include <vector>

namespace nexus_cuda NXS_HIDDEN {

using KernelCommand = nexus_plugin::gpu::KernelCommand<Gpu>;
using Schedule = nexus_plugin::gpu::Schedule<Gpu>;
using Transfer = nexus_plugin::gpu::Transfer<Gpu>;

struct Recording : nexus_plugin::RecordingOf<devices, kernels, buffers, streams, KernelCommand,
                                             Transfer, Schedule> {};

using Command = nexus_plugin::Command<Recording>;

// Destroys a graph. Runs in flight complete.
struct GraphDeleter {
  void operator()(CUgraph graph) const noexcept {
    errors.log_unreleased(cu.GraphDestroy(graph), "destroying a graph");
  }
  void operator()(CUgraphExec executable) const noexcept {
    errors.log_unreleased(cu.GraphExecDestroy(executable), "destroying a graph");
  }
};

// The driver's graphs; the kit's NoGraph says what the members do.
class Graph {
 public:
  static constexpr bool wanted(const Device &) noexcept { return true; }
  explicit operator bool() const noexcept { return executable_ != nullptr; }
  uintptr_t native() const noexcept { return reinterpret_cast<uintptr_t>(executable_.get()); }

  static Graph make(Device &device, std::span<const Command *const> steps);
  void update(Device &device, uint64_t rebound = UINT64_MAX);
  void launch(nexus_plugin::gpu::Enqueuing<Gpu> &work) const {
    work.check(cu.GraphLaunch(executable_.get(), work.stream),
               "running the commands of a schedule");
  }
  void upload(Device &device, CUstream stream) const {
    device.check(cu.GraphUpload(executable_.get(), stream), "preparing a schedule");
  }

 private:
  struct KernelNode {
    CUgraphNode node;
    const KernelCommand *command;
    uint64_t version;  // of the command when its arguments were copied
  };

  void add(Device &device, const Command &command, CUgraphNode &last);
  CUresult add_kernel(const KernelCommand &kernel, CUgraphNode &last);

  std::unique_ptr<std::remove_pointer_t<CUgraph>, GraphDeleter> graph_;
  std::unique_ptr<std::remove_pointer_t<CUgraphExec>, GraphDeleter> executable_;
  std::vector<KernelNode> kernels_;
  std::size_t changed_ = 0;  // the kernel that changed last, which often changes again
};

}  // namespace nexus_cuda

#endif  // NEXUS_CUDA_SCHEDULE_HPP_
