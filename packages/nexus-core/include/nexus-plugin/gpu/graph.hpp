// SPDX-License-Identifier: Apache-2.0
// The driver's graphs, which replay schedules. Beside the members in transfer.hpp and
// kernel_command.hpp, G has
//
//   static bool uses_graphs(const Device &device) noexcept;
//   using NativeGraph = ..., NativeNode = ..., NativeExecutable = ...;  // pointers
//   static Result make_graph(NativeGraph *out) noexcept;
//   static Result destroy(NativeGraph graph) noexcept;
//   static Result instantiate(NativeExecutable *out, NativeGraph graph) noexcept;
//   static Result destroy(NativeExecutable executable) noexcept;  // runs in flight complete
//   using NativeNodes = std::span<const NativeNode>;
//   // Add a node behind the nodes `after`. They return an error for what the driver's graphs can't
//   // do; then the schedule enqueues its commands.
//   static Result add(NativeNode *out, NativeGraph graph, NativeNodes after, const CopyStep &copy,
//                     Device &device) noexcept;
//   static Result add(NativeNode *out, NativeGraph graph, NativeNodes after, const FillStep &fill,
//                     Device &device) noexcept;
//   // after_kernel: whether `after` is one kernel.
//   static Result add(NativeNode *out, NativeGraph graph, NativeNodes after, LaunchCall &call,
//                     bool after_kernel) noexcept;
//   // Gives a node another launch of its kernel. Runs in flight keep theirs.
//   static Result change(NativeExecutable executable, NativeNode node, LaunchCall &call) noexcept;
//   static Result launch(NativeExecutable executable, NativeStream stream) noexcept;
//   static Result upload(NativeExecutable executable, NativeStream stream) noexcept;
#ifndef NEXUS_PLUGIN_GPU_GRAPH_HPP_
#define NEXUS_PLUGIN_GPU_GRAPH_HPP_

#include <nexus-plugin/base/text.hpp>
#include <nexus-plugin/gpu/kernel_command.hpp>
#include <nexus-plugin/gpu/transfer.hpp>
#include <nexus-plugin/recording/recording.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <variant>
#include <vector>

namespace nexus_plugin NXS_HIDDEN {
namespace gpu {

// An executable graph of commands; may be empty. One thread at a time.
template <class G>
class Graph {
 public:
  using Device = typename G::Device;
  using Steps = std::span<const Command<typename G::Recording> *const>;

  explicit operator bool() const noexcept { return executable_ != nullptr; }
  // Returns the driver's executable graph; 0 if there is none.
  uintptr_t native() const noexcept { return reinterpret_cast<uintptr_t>(executable_.get()); }

  // Makes a graph of finalized commands, none of them a nested schedule, which outlive it. after:
  // the numbers of the steps that each follows; empty: each follows the one before it. The device
  // must be current. Throws the driver's error.
  static Graph make(Device &device, Steps steps, std::span<const StepNumbers> after) {
    constexpr const char *kMaking = "making a graph of a schedule";
    Graph made;
    typename G::NativeGraph graph{};
    device.check(G::make_graph(&graph), kMaking);
    made.graph_.reset(graph);
    made.kernels_.reserve(steps.size());
    std::vector<Node> ends;  // of the steps
    ends.reserve(steps.size());
    std::vector<typename G::NativeNode> nodes;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      nodes.clear();
      bool after_kernel = false;
      const auto follow = [&](const Node &node) {
        after_kernel = nodes.empty() && node.is_kernel;
        nodes.push_back(node.native);
      };
      if (!after.empty()) {
        for (const std::size_t each : after[i]) follow(ends[each]);
      } else if (i != 0) {
        follow(ends.back());
      }
      ends.push_back(made.add(device, *steps[i], nodes, after_kernel));
    }
    typename G::NativeExecutable executable{};
    device.check(G::instantiate(&executable, graph), kMaking);
    made.executable_.reset(executable);
    return made;
  }

  // Copies changed arguments of up to `rebound` commands to the graph. Throws the driver's error;
  // the next call copies the rest.
  void update(Device &device, uint64_t rebound = UINT64_MAX) {
    for (std::size_t i = changed_, left = kernels_.size(); left != 0 && rebound != 0; ++i, --left) {
      if (i == kernels_.size()) i = 0;
      KernelNode &each = kernels_[i];
      if (each.version == each.command->version()) continue;
      device.check(G::change(executable_.get(), each.node, each.command->call()),
                   "changing the arguments of a command");
      each.version = each.command->version();
      changed_ = i;
      --rebound;
    }
  }
  void launch(Enqueuing<G> &work) const {
    work.check(G::launch(executable_.get(), work.stream), "running the commands of a schedule");
  }
  // Prepares the first launch.
  void upload(Device &device, typename G::NativeStream stream) const {
    device.check(G::upload(executable_.get(), stream), "preparing a schedule");
  }

 private:
  struct Destroy {
    template <class Native>
    void operator()(Native *graph) const noexcept {
      G::errors.log_unreleased(G::destroy(graph), "destroying a graph");
    }
  };
  template <class Native>
  using Owned = std::unique_ptr<std::remove_pointer_t<Native>, Destroy>;

  struct KernelNode {
    typename G::NativeNode node;
    const KernelCommand<G> *command;
    uint64_t version;  // of the command when its arguments were copied
  };

  struct Node {
    typename G::NativeNode native;
    bool is_kernel;
  };

  // Adds the command's nodes behind those in `after`. Returns the last one.
  Node add(Device &device, const Command<typename G::Recording> &command,
           typename G::NativeNodes after, bool after_kernel) {
    typename G::NativeNode last{};
    if (const KernelCommand<G> *kernel = command.kernel()) {
      const Result added = G::add(&last, graph_.get(), after, kernel->call(), after_kernel);
      if (added != kSuccess) {
        device.check(added, join("adding the kernel '", kernel->kernel().name(), "' to a graph"));
      }
      kernels_.push_back({last, kernel, kernel->version()});
      return {last, true};
    }
    for (const DeviceStep &step : command.transfer()->steps()) {
      const typename G::NativeNode before = last;
      const auto add = [&](const auto &each) {
        return G::add(&last, graph_.get(),
                      before == nullptr ? after : typename G::NativeNodes(&before, 1), each,
                      device);
      };
      device.check(std::visit(add, step), "adding a copy or a fill to a graph");
    }
    return {last, false};
  }

  Owned<typename G::NativeGraph> graph_;
  Owned<typename G::NativeExecutable> executable_;
  std::vector<KernelNode> kernels_;
  std::size_t changed_ = 0;  // the kernel that changed last, which often changes again
};

}  // namespace gpu
}  // namespace nexus_plugin

#endif  // NEXUS_PLUGIN_GPU_GRAPH_HPP_
