// SPDX-License-Identifier: Apache-2.0
// Graphs of captured work, on a driver whose graphs are lists of nodes.
#include <nexus-plugin/gpu/capture.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include "check.hpp"

namespace {

struct Node;
struct Graph {
  std::vector<Node *> nodes;
};
struct Node {
  bool of_memory = false;
  Graph *child = nullptr;
};
struct Executable {};
struct Stream {};

int destroyed = 0;  // executables

struct Device;
struct Errors {
  static void log_unreleased(int, std::string_view) {}
};

struct Gpu {
  using Device = ::Device;
  using NativeStream = Stream *;
  using NativeGraph = Graph *;
  using NativeNode = Node *;
  using NativeExecutable = Executable *;
  struct Use {
    explicit Use(Device &) {}
  };
  static constexpr Errors errors{};
  static int nodes_of(Graph *graph, Node **nodes, std::size_t *count) {
    if (nodes != nullptr) std::copy(graph->nodes.begin(), graph->nodes.end(), nodes);
    *count = graph->nodes.size();
    return 0;
  }
  static int look_at(Node *node, bool *out_of_memory, Graph **out_child) {
    *out_of_memory = node->of_memory;
    *out_child = node->child;
    return 0;
  }
  static int instantiate(Executable **out, Graph *) {
    static Executable made;
    *out = &made;
    return 0;
  }
  static int destroy(Graph *) { return 0; }
  static int destroy(Executable *) {
    ++destroyed;
    return 0;
  }
};

struct Streams {
  std::vector<int> busy(nexus_plugin::StreamSet users) const {
    return (users & unfinished) == 0 ? std::vector<int>() : std::vector<int>{1};
  }
  nexus_plugin::StreamSet unfinished = 0;
};
struct Memory {
  void free_after(nexus_plugin::StreamSet, std::function<void()> free) {
    later.push_back(std::move(free));
  }
  std::vector<std::function<void()>> later;
};

}  // namespace

template <>
struct nexus_plugin::gpu::DeviceState<Gpu> {
  Streams stream_pool;
  Memory memory;
};

namespace {

struct Device {
  static void check(int, std::string_view) {}
  nexus_plugin::gpu::DeviceState<Gpu> &state() { return state_; }
  nexus_plugin::gpu::DeviceState<Gpu> state_;
};

using Captured = nexus_plugin::gpu::Captured<Gpu>;
using Owned = nexus_plugin::gpu::OwnedGraph<Gpu>;

bool refuses(Graph &graph) {
  Device device;
  try {
    const Captured captured(device, Owned(&graph));
    return false;
  } catch (const nexus_plugin::Error &error) {
    return error.status() == NXS_NotSupported;
  }
}

}  // namespace

TEST(nodes_of_memory_are_found_in_children_of_children) {
  Node copy, memory{true, nullptr};
  Graph copies{{&copy}}, allocates{{&copy, &memory}};
  Node of_copies{false, &copies}, of_allocates{false, &allocates};
  Graph child{{&of_copies, &of_allocates}};
  Node of_child{false, &child};
  Graph whole{{&copy, &of_child}}, harmless{{&of_copies, &copy}};
  CHECK(refuses(allocates));
  CHECK(refuses(child));
  CHECK(refuses(whole));
  CHECK(!refuses(harmless));
}

TEST(an_executable_graph_is_destroyed_after_its_runs) {
  Node node;
  Graph graph{{&node}};
  Device device;
  nexus_plugin::PooledStream<Stream *> idle, busy;
  idle.index = 1;
  busy.index = 2;
  device.state().stream_pool.unfinished = nexus_plugin::stream_bit(busy.index);
  const int before = destroyed;
  {
    const Captured captured(device, Owned(&graph));
    captured.used_in(idle);
  }
  CHECK_EQUAL(before + 1, destroyed);
  {
    const Captured captured(device, Owned(&graph));
    captured.used_in(idle);
    captured.used_in(busy);
  }
  auto &later = device.state().memory.later;
  CHECK_EQUAL(before + 1, destroyed);
  CHECK_EQUAL(1U, later.size());
  for (const auto &free : later) free();
  CHECK_EQUAL(before + 2, destroyed);
}
