// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_SIMULATOR_GRAPH_HPP_
#define NEXUS_SIMULATOR_GRAPH_HPP_

#include "launch.hpp"
#include "stream.hpp"
#include "transfer.hpp"

#include <algorithm>
#include <memory>
#include <variant>
#include <vector>

namespace simulator {

// A number that work of a graph sets, which decides whether nodes run their bodies.
struct GraphCondition {
  Graph *graph;
  bool has_node = false;
  uint32_t number = 0;
};

// Sets the number of a condition, as a kernel does; illegal for what is none.
Result set_condition(uintptr_t handle, uint32_t number);

// Runs its body, a graph that belongs to the node, if the number is not 0, or while it is not.
struct Conditional {
  std::shared_ptr<GraphCondition> condition;
  bool loops;
  Handle body;

  // GraphExec runs the body.
  static Result run() { return kSuccess; }
};

// The steps of another graph, as they were when the node was made.
struct Part {
  std::vector<std::variant<Launch, Copy, Fill>> steps;
  Handle graph;  // has them too, and belongs to the node

  // By a stream's thread.
  Result run() const;
};
// An allocation of memory, which was made with the node.
struct Allocated {
  static Result run() { return kSuccess; }
};

// The work of a node. Immutable, so that launches in flight share it.
using Step = std::variant<Launch, Copy, Fill, Part, Allocated, Conditional>;
using StepPtr = std::shared_ptr<const Step>;

struct GraphNode {
  Graph *graph;
  StepPtr step;
  std::vector<Handle> after;
};

// A node that launches a kernel, or throws.
GraphNode &kernel_node(Handle handle);
// The graph of a node that is a copy of one, or throws.
Handle graph_of(Handle node);
// The work of a node that does the steps. Throws kNotSupported where they allocate or have
// conditions.
Part part_of(const std::vector<StepPtr> &steps);

// A graph's nodes, which live as long as it.
class Graph {
 public:
  Handle make_condition(uint32_t number);
  // A node that runs a new graph; returns that too.
  Handle add(Handle condition, bool loops, std::vector<Handle> after, Handle *out_body);
  bool is_body() const { return is_body_; }
  Handle add(Step step, std::vector<Handle> after);
  void depend(Handle node, Handle on);
  // Each behind all that it comes after, else the newest first, so that a missing edge is noticed.
  // Throws where they go round in a circle.
  std::vector<Handle> in_order() const;
  void destroy();
  const std::vector<Handle> &nodes() const { return nodes_; }
  // The work of a node that is a copy of this graph; throws as part_of().
  Part copy() const;

 private:
  void check_member(Handle node) const;

  std::vector<Handle> nodes_;
  std::vector<Handle> conditions_;
  bool is_body_ = false;
};

// Does the step in the stream, or adds it to the graph of its capture.
Point submit(Stream &stream, Step step);

// To be called for an allocation in the stream.
inline void note_allocation(Stream &stream) {
  if (stream.capturing()) submit(stream, Allocated{});
}

// The number of the driver's type of a node.
int type_of(const GraphNode &node);

// As a function of the driver is given them.
template <class Node>
std::vector<Handle> nodes_of(const Node *nodes, size_t count) {
  require(count == 0 || nodes != nullptr);
  return {nodes, nodes + count};
}

// Gives at most *count nodes, or all for NULL only counted, as a function of the driver does.
template <class Node>
void give_nodes(const Graph &graph, Node *out_nodes, size_t *count) {
  require(count != nullptr);
  const auto &nodes = graph.nodes();
  if (out_nodes == nullptr) {
    *count = nodes.size();
    return;
  }
  *count = std::min(*count, nodes.size());
  for (size_t i = 0; i < *count; ++i) out_nodes[i] = static_cast<Node>(nodes[i]);
}

// Changes the launch of a kernel's node.
template <class Change>
void change_launch(GraphNode &node, Change &&change) {
  Launch launch = std::get<Launch>(*node.step);
  change(launch);
  node.step = std::make_shared<const Step>(std::move(launch));
}

// A graph as it was when it was instantiated; launched one at a time.
class GraphExec {
 public:
  explicit GraphExec(const Graph &graph);

  // In a stream that captures, adds a node that is a copy of the graph.
  void launch(Stream &stream);
  bool running() const { return !last_.done(); }
  // Later launches launch that there, with the options that the node had.
  void change(Handle node, Launch launch);

 private:
  struct Member {
    Handle node;
    StepPtr step;
    std::vector<Member> body;  // of a condition
  };

  static std::vector<Member> members_of(const Graph &graph);
  static Result run(const std::vector<Member> &members, const Context &context);
  static Member *find(std::vector<Member> &members, Handle node);

  std::vector<Member> members_;
  Point last_;
};

}  // namespace simulator

#endif  // NEXUS_SIMULATOR_GRAPH_HPP_
