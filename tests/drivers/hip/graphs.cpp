// SPDX-License-Identifier: Apache-2.0
#include "../simulator/graph.hpp"

#include "devices.hpp"
#include "work.hpp"

using namespace simulator;

namespace {

Launch launch_of(Call &call, const hipKernelNodeParams *what) {
  require(what != nullptr);
  return simulator::launch_of(call, what->func, what->gridDim, what->blockDim, what->sharedMemBytes,
                              false, what->kernelParams, what->extra);
}

template <class MakeStep>
hipError_t add(const char *name, hipGraphNode_t *out_node, hipGraph_t graph,
               const hipGraphNode_t *after, size_t count, MakeStep &&make_step) {
  return current_call(name, [&](Call &call) {
    require(out_node != nullptr);
    const auto changed = world().graphs.get(graph);
    give(out_node, changed->add(make_step(call), nodes_of(after, count)));
  });
}

}  // namespace

SIMULATED_EXPORT hipError_t hipGraphCreate(hipGraph_t *out_graph, unsigned flags) {
  return device_call("hipGraphCreate", [&](Call &) {
    require(out_graph != nullptr && flags == 0);
    give(out_graph, world().graphs.add(std::make_shared<Graph>()));
  });
}

SIMULATED_EXPORT hipError_t hipGraphDestroy(hipGraph_t graph) {
  return device_call("hipGraphDestroy", [&](Call &) { world().graphs.take(graph)->destroy(); });
}

SIMULATED_EXPORT hipError_t hipGraphAddKernelNode(hipGraphNode_t *out_node, hipGraph_t graph,
                                                  const hipGraphNode_t *after, size_t count,
                                                  const hipKernelNodeParams *what) {
  return add("hipGraphAddKernelNode", out_node, graph, after, count,
             [&](Call &call) { return launch_of(call, what); });
}

SIMULATED_EXPORT hipError_t hipGraphAddMemcpyNode1D(hipGraphNode_t *out_node, hipGraph_t graph,
                                                    const hipGraphNode_t *after, size_t count,
                                                    void *to, const void *from, size_t size,
                                                    hipMemcpyKind kind) {
  return add("hipGraphAddMemcpyNode1D", out_node, graph, after, count, [&](Call &) {
    require(size != 0);
    const Copy copy = copy_of(to, from, size, kind);
    copy.check();
    return copy;
  });
}

SIMULATED_EXPORT hipError_t hipGraphAddMemsetNode(hipGraphNode_t *out_node, hipGraph_t graph,
                                                  const hipGraphNode_t *after, size_t count,
                                                  const hipMemsetParams *what) {
  return add("hipGraphAddMemsetNode", out_node, graph, after, count, [&](Call &) {
    require(what != nullptr);
    const Fill fill{address(what->dst), what->value,  what->elementSize,
                    what->width,        what->height, what->pitch};
    require(!fill.empty());
    fill.check();
    return fill;
  });
}

SIMULATED_EXPORT hipError_t hipGraphAddChildGraphNode(hipGraphNode_t *out_node, hipGraph_t graph,
                                                      const hipGraphNode_t *after, size_t count,
                                                      hipGraph_t child) {
  return add("hipGraphAddChildGraphNode", out_node, graph, after, count,
             [&](Call &) { return world().graphs.get(child)->copy(); });
}

SIMULATED_EXPORT hipError_t hipGraphGetNodes(hipGraph_t graph, hipGraphNode_t *out_nodes,
                                             size_t *count) {
  return device_call("hipGraphGetNodes",
                     [&](Call &) { give_nodes(*world().graphs.get(graph), out_nodes, count); });
}

SIMULATED_EXPORT hipError_t hipGraphNodeGetType(hipGraphNode_t node, hipGraphNodeType *out_type) {
  return device_call("hipGraphNodeGetType",
                     [&](Call &) { give(out_type, type_of(*world().nodes.get(node))); });
}

SIMULATED_EXPORT hipError_t hipGraphChildGraphNodeGetGraph(hipGraphNode_t node,
                                                           hipGraph_t *out_graph) {
  return device_call("hipGraphChildGraphNodeGetGraph",
                     [&](Call &) { give(out_graph, graph_of(node)); });
}

SIMULATED_EXPORT hipError_t hipGraphKernelNodeSetAttribute(hipGraphNode_t node,
                                                           hipKernelNodeAttrID attribute,
                                                           const hipKernelNodeAttrValue *value) {
  return device_call("hipGraphKernelNodeSetAttribute", [&](Call &) {
    require(value != nullptr && attribute == hipKernelNodeAttributeCooperative);
    change_launch(kernel_node(node),
                  [&](Launch &launch) { launch.cooperative = value->cooperative != 0; });
  });
}

SIMULATED_EXPORT hipError_t hipGraphInstantiateWithFlags(hipGraphExec_t *out_exec, hipGraph_t graph,
                                                         unsigned long long flags) {
  return current_call("hipGraphInstantiateWithFlags", [&](Call &) {
    require(out_exec != nullptr && flags == 0);
    const auto original = world().graphs.get(graph);
    give(out_exec, world().execs.add(std::make_shared<GraphExec>(*original)));
  });
}

SIMULATED_EXPORT hipError_t hipGraphExecDestroy(hipGraphExec_t exec) {
  return device_call("hipGraphExecDestroy", [&](Call &) {
    if (world().execs.get(exec)->running()) misused("an executable graph was destroyed in a run");
    (void)world().execs.take(exec);
  });
}

SIMULATED_EXPORT hipError_t hipGraphExecKernelNodeSetParams(hipGraphExec_t exec,
                                                            hipGraphNode_t node,
                                                            const hipKernelNodeParams *what) {
  return current_call("hipGraphExecKernelNodeSetParams", [&](Call &call) {
    const auto changed = world().execs.get(exec);
    changed->change(node, launch_of(call, what));
  });
}

SIMULATED_EXPORT hipError_t hipGraphUpload(hipGraphExec_t exec, hipStream_t stream) {
  return stream_call("hipGraphUpload", stream, [&](Call &, const auto &in) {
    (void)world().execs.get(exec);
    in->add([] { return kSuccess; });
  });
}

SIMULATED_EXPORT hipError_t hipGraphLaunch(hipGraphExec_t exec, hipStream_t stream) {
  return stream_call("hipGraphLaunch", stream,
                     [&](Call &, const auto &in) { world().execs.get(exec)->launch(*in); });
}
