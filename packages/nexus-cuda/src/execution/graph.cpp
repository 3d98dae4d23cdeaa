// SPDX-License-Identifier: Apache-2.0
#include "execution/graph.hpp"

#include <utility>

namespace nexus_cuda NXS_HIDDEN {

using nexus_plugin::join;

Graph Graph::make(Device &device, std::span<const Command *const> steps) {
  constexpr const char *kMaking = "making a graph of a schedule";
  Graph made;
  device.check(cu.GraphCreate(&made.graph_, 0), kMaking);
  CUgraphNode last = nullptr;
  made.kernels_.reserve(steps.size());
  for (const Command *command : steps) made.add(device, *command, last);
  device.check(cu.GraphInstantiateWithFlags(&made.executable_, made.graph_, 0), kMaking);
  return made;
}

CUresult Graph::add_kernel(const KernelCommand &kernel, CUgraphNode &last) {
  const CUgraphNode before = last;
  // Only kernels let others begin before they end. A driver before 12.3 has no such edges: there
  // the kernel begins later, and works as well.
  const bool early = kernel.launch().programmatic() && !kernels_.empty() &&
                     kernels_.back().node == before && cu.GraphAddDependencies != nullptr;
  const CUDA_KERNEL_NODE_PARAMS parameters = kernel.node();
  CUresult result = cu.GraphAddKernelNode(&last, graph_, &before,
                                          before == nullptr || early ? 0 : 1, &parameters);
  for (const CUlaunchAttribute &attribute : kernel.attributes()) {
    if (attribute.id == CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION) continue;
    if (result != CUDA_SUCCESS) return result;
    result = cu.GraphKernelNodeSetAttribute(last, attribute.id, &attribute.value);
  }
  if (result != CUDA_SUCCESS || !early) return result;
  constexpr CUgraphEdgeData edge{
      CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC, 0, CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC, {}};
  return cu.GraphAddDependencies(graph_, &before, &last, &edge, 1);
}

// Behind the node that was added last.
void Graph::add(Device &device, const Command &command, CUgraphNode &last) {
  if (const KernelCommand *kernel = command.kernel()) {
    if (const CUresult result = add_kernel(*kernel, last); result != CUDA_SUCCESS) {
      device.check(result, join("adding the kernel '", kernel->kernel().name(), "' to a graph"));
    }
    kernels_.push_back({last, kernel, kernel->version()});
    return;
  }
  for (const DeviceStep &step : command.transfer()->steps()) {
    device.check(add_step(step, graph_, device.context(), last),
                 "adding a copy or a fill to a graph");
  }
}

void Graph::update(Device &device, uint64_t rebound) {
  for (std::size_t i = changed_, left = kernels_.size(); left != 0 && rebound != 0; ++i, --left) {
    if (i == kernels_.size()) i = 0;
    KernelNode &each = kernels_[i];
    if (each.version == each.command->version()) continue;
    const CUDA_KERNEL_NODE_PARAMS parameters = each.command->node();
    device.check(cu.GraphExecKernelNodeSetParams(executable_, each.node, &parameters),
                 "changing the arguments of a command");
    each.version = each.command->version();
    changed_ = i;
    --rebound;
  }
}

void Graph::upload(Device &device, CUstream stream) const {
  device.check(cu.GraphUpload(executable_, stream), "making a schedule ready");
}

void Graph::clear() noexcept {
  constexpr const char *kEnding = "freeing a graph";
  if (executable_ != nullptr) {
    log_unreleased(cu.GraphExecDestroy(std::exchange(executable_, nullptr)), kEnding);
  }
  if (graph_ != nullptr) log_unreleased(cu.GraphDestroy(std::exchange(graph_, nullptr)), kEnding);
  kernels_.clear();
  changed_ = 0;
}

void Graph::swap(Graph &other) noexcept {
  std::swap(graph_, other.graph_);
  std::swap(executable_, other.executable_);
  std::swap(kernels_, other.kernels_);
  std::swap(changed_, other.changed_);
}

}  // namespace nexus_cuda
