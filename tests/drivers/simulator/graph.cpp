// SPDX-License-Identifier: Apache-2.0
#include "graph.hpp"

#include "context.hpp"

#include <algorithm>
#include <set>
#include <type_traits>
#include <utility>

namespace simulator {

GraphNode &kernel_node(Handle handle) {
  GraphNode &node = *world().nodes.get(handle);
  require(std::holds_alternative<Launch>(*node.step));
  return node;
}

Handle graph_of(Handle node) {
  const StepPtr step = world().nodes.get(node)->step;
  require(std::holds_alternative<Part>(*step));
  return std::get<Part>(*step).graph;
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
  for (const Handle node : nodes_) {
    const auto taken = world().nodes.take(node);
    const auto *conditional = std::get_if<Conditional>(taken->step.get());
    if (conditional != nullptr) world().graphs.take(conditional->body)->destroy();
    const auto *part = std::get_if<Part>(taken->step.get());
    if (part != nullptr) world().graphs.take(part->graph)->destroy();
  }
  // They stay, since executable graphs, and their launches in flight, set them.
  for (const Handle condition : conditions_) world().conditions.get(condition)->graph = nullptr;
  nodes_.clear();
  conditions_.clear();
}

Handle Graph::make_condition(uint32_t number) {
  auto made = std::make_shared<GraphCondition>(GraphCondition{this, false, number});
  conditions_.push_back(world().conditions.add(std::move(made)));
  return conditions_.back();
}

Handle Graph::add(Handle condition, bool loops, std::vector<Handle> after, Handle *out_body) {
  const auto decides = world().conditions.get(condition);
  require(decides->graph == this && !decides->has_node);
  const auto body = std::make_shared<Graph>();
  body->is_body_ = true;
  *out_body = world().graphs.add(body);
  decides->has_node = true;
  return add(Conditional{decides, loops, *out_body}, std::move(after));
}

Result set_condition(uintptr_t handle, uint32_t number) {
  const Lock lock(world().mutex);
  const auto &all = world().conditions.all();
  const auto found = all.find(reinterpret_cast<Handle>(handle));
  if (found == all.end()) return kIllegalAddress;
  found->second->number = number;
  return kSuccess;
}

static Result run(const Step &step) {
  return std::visit([](const auto &each) { return each.run(); }, step);
}

Result Part::run() const {
  for (const auto &each : steps) {
    const Result result = std::visit([](const auto &step) { return step.run(); }, each);
    if (result != kSuccess) return result;
  }
  return kSuccess;
}

Part Graph::copy() const {
  std::vector<StepPtr> steps;
  for (const Handle node : in_order()) steps.push_back(world().nodes.get(node)->step);
  return part_of(steps);
}

Part part_of(const std::vector<StepPtr> &steps) {
  Part part{};
  for (const StepPtr &each : steps) {
    const auto add = [&](const auto &step) {
      using Kind = std::decay_t<decltype(step)>;
      if constexpr (std::is_same_v<Kind, Part>) {
        part.steps.insert(part.steps.end(), step.steps.begin(), step.steps.end());
      } else if constexpr (std::is_same_v<Kind, Allocated> || std::is_same_v<Kind, Conditional>) {
        fail(kNotSupported);
      } else {
        part.steps.emplace_back(step);
      }
    };
    std::visit(add, *each);
  }
  const auto graph = std::make_shared<Graph>();
  std::vector<Handle> after;
  for (const auto &each : part.steps) {
    const auto widen = [](const auto &step) { return Step(step); };
    after = {graph->add(std::visit(widen, each), after)};
  }
  part.graph = world().graphs.add(graph);
  return part;
}

int type_of(const GraphNode &node) {
  constexpr int kTypes[] = {0, 1, 2, 4, 10, 13};  // in the order of Step
  return kTypes[node.step->index()];
}

Point submit(Stream &stream, Step step) {
  if (stream.capturing()) {
    std::vector<Handle> after;
    if (stream.newest_captured != nullptr) after.push_back(stream.newest_captured);
    stream.newest_captured = stream.captured()->add(std::move(step), std::move(after));
    return {};
  }
  return stream.add([kept = std::make_shared<const Step>(std::move(step))] { return run(*kept); });
}

GraphExec::GraphExec(const Graph &graph) : members_(members_of(graph)) {}

std::vector<GraphExec::Member> GraphExec::members_of(const Graph &graph) {
  std::vector<Member> members;
  for (const Handle node : graph.in_order()) {
    Member member{node, world().nodes.get(node)->step, {}};
    if (const auto *conditional = std::get_if<Conditional>(member.step.get())) {
      member.body = members_of(*world().graphs.get(conditional->body));
    }
    members.push_back(std::move(member));
  }
  return members;
}

Result GraphExec::run(const std::vector<Member> &members, const Context &context) {
  for (const Member &each : members) {
    const auto *conditional = std::get_if<Conditional>(each.step.get());
    for (bool once = true; once || (conditional != nullptr && conditional->loops); once = false) {
      if (conditional != nullptr) {
        const Lock lock(world().mutex);
        if (conditional->condition->number == 0 || context.broken()) break;
      }
      const Result result =
          conditional != nullptr ? run(each.body, context) : simulator::run(*each.step);
      if (result != kSuccess) return result;
    }
    const Lock lock(world().mutex);
    if (context.broken()) break;
  }
  return kSuccess;
}

GraphExec::Member *GraphExec::find(std::vector<Member> &members, Handle node) {
  for (Member &each : members) {
    if (each.node == node) return &each;
    if (Member *const found = find(each.body, node)) return found;
  }
  return nullptr;
}

void GraphExec::launch(Stream &stream) {
  if (stream.capturing()) {
    std::vector<StepPtr> steps;
    for (const Member &each : members_) steps.push_back(each.step);
    submit(stream, part_of(steps));
    return;
  }
  Work work;
  work.after.push_back(last_);
  work.run = [members = members_, context = stream.context()] { return run(members, *context); };
  last_ = stream.add(std::move(work));
}

void GraphExec::change(Handle node, Launch launch) {
  Member *const changed = find(members_, node);
  require(changed != nullptr && std::holds_alternative<Launch>(*changed->step));
  const Launch &before = std::get<Launch>(*changed->step);
  require(launch.context == before.context);
  launch.cluster = before.cluster;
  launch.cooperative = before.cooperative;
  launch.programmatic = before.programmatic;
  changed->step = std::make_shared<const Step>(std::move(launch));
}

}  // namespace simulator
