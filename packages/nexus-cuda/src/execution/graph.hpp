// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_CUDA_GRAPH_HPP_
#define NEXUS_CUDA_GRAPH_HPP_

#include "execution/kernel_command.hpp"
#include "execution/transfer.hpp"

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

  // Takes over the arguments that have changed since. Throws what the driver says; the graph is
  // then as it was, but for arguments that were taken over before, and is asked again next time.
  // rebound: so many commands have changed, at most.
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

}  // namespace nexus_cuda

#endif  // NEXUS_CUDA_GRAPH_HPP_
