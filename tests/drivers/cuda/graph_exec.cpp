// SPDX-License-Identifier: Apache-2.0
#include "graph_exec.hpp"

#include "context.hpp"

#include <algorithm>

namespace simulated_cuda {
namespace {

// What an update may change of a node.
CUgraphExecUpdateResult compare(const Step &before, const Step &after) {
  if (before.type != after.type) return CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED;
  switch (before.type) {
    case CU_GRAPH_NODE_TYPE_KERNEL:
      return before.kernel->context == after.kernel->context
                 ? CU_GRAPH_EXEC_UPDATE_SUCCESS
                 : CU_GRAPH_EXEC_UPDATE_ERROR_FUNCTION_CHANGED;
    case CU_GRAPH_NODE_TYPE_MEMCPY: {
      const bool plain = before.copy.rows == 1 && after.copy.rows == 1 && before.copy.layers == 1 &&
                         after.copy.layers == 1;
      return plain ? CU_GRAPH_EXEC_UPDATE_SUCCESS : CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED;
    }
    case CU_GRAPH_NODE_TYPE_MEMSET:
      return before.fill.rows == 1 && after.fill.rows == 1
                 ? CU_GRAPH_EXEC_UPDATE_SUCCESS
                 : CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED;
    case CU_GRAPH_NODE_TYPE_GRAPH:
      if (before.child.size() != after.child.size()) {
        return CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED;
      }
      for (size_t i = 0; i < before.child.size(); ++i) {
        const auto inside = compare(*before.child[i], *after.child[i]);
        if (inside != CU_GRAPH_EXEC_UPDATE_SUCCESS) return inside;
      }
      return CU_GRAPH_EXEC_UPDATE_SUCCESS;
    default:
      return CU_GRAPH_EXEC_UPDATE_SUCCESS;
  }
}

}  // namespace

GraphExec::GraphExec(const Graph &graph, uint64_t flags)
    : members_(members_of(graph)), flags_(flags) {}

std::vector<GraphExec::Member> GraphExec::members_of(const Graph &graph) {
  std::vector<Member> members;
  std::map<CUgraphNode, size_t> places;
  for (const CUgraphNode handle : graph.in_order()) {
    const GraphNode &node = *world().nodes.get(handle);
    Member member{handle, node.child == nullptr ? node.step : child_step(*node.child), true, {}};
    for (const CUgraphNode each : node.after) member.after.push_back(places.at(each));
    std::sort(member.after.begin(), member.after.end());
    places[handle] = members.size();
    members.push_back(std::move(member));
  }
  return members;
}

void GraphExec::launch(Stream &stream) {
  std::vector<StepPtr> steps;
  for (const Member &each : members_) {
    if (each.enabled) steps.push_back(each.step);
  }
  Work work;
  work.after.push_back(last_);
  work.run = [steps = std::move(steps), context = stream.context()](CUresult) {
    for (const StepPtr &each : steps) {
      if (const CUresult result = each->run(); result != CUDA_SUCCESS) return result;
      const Lock lock(world().mutex);
      if (context->failure() != CUDA_SUCCESS || context->destroyed()) break;
    }
    return CUDA_SUCCESS;
  };
  last_ = stream.add(std::move(work));
}

const GraphExec::Member &GraphExec::member(CUgraphNode node) const {
  const auto found = std::find_if(members_.begin(), members_.end(),
                                  [node](const Member &each) { return each.node == node; });
  require(found != members_.end());
  return *found;
}

StepPtr GraphExec::step(CUgraphNode node, CUgraphNodeType type) const {
  const Member &asked = member(node);
  require(asked.step->type == type);
  return asked.step;
}

void GraphExec::change(CUgraphNode node, StepPtr step) {
  auto &changed = const_cast<Member &>(member(node));
  require(compare(*changed.step, *step) == CU_GRAPH_EXEC_UPDATE_SUCCESS);
  changed.step = std::move(step);
}

void GraphExec::enable(CUgraphNode node, bool enabled) {
  auto &changed = const_cast<Member &>(member(node));
  const auto type = changed.step->type;
  require(type == CU_GRAPH_NODE_TYPE_KERNEL || type == CU_GRAPH_NODE_TYPE_MEMSET ||
          type == CU_GRAPH_NODE_TYPE_MEMCPY);
  changed.enabled = enabled;
}

bool GraphExec::enabled(CUgraphNode node) const {
  return member(node).enabled;
}

CUgraphExecUpdateResultInfo GraphExec::update(const Graph &graph) {
  std::vector<Member> wanted = members_of(graph);
  if (wanted.size() != members_.size()) {
    return {CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED, nullptr, nullptr};
  }
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i].after != members_[i].after) {
      return {CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED, wanted[i].node, nullptr};
    }
    const auto difference = compare(*members_[i].step, *wanted[i].step);
    if (difference != CU_GRAPH_EXEC_UPDATE_SUCCESS) return {difference, wanted[i].node, nullptr};
  }
  for (size_t i = 0; i < wanted.size(); ++i) members_[i].step = wanted[i].step;
  return {CU_GRAPH_EXEC_UPDATE_SUCCESS, nullptr, nullptr};
}

}  // namespace simulated_cuda
