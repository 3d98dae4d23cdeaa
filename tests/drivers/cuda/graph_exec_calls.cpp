// SPDX-License-Identifier: Apache-2.0
#include "graph_exec.hpp"

using namespace simulated_cuda;

namespace {

constexpr unsigned long long kInstantiateFlags = 15;

template <class MakeStep>
CUresult change(const char *name, CUgraphExec exec, CUgraphNode node, CUgraphNodeType type,
                MakeStep &&make_step) {
  return call(name, Needs::kContext, [&](Call &call) {
    const auto changed = world().execs.get(exec);
    (void)changed->step(node, type);
    changed->change(node, make_step(call));
  });
}

}  // namespace

SIMULATED_EXPORT CUresult cuGraphInstantiateWithFlags(CUgraphExec *out_exec, CUgraph graph,
                                                      unsigned long long flags) {
  return call("cuGraphInstantiateWithFlags", Needs::kContext, [&](Call &) {
    const auto original = world().graphs.get(graph);
    require(out_exec != nullptr && flags <= kInstantiateFlags);
    *out_exec = world().execs.add(std::make_shared<GraphExec>(*original, flags));
  });
}

SIMULATED_EXPORT CUresult cuGraphInstantiateWithParams(CUgraphExec *out_exec, CUgraph graph,
                                                       CUDA_GRAPH_INSTANTIATE_PARAMS *params) {
  return call("cuGraphInstantiateWithParams", Needs::kContext, [&](Call &) {
    const auto original = world().graphs.get(graph);
    require(out_exec != nullptr && params != nullptr && params->flags <= kInstantiateFlags);
    params->hErrNode_out = nullptr;
    params->result_out = 1;  // CUDA_GRAPH_INSTANTIATE_ERROR, until it succeeds
    *out_exec = world().execs.add(std::make_shared<GraphExec>(*original, params->flags));
    params->result_out = 0;
  });
}

SIMULATED_EXPORT CUresult cuGraphExecGetFlags(CUgraphExec exec, uint64_t *out_flags) {
  return call("cuGraphExecGetFlags", Needs::kInit,
              [&](Call &) { give(out_flags, world().execs.get(exec)->flags()); });
}

SIMULATED_EXPORT CUresult cuGraphExecDestroy(CUgraphExec exec) {
  return call("cuGraphExecDestroy", Needs::kInit, [&](Call &) { (void)world().execs.take(exec); });
}

SIMULATED_EXPORT CUresult cuGraphUpload(CUgraphExec exec, CUstream stream) {
  return call("cuGraphUpload", Needs::kContext, [&](Call &call) {
    (void)world().execs.get(exec);
    stream_of(call, stream)->add([] { return CUDA_SUCCESS; });
  });
}

SIMULATED_EXPORT CUresult cuGraphLaunch(CUgraphExec exec, CUstream stream) {
  return call("cuGraphLaunch", Needs::kInit, [&](Call &call) {
    const auto launched = world().execs.get(exec);
    launched->launch(*launching_stream(call, stream));
  });
}

SIMULATED_EXPORT CUresult cuGraphExecKernelNodeSetParams_v2(CUgraphExec exec, CUgraphNode node,
                                                            const CUDA_KERNEL_NODE_PARAMS *what) {
  return change("cuGraphExecKernelNodeSetParams", exec, node, CU_GRAPH_NODE_TYPE_KERNEL,
                [&](Call &call) {
                  return as_before(*world().execs.get(exec)->step(node, CU_GRAPH_NODE_TYPE_KERNEL),
                                   kernel_step(call, what));
                });
}

SIMULATED_EXPORT CUresult cuGraphExecMemcpyNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                                         const CUDA_MEMCPY3D *what,
                                                         CUcontext context) {
  return change("cuGraphExecMemcpyNodeSetParams", exec, node, CU_GRAPH_NODE_TYPE_MEMCPY,
                [&](Call &) { return copy_step(what, context); });
}

SIMULATED_EXPORT CUresult cuGraphExecMemsetNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                                         const CUDA_MEMSET_NODE_PARAMS *what,
                                                         CUcontext context) {
  return change("cuGraphExecMemsetNodeSetParams", exec, node, CU_GRAPH_NODE_TYPE_MEMSET,
                [&](Call &) { return fill_step(what, context); });
}

SIMULATED_EXPORT CUresult cuGraphExecHostNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                                       const CUDA_HOST_NODE_PARAMS *what) {
  return change("cuGraphExecHostNodeSetParams", exec, node, CU_GRAPH_NODE_TYPE_HOST,
                [&](Call &) { return host_step(what); });
}

SIMULATED_EXPORT CUresult cuGraphExecChildGraphNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                                             CUgraph child) {
  return change("cuGraphExecChildGraphNodeSetParams", exec, node, CU_GRAPH_NODE_TYPE_GRAPH,
                [&](Call &) { return child_step(*world().graphs.get(child)); });
}

SIMULATED_EXPORT CUresult cuGraphExecEventRecordNodeSetEvent(CUgraphExec exec, CUgraphNode node,
                                                             CUevent event) {
  return change("cuGraphExecEventRecordNodeSetEvent", exec, node, CU_GRAPH_NODE_TYPE_EVENT_RECORD,
                [&](Call &) { return event_step(CU_GRAPH_NODE_TYPE_EVENT_RECORD, event); });
}

SIMULATED_EXPORT CUresult cuGraphExecEventWaitNodeSetEvent(CUgraphExec exec, CUgraphNode node,
                                                           CUevent event) {
  return change("cuGraphExecEventWaitNodeSetEvent", exec, node, CU_GRAPH_NODE_TYPE_WAIT_EVENT,
                [&](Call &) { return event_step(CU_GRAPH_NODE_TYPE_WAIT_EVENT, event); });
}

SIMULATED_EXPORT CUresult cuGraphNodeSetEnabled(CUgraphExec exec, CUgraphNode node,
                                                unsigned enabled) {
  return call("cuGraphNodeSetEnabled", Needs::kInit,
              [&](Call &) { world().execs.get(exec)->enable(node, enabled != 0); });
}

SIMULATED_EXPORT CUresult cuGraphNodeGetEnabled(CUgraphExec exec, CUgraphNode node,
                                                unsigned *out_enabled) {
  return call("cuGraphNodeGetEnabled", Needs::kInit,
              [&](Call &) { give(out_enabled, world().execs.get(exec)->enabled(node) ? 1u : 0u); });
}

SIMULATED_EXPORT CUresult cuGraphExecUpdate_v2(CUgraphExec exec, CUgraph graph,
                                               CUgraphExecUpdateResultInfo *out_info) {
  return call("cuGraphExecUpdate", Needs::kContext, [&](Call &) {
    const auto changed = world().execs.get(exec);
    const auto wanted = world().graphs.get(graph);
    require(out_info != nullptr);
    *out_info = changed->update(*wanted);
    require(out_info->result == CU_GRAPH_EXEC_UPDATE_SUCCESS, CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
  });
}
