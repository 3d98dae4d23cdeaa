// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_CUDA_SCHEDULE_HPP_
#define NEXUS_CUDA_SCHEDULE_HPP_

#include "execution/command.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace nexus_cuda NXS_HIDDEN {

// Commands as an executable graph of the driver's, which runs them one after the other. Used by one
// thread at a time.
class Graph {
 public:
  Graph() = default;
  ~Graph() { clear(); }
  Graph(Graph &&other) noexcept { swap(other); }
  Graph &operator=(Graph &&other) noexcept {
    swap(other);
    return *this;
  }

  explicit operator bool() const noexcept { return executable_ != nullptr; }
  CUgraphExec executable() const noexcept { return executable_; }

  // Of commands that are finalized, none of them nested, which outlive it. With the device's
  // context current. Throws what the driver says.
  static Graph make(Device &device, std::span<const Command *const> steps);

  // Takes over arguments that changed, of `rebound` commands at most. Throws what the driver says;
  // arguments that were not taken over yet are tried again next time.
  void update(Device &device, uint64_t rebound = UINT64_MAX);
  void launch(Enqueuing &work) const {
    work.check(cu.GraphLaunch(executable_, work.stream), "running the commands of a schedule");
  }
  // Makes ready what the first launch would.
  void upload(Device &device, CUstream stream) const;

  // Runs in flight are not disturbed.
  void clear() noexcept;

 private:
  struct KernelNode {
    CUgraphNode node;
    const KernelCommand *command;
    uint64_t version;  // of the command's arguments that it has
  };

  void add(Device &device, const Command &command, CUgraphNode &last);
  CUresult add_kernel(const KernelCommand &kernel, CUgraphNode &last);
  void swap(Graph &other) noexcept;

  CUgraph graph_ = nullptr;
  CUgraphExec executable_ = nullptr;
  std::vector<KernelNode> kernels_;
  std::size_t changed_ = 0;  // the one that changed last; often it is the same again
};

// Enqueues runs. One command is enqueued as it is. Several are enqueued at their first run, and
// become a graph while the device is busy with it; commands that changed after a run become a graph
// at their second run only, since they may change again.
class Schedule : public nexus_plugin::QueuedSchedule<Recording> {
 public:
  using QueuedSchedule::QueuedSchedule;

  // As nxsRunSchedule and nxsPrepareSchedule.
  static nxs_ticket run(const Ref<Schedule> &schedule, nxs_id stream_id,
                        nxs_execution_settings settings);
  void prepare(nxs_id stream_id);

  // ---- With the lock held ----

  // The commands or their sizes changed: what was made ready of them holds no more.
  void changed() noexcept;
  // Arguments of a command changed.
  void rebound(const KernelCommand &command) noexcept;
  // The driver's executable graph; 0 where there is none, or not yet.
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

  bool graph_follows_ = true;  // the first run: false once commands changed behind a run

  // Since the last change:
  uint64_t ready_shape_ = 0;  // 0: nothing is ready
  std::vector<const Command *> steps_;
  std::size_t driver_steps_ = 0;
  bool only_kernels_ = false;
  uint64_t runs_ = 0;
  const PooledStream *used_in_ = nullptr;  // the stream that the buffers are known to be used in
  uint64_t used_bindings_ = 0;             // with these arguments
  Graph graph_;
  uint64_t graph_bindings_ = 0;
  bool graph_refused_ = false;
};

}  // namespace nexus_cuda

#endif  // NEXUS_CUDA_SCHEDULE_HPP_
