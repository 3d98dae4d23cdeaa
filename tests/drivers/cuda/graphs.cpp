// SPDX-License-Identifier: Apache-2.0
#include "../simulator/graph.hpp"

#include "../simulator/context.hpp"
#include "kernel_launch.hpp"

#include <cstring>
#include <deque>

using namespace simulator;

namespace {

Launch launch_of(Call &call, const CUDA_KERNEL_NODE_PARAMS *what) {
  require(what != nullptr && (what->func == nullptr) != (what->kern == nullptr));
  const Handle handle = what->func != nullptr ? Handle{what->func} : Handle{what->kern};
  const CUlaunchConfig config{
      what->gridDimX,  what->gridDimY,       what->gridDimZ, what->blockDimX, what->blockDimY,
      what->blockDimZ, what->sharedMemBytes, nullptr,        nullptr,         0};
  Launch launch = launch_of(*function_of(call, handle), config);
  launch.take_parameters(what->kernelParams, what->extra);
  return launch;
}

template <class MakeStep>
CUresult add(const char *name, CUgraphNode *out_node, CUgraph graph, const CUgraphNode *after,
             size_t count, MakeStep &&make_step) {
  return call(name, Needs::kContext, [&](Call &call) {
    const auto changed = world().graphs.get(graph);
    require(out_node != nullptr);
    give(out_node, changed->add(make_step(call), nodes_of(after, count)));
  });
}

}  // namespace

SIMULATED_EXPORT CUresult cuGraphCreate(CUgraph *out_graph, unsigned flags) {
  return call("cuGraphCreate", Needs::kInit, [&](Call &) {
    require(out_graph != nullptr && flags == 0);
    give(out_graph, world().graphs.add(std::make_shared<Graph>()));
  });
}

SIMULATED_EXPORT CUresult cuGraphDestroy(CUgraph graph) {
  return call("cuGraphDestroy", Needs::kInit, [&](Call &) {
    if (world().graphs.get(graph)->is_body()) misused("the body of a node was destroyed");
    world().graphs.take(graph)->destroy();
  });
}

SIMULATED_EXPORT CUresult cuGraphConditionalHandleCreate(CUgraphConditionalHandle *out_condition,
                                                         CUgraph graph, CUcontext context,
                                                         unsigned at_launch, unsigned flags) {
  return call("cuGraphConditionalHandleCreate", Needs::kInit, [&](Call &) {
    const auto changed = world().graphs.get(graph);
    (void)context_of(context);
    require(out_condition != nullptr);
    require(flags == 0, CUDA_ERROR_NOT_SUPPORTED);  // a number at each launch is not simulated
    *out_condition = address(changed->make_condition(at_launch));
  });
}

// Only conditional nodes.
SIMULATED_EXPORT CUresult cuGraphAddNode_v2(CUgraphNode *out_node, CUgraph graph,
                                            const CUgraphNode *after, const CUgraphEdgeData *edges,
                                            size_t count, CUgraphNodeParams *what) {
  return call("cuGraphAddNode", Needs::kContext, [&](Call &) {
    const auto changed = world().graphs.get(graph);
    require(out_node != nullptr && what != nullptr);
    require(what->type == CU_GRAPH_NODE_TYPE_CONDITIONAL && edges == nullptr,
            CUDA_ERROR_NOT_SUPPORTED);
    auto &node = what->conditional;
    CUgraphNodeParams unused = *what;
    unused.type = 0;
    unused.conditional = {};
    const CUgraphNodeParams zero{};
    require(std::memcmp(&unused, &zero, sizeof(zero)) == 0);
    require(node.size == 1 && node.phGraph_out == nullptr);
    require(node.type == CU_GRAPH_COND_TYPE_IF || node.type == CU_GRAPH_COND_TYPE_WHILE);
    (void)context_of(node.ctx);
    Handle body = nullptr;
    give(out_node,
         changed->add(reinterpret_cast<Handle>(node.handle), node.type == CU_GRAPH_COND_TYPE_WHILE,
                      nodes_of(after, count), &body));
    // The driver's own, as long as the node.
    static std::deque<CUgraph> bodies;
    bodies.push_back(static_cast<CUgraph>(body));
    node.phGraph_out = &bodies.back();
  });
}

SIMULATED_EXPORT CUresult cuGraphAddKernelNode_v2(CUgraphNode *out_node, CUgraph graph,
                                                  const CUgraphNode *after, size_t count,
                                                  const CUDA_KERNEL_NODE_PARAMS *what) {
  return add("cuGraphAddKernelNode", out_node, graph, after, count,
             [&](Call &call) { return launch_of(call, what); });
}

// A copy of one row, whose addresses say whose memory they are.
SIMULATED_EXPORT CUresult cuGraphAddMemcpyNode(CUgraphNode *out_node, CUgraph graph,
                                               const CUgraphNode *after, size_t count,
                                               const CUDA_MEMCPY3D *what, CUcontext context) {
  return add("cuGraphAddMemcpyNode", out_node, graph, after, count, [&](Call &) {
    (void)context_of(context);
    require(what != nullptr && what->WidthInBytes != 0);
    require(what->Height == 1 && what->Depth == 1 && what->srcXInBytes == 0 &&
                what->dstXInBytes == 0 && what->srcMemoryType == CU_MEMORYTYPE_UNIFIED &&
                what->dstMemoryType == CU_MEMORYTYPE_UNIFIED,
            CUDA_ERROR_NOT_SUPPORTED);
    const Copy copy{anywhere(what->dstDevice), anywhere(what->srcDevice), what->WidthInBytes};
    copy.check();
    return copy;
  });
}

SIMULATED_EXPORT CUresult cuGraphAddMemsetNode(CUgraphNode *out_node, CUgraph graph,
                                               const CUgraphNode *after, size_t count,
                                               const CUDA_MEMSET_NODE_PARAMS *what,
                                               CUcontext context) {
  return add("cuGraphAddMemsetNode", out_node, graph, after, count, [&](Call &) {
    (void)context_of(context);
    require(what != nullptr);
    const Fill fill{what->dst,   what->value,  what->elementSize,
                    what->width, what->height, what->pitch};
    require(!fill.empty());
    fill.check();
    return fill;
  });
}

SIMULATED_EXPORT CUresult cuGraphAddChildGraphNode(CUgraphNode *out_node, CUgraph graph,
                                                   const CUgraphNode *after, size_t count,
                                                   CUgraph child) {
  return add("cuGraphAddChildGraphNode", out_node, graph, after, count,
             [&](Call &) { return world().graphs.get(child)->copy(); });
}

SIMULATED_EXPORT CUresult cuGraphGetNodes(CUgraph graph, CUgraphNode *out_nodes, size_t *count) {
  return call("cuGraphGetNodes", Needs::kInit,
              [&](Call &) { give_nodes(*world().graphs.get(graph), out_nodes, count); });
}

SIMULATED_EXPORT CUresult cuGraphNodeGetType(CUgraphNode node, int *out_type) {
  return call("cuGraphNodeGetType", Needs::kInit,
              [&](Call &) { give(out_type, type_of(*world().nodes.get(node))); });
}

SIMULATED_EXPORT CUresult cuGraphChildGraphNodeGetGraph(CUgraphNode node, CUgraph *out_graph) {
  return call("cuGraphChildGraphNodeGetGraph", Needs::kInit,
              [&](Call &) { give(out_graph, graph_of(node)); });
}

SIMULATED_EXPORT CUresult cuGraphKernelNodeSetAttribute(CUgraphNode node,
                                                        CUlaunchAttributeID attribute,
                                                        const CUlaunchAttributeValue *value) {
  return call("cuGraphKernelNodeSetAttribute", Needs::kContext, [&](Call &) {
    require(value != nullptr);
    change_launch(kernel_node(node), [&](Launch &launch) {
      set_attribute(launch, attribute, *value);
      require(product(launch.cluster) != 0);
      for (size_t d = 0; d < 3; ++d) require(launch.grid[d] % launch.cluster[d] == 0);
    });
  });
}

SIMULATED_EXPORT CUresult cuGraphAddDependencies_v2(CUgraph graph, const CUgraphNode *from,
                                                    const CUgraphNode *to,
                                                    const CUgraphEdgeData *edges, size_t count) {
  return call("cuGraphAddDependencies", Needs::kInit, [&](Call &) {
    const auto changed = world().graphs.get(graph);
    require(count == 0 || (from != nullptr && to != nullptr));
    for (size_t i = 0; i < count; ++i) {
      changed->depend(to[i], from[i]);
      if (edges == nullptr || edges[i].type == 0) continue;
      // A kernel that begins before the one before it has ended.
      require(edges[i].type == CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC && edges[i].to_port == 0);
      require(edges[i].from_port == CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC);
      (void)kernel_node(from[i]);
      change_launch(kernel_node(to[i]), [](Launch &launch) { launch.programmatic = true; });
    }
  });
}

SIMULATED_EXPORT CUresult cuGraphInstantiateWithFlags(CUgraphExec *out_exec, CUgraph graph,
                                                      unsigned long long flags) {
  return call("cuGraphInstantiateWithFlags", Needs::kContext, [&](Call &) {
    const auto original = world().graphs.get(graph);
    require(out_exec != nullptr && flags == 0);
    give(out_exec, world().execs.add(std::make_shared<GraphExec>(*original)));
  });
}

SIMULATED_EXPORT CUresult cuGraphExecDestroy(CUgraphExec exec) {
  return call("cuGraphExecDestroy", Needs::kInit, [&](Call &) { (void)world().execs.take(exec); });
}

SIMULATED_EXPORT CUresult cuGraphExecKernelNodeSetParams_v2(CUgraphExec exec, CUgraphNode node,
                                                            const CUDA_KERNEL_NODE_PARAMS *what) {
  return call("cuGraphExecKernelNodeSetParams", Needs::kContext, [&](Call &call) {
    const auto changed = world().execs.get(exec);
    changed->change(node, launch_of(call, what));
  });
}

SIMULATED_EXPORT CUresult cuGraphUpload(CUgraphExec exec, CUstream stream) {
  return call("cuGraphUpload", Needs::kContext, [&](Call &call) {
    (void)world().execs.get(exec);
    stream_of(call, stream)->add([] { return kSuccess; });
  });
}

SIMULATED_EXPORT CUresult cuGraphLaunch(CUgraphExec exec, CUstream stream) {
  return call("cuGraphLaunch", Needs::kInit, [&](Call &call) {
    const auto launched = world().execs.get(exec);
    launched->launch(*launching_stream(call, stream));
  });
}
