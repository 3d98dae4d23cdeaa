// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_SIMULATED_CUDA_GRAPH_EXEC_HPP_
#define NEXUS_SIMULATED_CUDA_GRAPH_EXEC_HPP_

#include "graph.hpp"
#include "stream.hpp"

#include <map>
#include <memory>
#include <vector>

namespace simulated_cuda {

// A graph as it was when it was instantiated; launched one at a time.
class GraphExec {
 public:
  GraphExec(const Graph &graph, uint64_t flags);

  uint64_t flags() const { return flags_; }
  void launch(Stream &stream);

  // What stands for a node of that type in it; throws where there is none.
  StepPtr step(CUgraphNode node, CUgraphNodeType type) const;
  // Later launches do that there. Throws where the driver can't change so much.
  void change(CUgraphNode node, StepPtr step);
  void enable(CUgraphNode node, bool enabled);
  bool enabled(CUgraphNode node) const;
  // All of another graph that has the same nodes.
  CUgraphExecUpdateResultInfo update(const Graph &graph);

 private:
  struct Member {
    CUgraphNode node;
    StepPtr step;
    bool enabled = true;
    std::vector<size_t> after;  // places of members
  };
  static std::vector<Member> members_of(const Graph &graph);
  const Member &member(CUgraphNode node) const;

  std::vector<Member> members_;
  uint64_t flags_;
  Point last_;
};

}  // namespace simulated_cuda

#endif  // NEXUS_SIMULATED_CUDA_GRAPH_EXEC_HPP_
