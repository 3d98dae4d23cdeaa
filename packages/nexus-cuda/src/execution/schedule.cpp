// SPDX-License-Identifier: Apache-2.0
// Schedules and their commands: the kit's, with the driver's launches and graphs.
#include "execution/condition.hpp"
#include "execution/launch_call.hpp"
#include "memory/buffer.hpp"
#include "stream/stream.hpp"

#include <nexus-plugin/gpu/row_copy.hpp>
#include <nexus-plugin/gpu/schedule.hpp>

namespace nexus_cuda NXS_HIDDEN {

struct Recording
    : nexus_plugin::RecordingOf<devices, kernels, buffers, streams,
                                nexus_plugin::gpu::KernelCommand<Gpu>,
                                nexus_plugin::gpu::Transfer<Gpu>, nexus_plugin::gpu::Schedule<Gpu>,
                                nexus_plugin::gpu::Captured<Gpu>> {};

CUresult Gpu::add(CUgraphNode *out, CUgraph graph, NativeNodes after,
                  const nexus_plugin::gpu::CopyStep &copy, Device &device) noexcept {
  CUDA_MEMCPY3D node{};
  node.srcMemoryType = CU_MEMORYTYPE_UNIFIED;
  node.srcDevice = copy.from;
  node.dstMemoryType = CU_MEMORYTYPE_UNIFIED;
  node.dstDevice = copy.to;
  node.WidthInBytes = copy.size;
  node.Height = 1;
  node.Depth = 1;
  return cu.GraphAddMemcpyNode(out, graph, after.data(), after.size(), &node, device.context());
}

CUresult Gpu::add(CUgraphNode *out, CUgraph graph, NativeNodes after,
                  const nexus_plugin::gpu::FillStep &fill, Device &device) noexcept {
  const CUDA_MEMSET_NODE_PARAMS node{fill.to,      fill.pitch, fill.value,
                                     fill.element, fill.width, fill.rows};
  return cu.GraphAddMemsetNode(out, graph, after.data(), after.size(), &node, device.context());
}

CUresult Gpu::add(CUgraphNode *out, CUgraph graph, NativeNodes after, const LaunchCall &call,
                  bool after_kernel) noexcept {
  // Whether the kernel begins before the previous one ends; not possible after a copy or fill.
  // Drivers before CUDA 12.3 have no such edges, and the kernel begins later.
  bool early = false;
  const CUDA_KERNEL_NODE_PARAMS parameters = call.node();
  for (const CUlaunchAttribute &attribute : call.attributes()) {
    early |= attribute.id == CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION &&
             after_kernel && cu.GraphAddDependencies != nullptr;
  }
  CUresult result =
      cu.GraphAddKernelNode(out, graph, after.data(), early ? 0 : after.size(), &parameters);
  for (const CUlaunchAttribute &attribute : call.attributes()) {
    if (attribute.id == CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION) continue;
    if (result != CUDA_SUCCESS) return result;
    result = cu.GraphKernelNodeSetAttribute(*out, attribute.id, &attribute.value);
  }
  if (result != CUDA_SUCCESS || !early) return result;
  constexpr CUgraphEdgeData edge{
      CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC, 0, CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC, {}};
  return cu.GraphAddDependencies(graph, after.data(), out, &edge, 1);
}

CUresult Gpu::change(CUgraphExec executable, CUgraphNode node, const LaunchCall &call) noexcept {
  const CUDA_KERNEL_NODE_PARAMS parameters = call.node();
  return cu.GraphExecKernelNodeSetParams(executable, node, &parameters);
}

}  // namespace nexus_cuda

using namespace nexus_cuda;

NEXUS_PLUGIN_RECORDING(Recording, nexus_plugin::gpu::schedule_properties<Gpu>)
NEXUS_PLUGIN_GPU_CAPTURE(Gpu, streams)
NEXUS_PLUGIN_GPU_ROWS(Gpu)
