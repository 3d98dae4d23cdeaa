// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_CUDA_SCHEDULE_HPP_
#define NEXUS_CUDA_SCHEDULE_HPP_

#include "execution/command.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

namespace nexus_cuda NXS_HIDDEN {

// Destroys a graph. Runs in flight complete.
struct GraphDeleter {
  void operator()(CUgraph graph) const noexcept {
    log_unreleased(cu.GraphDestroy(graph), "destroying a graph");
  }
  void operator()(CUgraphExec executable) const noexcept {
    log_unreleased(cu.GraphExecDestroy(executable), "destroying a graph");
  }
};

// An executable graph of the driver that runs commands one after the other; may be empty. One
// thread at a time.
class Graph {
 public:
  explicit operator bool() const noexcept { return executable_ != nullptr; }
  CUgraphExec executable() const noexcept { return executable_.get(); }

  // Makes a graph of finalized commands, none of them a nested schedule, which outlive it. The
  // device's context must be current. Throws the driver's error.
  static Graph make(Device &device, std::span<const Command *const> steps);

  // Copies changed arguments of up to `rebound` commands to the graph. Throws the driver's error;
  // the next call copies the rest.
  void update(Device &device, uint64_t rebound = UINT64_MAX);
  void launch(Enqueuing &work) const {
    work.check(cu.GraphLaunch(executable(), work.stream), "running the commands of a schedule");
  }
  // Prepares the first launch.
  void upload(Device &device, CUstream stream) const {
    device.check(cu.GraphUpload(executable(), stream), "preparing a schedule");
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

// A run with one driver step enqueues it. With several, the first run enqueues them and then makes
// a graph for the next ones, while the device is busy. If commands have changed after a run, the
// second run makes the graph, since they may change again.
class Schedule : public nexus_plugin::QueuedSchedule<Recording> {
 public:
  using QueuedSchedule::QueuedSchedule;

  // Implement nxsRunSchedule and nxsPrepareSchedule.
  static nxs_ticket run(const Ref<Schedule> &schedule, nxs_id stream_id,
                        nxs_execution_settings settings);
  void prepare(nxs_id stream_id);

  // ---- The lock must be held ----

  // Called when the commands or their sizes have changed.
  void changed() noexcept;
  // Called when arguments of a command have changed.
  void rebound(const KernelCommand &command) noexcept;
  // Returns the executable graph; 0 if there is none.
  uintptr_t native_graph() const noexcept {
    return reinterpret_cast<uintptr_t>(graph_.executable());
  }

 private:
  using RunLock = nexus_plugin::RunLock<Recording>;

  nxs_ticket run(nxs_id stream_id);
  void make_ready(const RunLock &lock);
  nxs_ticket submit(const RunLock &lock, Stream &stream);
  bool only_launches(uint64_t bindings) const noexcept;
  void enqueue(Enqueuing &work, const PooledStream &pooled, uint64_t bindings);
  void note_used(const PooledStream &pooled, uint64_t bindings);
  bool wants_graph() const noexcept { return driver_steps_ > 1 && !graph_refused_; }
  void make_graph(uint64_t bindings);
  void update_graph(uint64_t bindings);

  bool graph_after_first_run_ = true;  // false once commands have changed after a run

  // Since the last change:
  uint64_t ready_shape_ = 0;            // the shape that the members below are for; 0: none
  std::vector<const Command *> steps_;  // without nested schedules
  std::size_t driver_steps_ = 0;        // calls of the driver, or nodes of a graph
  bool only_kernels_ = false;
  uint64_t runs_ = 0;
  const PooledStream *used_in_ = nullptr;  // the stream that was noted in the buffers,
  uint64_t used_bindings_ = 0;             // for these arguments
  Graph graph_;
  uint64_t graph_bindings_ = 0;  // the arguments that the graph has
  bool graph_refused_ = false;   // the driver could not make a graph
};

}  // namespace nexus_cuda

#endif  // NEXUS_CUDA_SCHEDULE_HPP_
