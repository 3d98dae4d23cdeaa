// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_SIMULATED_CUDA_GRAPH_HPP_
#define NEXUS_SIMULATED_CUDA_GRAPH_HPP_

#include "copy.hpp"
#include "event.hpp"
#include "fill.hpp"
#include "launch.hpp"

#include <map>
#include <memory>
#include <vector>

namespace simulated_cuda {

struct Step;
using StepPtr = std::shared_ptr<const Step>;

// What a node does; of the members below that of its type counts. Never changed once made, so
// that launches in flight share it.
struct Step {
  CUgraphNodeType type = CU_GRAPH_NODE_TYPE_EMPTY;
  std::shared_ptr<const Launch> kernel;
  Copy copy{};
  Fill fill{};
  CUDA_HOST_NODE_PARAMS host{};
  std::vector<StepPtr> child;
  std::shared_ptr<Event> event;

  // By a stream's thread.
  CUresult run() const;
};

class GraphNode {
 public:
  GraphNode(Graph &graph, StepPtr does) : step(std::move(does)), graph_(&graph) {}

  Graph &graph() const { return *graph_; }

  StepPtr step;
  CUgraphNode handle = nullptr;
  CUgraphNode cloned_from = nullptr;
  std::vector<CUgraphNode> after;
  std::shared_ptr<Graph> child;  // of a child graph's node
  CUgraph child_handle = nullptr;

 private:
  Graph *graph_;
};

class Graph {
 public:
  ~Graph() = default;

  CUgraphNode add(StepPtr step, const CUgraphNode *after, size_t count);
  void check_member(CUgraphNode node) const;
  const std::vector<CUgraphNode> &nodes() const { return nodes_; }
  // Each behind all that it comes after. Throws where they go round in a circle.
  std::vector<CUgraphNode> in_order() const;
  void remove(CUgraphNode node);
  void destroy();
  std::shared_ptr<Graph> clone() const;

 private:
  std::vector<CUgraphNode> nodes_;
};

// Steps from what the functions are given. Throw what the driver answers.
StepPtr kernel_step(Call &call, const CUDA_KERNEL_NODE_PARAMS *what,
                    const std::vector<CUlaunchAttribute> &attributes = {});
// The step after its parameters changed: a kernel's attributes stay.
StepPtr as_before(const Step &before, const StepPtr &changed);
StepPtr copy_step(const CUDA_MEMCPY3D *what, CUcontext context);
StepPtr fill_step(const CUDA_MEMSET_NODE_PARAMS *what, CUcontext context);
StepPtr host_step(const CUDA_HOST_NODE_PARAMS *what);
StepPtr event_step(CUgraphNodeType type, CUevent event);
StepPtr child_step(const Graph &child);

// A node of that type, or throws.
GraphNode &node_of(CUgraphNode handle, CUgraphNodeType type);

}  // namespace simulated_cuda

#endif  // NEXUS_SIMULATED_CUDA_GRAPH_HPP_
