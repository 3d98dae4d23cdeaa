// SPDX-License-Identifier: Apache-2.0
// Nodes are added to a graph, and changed in it.
#include "graph.hpp"

using namespace simulated_cuda;

namespace {

template <class MakeStep>
CUresult add(const char *name, CUgraphNode *out_node, CUgraph graph, const CUgraphNode *after,
             size_t count, MakeStep &&make_step) {
  // A current context is wanted by kernels only, which say so themselves.
  return call(name, Needs::kContext, [&](Call &call) {
    const auto changed = world().graphs.get(graph);
    require(out_node != nullptr);
    *out_node = changed->add(make_step(call), after, count);
  });
}

template <class MakeStep>
CUresult change(const char *name, CUgraphNode node, CUgraphNodeType type, MakeStep &&make_step) {
  return call(name, Needs::kContext,
              [&](Call &call) { node_of(node, type).step = make_step(call); });
}

}  // namespace

SIMULATED_EXPORT CUresult cuGraphAddKernelNode_v2(CUgraphNode *out_node, CUgraph graph,
                                                  const CUgraphNode *after, size_t count,
                                                  const CUDA_KERNEL_NODE_PARAMS *what) {
  return add("cuGraphAddKernelNode", out_node, graph, after, count,
             [&](Call &call) { return kernel_step(call, what); });
}

SIMULATED_EXPORT CUresult cuGraphKernelNodeSetParams_v2(CUgraphNode node,
                                                        const CUDA_KERNEL_NODE_PARAMS *what) {
  return change("cuGraphKernelNodeSetParams", node, CU_GRAPH_NODE_TYPE_KERNEL, [&](Call &call) {
    return as_before(*world().nodes.get(node)->step, kernel_step(call, what));
  });
}

SIMULATED_EXPORT CUresult cuGraphKernelNodeSetAttribute(CUgraphNode node, int32_t attribute,
                                                        const CUlaunchAttributeValue *value) {
  return change("cuGraphKernelNodeSetAttribute", node, CU_GRAPH_NODE_TYPE_KERNEL, [&](Call &) {
    require(value != nullptr);
    const StepPtr before = world().nodes.get(node)->step;
    auto launch = std::make_shared<Launch>(*before->kernel);
    if (attribute == CU_LAUNCH_ATTRIBUTE_COOPERATIVE) {
      launch->cooperative = value->cooperative != 0;
    } else if (attribute == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION) {
      launch->cluster = {value->clusterDim.x, value->clusterDim.y, value->clusterDim.z};
      require(product(launch->cluster) != 0);
      for (size_t d = 0; d < 3; ++d) require(launch->grid[d] % launch->cluster[d] == 0);
    } else {
      require(attribute == CU_LAUNCH_ATTRIBUTE_PRIORITY);
    }
    auto step = std::make_shared<Step>(*before);
    step->kernel = std::move(launch);
    return step;
  });
}

SIMULATED_EXPORT CUresult cuGraphAddMemcpyNode(CUgraphNode *out_node, CUgraph graph,
                                               const CUgraphNode *after, size_t count,
                                               const CUDA_MEMCPY3D *what, CUcontext context) {
  return add("cuGraphAddMemcpyNode", out_node, graph, after, count,
             [&](Call &) { return copy_step(what, context); });
}

SIMULATED_EXPORT CUresult cuGraphAddMemsetNode(CUgraphNode *out_node, CUgraph graph,
                                               const CUgraphNode *after, size_t count,
                                               const CUDA_MEMSET_NODE_PARAMS *what,
                                               CUcontext context) {
  return add("cuGraphAddMemsetNode", out_node, graph, after, count,
             [&](Call &) { return fill_step(what, context); });
}

SIMULATED_EXPORT CUresult cuGraphAddHostNode(CUgraphNode *out_node, CUgraph graph,
                                             const CUgraphNode *after, size_t count,
                                             const CUDA_HOST_NODE_PARAMS *what) {
  return add("cuGraphAddHostNode", out_node, graph, after, count,
             [&](Call &) { return host_step(what); });
}

SIMULATED_EXPORT CUresult cuGraphHostNodeSetParams(CUgraphNode node,
                                                   const CUDA_HOST_NODE_PARAMS *what) {
  return change("cuGraphHostNodeSetParams", node, CU_GRAPH_NODE_TYPE_HOST,
                [&](Call &) { return host_step(what); });
}

SIMULATED_EXPORT CUresult cuGraphAddEmptyNode(CUgraphNode *out_node, CUgraph graph,
                                              const CUgraphNode *after, size_t count) {
  return add("cuGraphAddEmptyNode", out_node, graph, after, count,
             [&](Call &) { return std::make_shared<Step>(); });
}

SIMULATED_EXPORT CUresult cuGraphAddEventRecordNode(CUgraphNode *out_node, CUgraph graph,
                                                    const CUgraphNode *after, size_t count,
                                                    CUevent event) {
  return add("cuGraphAddEventRecordNode", out_node, graph, after, count,
             [&](Call &) { return event_step(CU_GRAPH_NODE_TYPE_EVENT_RECORD, event); });
}

SIMULATED_EXPORT CUresult cuGraphAddEventWaitNode(CUgraphNode *out_node, CUgraph graph,
                                                  const CUgraphNode *after, size_t count,
                                                  CUevent event) {
  return add("cuGraphAddEventWaitNode", out_node, graph, after, count,
             [&](Call &) { return event_step(CU_GRAPH_NODE_TYPE_WAIT_EVENT, event); });
}

SIMULATED_EXPORT CUresult cuGraphAddChildGraphNode(CUgraphNode *out_node, CUgraph graph,
                                                   const CUgraphNode *after, size_t count,
                                                   CUgraph child) {
  return call("cuGraphAddChildGraphNode", Needs::kContext, [&](Call &) {
    const auto changed = world().graphs.get(graph);
    const auto added = world().graphs.get(child);
    require(out_node != nullptr && changed != added);
    const CUgraphNode made = changed->add(child_step(*added), after, count);
    world().nodes.get(made)->child = added->clone();
    *out_node = made;
  });
}

SIMULATED_EXPORT CUresult cuGraphChildGraphNodeGetGraph(CUgraphNode node, CUgraph *out_graph) {
  return call("cuGraphChildGraphNodeGetGraph", Needs::kInit, [&](Call &) {
    GraphNode &asked = node_of(node, CU_GRAPH_NODE_TYPE_GRAPH);
    if (asked.child_handle == nullptr) asked.child_handle = world().graphs.add(asked.child);
    give(out_graph, asked.child_handle);
  });
}
