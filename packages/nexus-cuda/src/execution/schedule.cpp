// SPDX-License-Identifier: Apache-2.0
#include "execution/schedule.hpp"

#include <variant>

namespace nexus_cuda NXS_HIDDEN {

using nexus_plugin::gpu::CopyStep;
using nexus_plugin::gpu::DeviceStep;
using nexus_plugin::gpu::FillStep;

namespace {

// Adds a step to a graph after the node `last`, unless that is NULL, and sets last to the new node.
// The device's context must be current. Returns the driver's result.
CUresult add_step(const DeviceStep &step, CUgraph graph, CUcontext context,
                  CUgraphNode &last) noexcept {
  const CUgraphNode before = last;
  const size_t count = before == nullptr ? 0 : 1;
  if (const auto *fill = std::get_if<FillStep>(&step)) {
    const CUDA_MEMSET_NODE_PARAMS node{fill->to,      fill->pitch, fill->value,
                                       fill->element, fill->width, fill->rows};
    return cu.GraphAddMemsetNode(&last, graph, &before, count, &node, context);
  }
  const auto *copy = std::get_if<CopyStep>(&step);
  CUDA_MEMCPY3D node{};
  node.srcMemoryType = CU_MEMORYTYPE_UNIFIED;
  node.srcDevice = copy->from;
  node.dstMemoryType = CU_MEMORYTYPE_UNIFIED;
  node.dstDevice = copy->to;
  node.WidthInBytes = copy->size;
  node.Height = 1;
  node.Depth = 1;
  return cu.GraphAddMemcpyNode(&last, graph, &before, count, &node, context);
}

}  // namespace

Graph Graph::make(Device &device, std::span<const Command *const> steps) {
  constexpr const char *kMaking = "making a graph of a schedule";
  Graph made;
  CUgraph graph = nullptr;
  device.check(cu.GraphCreate(&graph, 0), kMaking);
  made.graph_.reset(graph);
  CUgraphNode last = nullptr;
  made.kernels_.reserve(steps.size());
  for (const Command *command : steps) made.add(device, *command, last);
  CUgraphExec executable = nullptr;
  device.check(cu.GraphInstantiateWithFlags(&executable, graph, 0), kMaking);
  made.executable_.reset(executable);
  return made;
}

CUresult Graph::add_kernel(const KernelCommand &kernel, CUgraphNode &last) {
  const CUgraphNode before = last;
  // Whether the kernel begins before the previous one ends; not possible after a copy or fill.
  // Drivers before CUDA 12.3 have no such edges, and the kernel begins later.
  const bool early = kernel.launch().programmatic() && !kernels_.empty() &&
                     kernels_.back().node == before && cu.GraphAddDependencies != nullptr;
  const CUDA_KERNEL_NODE_PARAMS parameters = kernel.call().node();
  CUresult result = cu.GraphAddKernelNode(&last, graph_.get(), &before,
                                          before == nullptr || early ? 0 : 1, &parameters);
  for (const CUlaunchAttribute &attribute : kernel.call().attributes()) {
    if (attribute.id == CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION) continue;
    if (result != CUDA_SUCCESS) return result;
    result = cu.GraphKernelNodeSetAttribute(last, attribute.id, &attribute.value);
  }
  if (result != CUDA_SUCCESS || !early) return result;
  constexpr CUgraphEdgeData edge{
      CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC, 0, CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC, {}};
  return cu.GraphAddDependencies(graph_.get(), &before, &last, &edge, 1);
}

// Adds the command's nodes after `last`, unless that is NULL, and sets last to the final one.
void Graph::add(Device &device, const Command &command, CUgraphNode &last) {
  if (const KernelCommand *kernel = command.kernel()) {
    if (const CUresult result = add_kernel(*kernel, last); result != CUDA_SUCCESS) {
      device.check(result, join("adding the kernel '", kernel->kernel().name(), "' to a graph"));
    }
    kernels_.push_back({last, kernel, kernel->version()});
    return;
  }
  for (const DeviceStep &step : command.transfer()->steps()) {
    device.check(add_step(step, graph_.get(), device.context(), last),
                 "adding a copy or a fill to a graph");
  }
}

void Graph::update(Device &device, uint64_t rebound) {
  for (std::size_t i = changed_, left = kernels_.size(); left != 0 && rebound != 0; ++i, --left) {
    if (i == kernels_.size()) i = 0;
    KernelNode &each = kernels_[i];
    if (each.version == each.command->version()) continue;
    const CUDA_KERNEL_NODE_PARAMS parameters = each.command->call().node();
    device.check(cu.GraphExecKernelNodeSetParams(executable_.get(), each.node, &parameters),
                 "changing the arguments of a command");
    each.version = each.command->version();
    changed_ = i;
    --rebound;
  }
}

}  // namespace nexus_cuda

using namespace nexus_cuda;

NEXUS_PLUGIN_RECORDING(Recording, nexus_plugin::gpu::schedule_properties<Gpu>)
