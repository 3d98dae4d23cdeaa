// SPDX-License-Identifier: Apache-2.0
#include "graph.hpp"

#include "context.hpp"

#include <algorithm>
#include <set>

namespace simulator {

GraphNode &kernel_node(Handle handle) {
  GraphNode &node = *world().nodes.get(handle);
  require(std::holds_alternative<Launch>(*node.step));
  return node;
}

void Graph::check_member(Handle node) const {
  require(world().nodes.get(node)->graph == this);
}

Handle Graph::add(Step step, std::vector<Handle> after) {
  const std::set<Handle> unique(after.begin(), after.end());
  require(unique.size() == after.size());
  for (const Handle each : unique) check_member(each);
  GraphNode node{this, std::make_shared<const Step>(std::move(step)), std::move(after)};
  nodes_.push_back(world().nodes.add(std::make_shared<GraphNode>(std::move(node))));
  return nodes_.back();
}

void Graph::depend(Handle node, Handle on) {
  check_member(node);
  check_member(on);
  auto &after = world().nodes.get(node)->after;
  require(std::find(after.begin(), after.end(), on) == after.end());
  after.push_back(on);
}

std::vector<Handle> Graph::in_order() const {
  std::vector<Handle> order;
  std::set<Handle> placed;
  while (order.size() < nodes_.size()) {
    const auto ready = [&](Handle node) {
      const auto &after = world().nodes.get(node)->after;
      return !placed.contains(node) && std::all_of(after.begin(), after.end(), [&](Handle each) {
        return placed.contains(each);
      });
    };
    const auto next = std::find_if(nodes_.rbegin(), nodes_.rend(), ready);
    require(next != nodes_.rend());
    placed.insert(*next);
    order.push_back(*next);
  }
  return order;
}

void Graph::destroy() {
  for (const Handle node : nodes_) (void)world().nodes.take(node);
  nodes_.clear();
}

GraphExec::GraphExec(const Graph &graph) {
  for (const Handle node : graph.in_order()) {
    members_.push_back({node, world().nodes.get(node)->step});
  }
}

void GraphExec::launch(Stream &stream) {
  Work work;
  work.after.push_back(last_);
  work.run = [members = members_, context = stream.context()] {
    for (const Member &each : members) {
      const Result result = std::visit([](const auto &step) { return step.run(); }, *each.step);
      if (result != kSuccess) return result;
      const Lock lock(world().mutex);
      if (context->broken()) break;
    }
    return kSuccess;
  };
  last_ = stream.add(std::move(work));
}

void GraphExec::change(Handle node, Launch launch) {
  const auto changed = std::find_if(members_.begin(), members_.end(),
                                    [node](const Member &each) { return each.node == node; });
  require(changed != members_.end() && std::holds_alternative<Launch>(*changed->step));
  const Launch &before = std::get<Launch>(*changed->step);
  require(launch.context == before.context);
  launch.cluster = before.cluster;
  launch.cooperative = before.cooperative;
  launch.programmatic = before.programmatic;
  changed->step = std::make_shared<const Step>(std::move(launch));
}

}  // namespace simulator
