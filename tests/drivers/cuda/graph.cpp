// SPDX-License-Identifier: Apache-2.0
#include "graph.hpp"

#include <algorithm>
#include <set>

namespace simulated_cuda {

void Graph::check_member(CUgraphNode node) const {
  require(&world().nodes.get(node)->graph() == this);
}

CUgraphNode Graph::add(StepPtr step, const CUgraphNode *after, size_t count) {
  require(count == 0 || after != nullptr);
  const std::set<CUgraphNode> unique(after, after + count);
  require(unique.size() == count);
  for (const CUgraphNode each : unique) check_member(each);
  auto made = std::make_shared<GraphNode>(*this, std::move(step));
  made->after.assign(after, after + count);
  made->handle = world().nodes.add(made);
  nodes_.push_back(made->handle);
  return made->handle;
}

std::vector<CUgraphNode> Graph::in_order() const {
  std::vector<CUgraphNode> order;
  std::set<CUgraphNode> placed;
  while (order.size() < nodes_.size()) {
    const size_t before = order.size();
    for (const CUgraphNode node : nodes_) {
      const auto &after = world().nodes.get(node)->after;
      const bool ready = std::all_of(after.begin(), after.end(),
                                     [&](CUgraphNode each) { return placed.contains(each); });
      if (!ready || !placed.insert(node).second) continue;
      order.push_back(node);
    }
    require(order.size() > before);
  }
  return order;
}

void Graph::remove(CUgraphNode node) {
  check_member(node);
  std::erase(nodes_, node);
  const auto gone = world().nodes.take(node);
  if (gone->child != nullptr) gone->child->destroy();
  for (const CUgraphNode each : nodes_) std::erase(world().nodes.get(each)->after, node);
}

void Graph::destroy() {
  for (const CUgraphNode node : nodes_) {
    const auto gone = world().nodes.take(node);
    if (gone->child != nullptr) gone->child->destroy();
  }
  nodes_.clear();
}

std::shared_ptr<Graph> Graph::clone() const {
  auto copy = std::make_shared<Graph>();
  std::map<CUgraphNode, CUgraphNode> twins;
  for (const CUgraphNode node : in_order()) {
    const auto original = world().nodes.get(node);
    std::vector<CUgraphNode> after;
    for (const CUgraphNode each : original->after) after.push_back(twins.at(each));
    const CUgraphNode twin = copy->add(original->step, after.data(), after.size());
    const auto &made = world().nodes.get(twin);
    made->cloned_from = node;
    if (original->child != nullptr) made->child = original->child->clone();
    twins[node] = twin;
  }
  return copy;
}

GraphNode &node_of(CUgraphNode handle, CUgraphNodeType type) {
  GraphNode &node = *world().nodes.get(handle);
  require(node.step->type == type);
  return node;
}

namespace {

// Edges on which a kernel begins before the one before it has ended: between kernels only.
void take_edge(const CUgraphEdgeData &edge, CUgraphNode from, CUgraphNode to) {
  require(edge.to_port == 0);
  if (edge.type == 0) return require(edge.from_port == 0);
  require(edge.type == CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC);
  require(edge.from_port == CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC ||
          edge.from_port == CU_GRAPH_KERNEL_NODE_PORT_LAUNCH_ORDER);
  (void)node_of(from, CU_GRAPH_NODE_TYPE_KERNEL);
  GraphNode &early = node_of(to, CU_GRAPH_NODE_TYPE_KERNEL);
  auto launch = std::make_shared<Launch>(*early.step->kernel);
  launch->programmatic = true;
  auto step = std::make_shared<Step>(*early.step);
  step->kernel = std::move(launch);
  early.step = std::move(step);
}

// Of an array that is filled as far as it has room, or whose size is asked.
void tell_nodes(CUgraphNode *out, size_t *count, const std::vector<CUgraphNode> &nodes) {
  require(count != nullptr);
  if (out == nullptr) {
    *count = nodes.size();
    return;
  }
  for (size_t i = 0; i < *count; ++i) out[i] = i < nodes.size() ? nodes[i] : nullptr;
  *count = std::min(*count, nodes.size());
}

}  // namespace
}  // namespace simulated_cuda

using namespace simulated_cuda;

SIMULATED_EXPORT CUresult cuGraphCreate(CUgraph *out_graph, unsigned flags) {
  return call("cuGraphCreate", Needs::kInit, [&](Call &) {
    require(out_graph != nullptr && flags == 0);
    *out_graph = world().graphs.add(std::make_shared<Graph>());
  });
}

SIMULATED_EXPORT CUresult cuGraphDestroy(CUgraph graph) {
  return call("cuGraphDestroy", Needs::kInit,
              [&](Call &) { world().graphs.take(graph)->destroy(); });
}

SIMULATED_EXPORT CUresult cuGraphClone(CUgraph *out_clone, CUgraph graph) {
  return call("cuGraphClone", Needs::kInit, [&](Call &) {
    const auto original = world().graphs.get(graph);
    require(out_clone != nullptr);
    *out_clone = world().graphs.add(original->clone());
  });
}

SIMULATED_EXPORT CUresult cuGraphNodeFindInClone(CUgraphNode *out_node, CUgraphNode original,
                                                 CUgraph clone) {
  return call("cuGraphNodeFindInClone", Needs::kInit, [&](Call &) {
    const auto searched = world().graphs.get(clone);
    require(out_node != nullptr);
    for (const CUgraphNode node : searched->nodes()) {
      if (world().nodes.get(node)->cloned_from == original) return give(out_node, node);
    }
    fail(CUDA_ERROR_INVALID_VALUE);
  });
}

SIMULATED_EXPORT CUresult cuGraphGetNodes(CUgraph graph, CUgraphNode *out_nodes, size_t *count) {
  return call("cuGraphGetNodes", Needs::kInit,
              [&](Call &) { tell_nodes(out_nodes, count, world().graphs.get(graph)->nodes()); });
}

SIMULATED_EXPORT CUresult cuGraphGetRootNodes(CUgraph graph, CUgraphNode *out_nodes,
                                              size_t *count) {
  return call("cuGraphGetRootNodes", Needs::kInit, [&](Call &) {
    std::vector<CUgraphNode> roots;
    for (const CUgraphNode node : world().graphs.get(graph)->nodes()) {
      if (world().nodes.get(node)->after.empty()) roots.push_back(node);
    }
    tell_nodes(out_nodes, count, roots);
  });
}

SIMULATED_EXPORT CUresult cuGraphNodeGetType(CUgraphNode node, CUgraphNodeType *out_type) {
  return call("cuGraphNodeGetType", Needs::kInit,
              [&](Call &) { give(out_type, world().nodes.get(node)->step->type); });
}

SIMULATED_EXPORT CUresult cuGraphNodeGetDependencies(CUgraphNode node, CUgraphNode *out_nodes,
                                                     size_t *count) {
  return call("cuGraphNodeGetDependencies", Needs::kInit,
              [&](Call &) { tell_nodes(out_nodes, count, world().nodes.get(node)->after); });
}

SIMULATED_EXPORT CUresult cuGraphAddDependencies_v2(CUgraph graph, const CUgraphNode *from,
                                                    const CUgraphNode *to,
                                                    const CUgraphEdgeData *edges, size_t count) {
  return call("cuGraphAddDependencies", Needs::kInit, [&](Call &) {
    const auto changed = world().graphs.get(graph);
    require(count == 0 || (from != nullptr && to != nullptr));
    for (size_t i = 0; i < count; ++i) {
      changed->check_member(from[i]);
      changed->check_member(to[i]);
      if (edges != nullptr) take_edge(edges[i], from[i], to[i]);
      auto &after = world().nodes.get(to[i])->after;
      require(std::find(after.begin(), after.end(), from[i]) == after.end());
      after.push_back(from[i]);
    }
  });
}

SIMULATED_EXPORT CUresult cuGraphAddDependencies(CUgraph graph, const CUgraphNode *from,
                                                 const CUgraphNode *to, size_t count) {
  return cuGraphAddDependencies_v2(graph, from, to, nullptr, count);
}

SIMULATED_EXPORT CUresult cuGraphRemoveDependencies(CUgraph graph, const CUgraphNode *from,
                                                    const CUgraphNode *to, size_t count) {
  return call("cuGraphRemoveDependencies", Needs::kInit, [&](Call &) {
    const auto changed = world().graphs.get(graph);
    require(count == 0 || (from != nullptr && to != nullptr));
    for (size_t i = 0; i < count; ++i) {
      changed->check_member(to[i]);
      require(std::erase(world().nodes.get(to[i])->after, from[i]) == 1);
    }
  });
}

SIMULATED_EXPORT CUresult cuGraphDestroyNode(CUgraphNode node) {
  return call("cuGraphDestroyNode", Needs::kInit,
              [&](Call &) { world().nodes.get(node)->graph().remove(node); });
}
