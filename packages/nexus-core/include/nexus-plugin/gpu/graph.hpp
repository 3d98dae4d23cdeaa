// SPDX-License-Identifier: Apache-2.0
// The driver's graphs, which replay schedules. Beside the members in transfer.hpp, capture.hpp and
// kernel_command.hpp, G has
//
//   static bool uses_graphs(const Device &device) noexcept;
//   static Result make_graph(NativeGraph *out) noexcept;
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
//   // A copy of the graph `part` becomes one node.
//   static Result add(NativeNode *out, NativeGraph graph, NativeNodes after,
//                     NativeGraph part) noexcept;
//   // Gives a node another launch of its kernel. Runs in flight keep theirs.
//   static Result change(NativeExecutable executable, NativeNode node, LaunchCall &call) noexcept;
//
// Only if the driver's graphs decide by integers in memory:
//
//   static bool has_conditions() noexcept;  // this driver's graphs do
//   using ConditionHandle = ...;            // of a condition, which is 0 or 1
//   static Result make_condition(ConditionHandle *out, NativeGraph graph, Device &device) noexcept;
//   // Adds a node that runs its body, a new graph, if the condition is 1; loops: while it is.
//   static Result add(NativeNode *out, NativeGraph *out_body, NativeGraph graph, NativeNodes after,
//                     ConditionHandle condition, bool loops, Device &device) noexcept;
//   class ConditionCall;  // a launch of a kernel that reads an integer and sets conditions
//     static constexpr std::size_t kMost = ...;  // conditions
//     // The integer is number first for the first condition. turns: kTurnsSize bytes for a loop.
//     ConditionCall(Device &device, nxs_command_type type, Address value, uint32_t first,
//                   std::vector<ConditionHandle> conditions, uint64_t max_count, Address turns);
//     void stop_by(Address word) noexcept;  // where a number above 0 ends the loop
//     ConditionCall next_turn() const;      // of a loop: for the end of its body
//   static Result add(NativeNode *out, NativeGraph graph, NativeNodes after,
//                     const ConditionCall &call) noexcept;
//   static Result change(NativeExecutable executable, NativeNode node,
//                        const ConditionCall &call) noexcept;
#ifndef NEXUS_PLUGIN_GPU_GRAPH_HPP_
#define NEXUS_PLUGIN_GPU_GRAPH_HPP_

#include <nexus-plugin/base/text.hpp>
#include <nexus-plugin/gpu/buffer.hpp>
#include <nexus-plugin/gpu/capture.hpp>
#include <nexus-plugin/gpu/kernel_command.hpp>
#include <nexus-plugin/gpu/transfer.hpp>
#include <nexus-plugin/recording/recording.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <variant>
#include <vector>

namespace nexus_plugin NXS_HIDDEN {
namespace gpu {

template <class G>
concept HasConditions = requires { typename G::ConditionCall; };

// The commands of a run, and what each of them follows. Conditions are commands too.
template <class G>
struct StepList {
  using Recording = typename G::Recording;
  StepList() = default;
  // The schedule and all that it runs must be locked. Throws NXS_InvalidCommand.
  explicit StepList(typename Recording::Schedule &schedule) {
    using Lock = nexus_plugin::RunLock<Recording>;
    if (!Lock::branches(schedule)) {
      Lock::for_each_step(schedule,
                          [&](const Command<Recording> &step) { steps.push_back(&step); });
      return;
    }
    Lock::for_each_step_after(schedule, [&](const Command<Recording> &step, StepNumbers follows) {
      steps.push_back(&step);
      after.push_back(std::move(follows));
    });
  }

  std::vector<const Command<Recording> *> steps;
  std::vector<StepNumbers> after;  // empty: each follows the one before it
};

// An executable graph of commands; may be empty. One thread at a time.
template <class G>
class Graph {
 public:
  using Device = typename G::Device;
  using Address = typename G::Address;
  using Steps = StepList<G>;

  explicit operator bool() const noexcept { return executable_ != nullptr; }
  // Returns the driver's executable graph; 0 if there is none.
  uintptr_t native() const noexcept { return reinterpret_cast<uintptr_t>(executable_.get()); }

  // Makes a graph of finalized commands, none of them a nested schedule, which outlive it. The
  // schedules that conditions run must be locked, and the device current. stop: as in stop_by().
  // Throws the driver's error.
  static Graph make(Device &device, const Steps &steps, Address stop = {}) {
    Graph made;
    typename G::NativeGraph graph{};
    device.check(G::make_graph(&graph), kMaking);
    made.graph_.reset(graph);
    made.stop_ = stop;
    made.kernels_.reserve(steps.steps.size());
    (void)made.fill(device, graph, steps);
    made.note_repeats();
    made.executable_ = instantiate<G>(device, graph, kMaking);
    return made;
  }

  // Copies changed arguments of up to `rebound` commands to the graph. Throws the driver's error;
  // the next call copies the rest.
  void update(Device &device, uint64_t rebound = UINT64_MAX) {
    if (repeats_) rebound = UINT64_MAX;  // counts each command once
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
  // From the next launch on, a number above 0 at the address ends loops. Throws the driver's error.
  void stop_by(Device &device, Address stop) {
    if constexpr (HasConditions<G>) {
      if (stop == stop_) return;
      stop_ = {};  // unless all were changed
      for (Loop &each : loops_) {
        each.call.stop_by(stop);
        device.check(G::change(executable_.get(), each.node, each.call), "changing a loop");
      }
      stop_ = stop;
    }
  }
  // Notes that work of the stream uses the graph and its own memory.
  void used_in(const Pooled<G> &pooled) noexcept {
    executable_.get_deleter().users |= stream_bit(pooled.index);
    for (const auto &each : turns_) each->used_in(pooled);
  }
  void launch(Enqueuing<G> &work) const {
    work.check(G::launch(executable_.get(), work.stream), "running the commands of a schedule");
  }
  // Prepares the first launch.
  void upload(Device &device, typename G::NativeStream stream) const {
    device.check(G::upload(executable_.get(), stream), "preparing a schedule");
  }

 private:
  struct KernelNode {
    typename G::NativeNode node;
    const KernelCommand<G> *command;
    uint64_t version;  // of the command when its arguments were copied
  };

  struct Node {
    typename G::NativeNode native;
    bool is_kernel;
  };

  static constexpr const char *kMaking = "making a graph of a schedule";

  // Adds the steps to a graph. Returns the nodes that no other follows.
  std::vector<typename G::NativeNode> fill(Device &device, typename G::NativeGraph graph,
                                           const Steps &list) {
    std::vector<Node> ends;  // of the steps
    ends.reserve(list.steps.size());
    std::vector<bool> followed(list.steps.size());
    std::vector<typename G::NativeNode> nodes;
    for (std::size_t i = 0; i < list.steps.size(); ++i) {
      nodes.clear();
      bool after_kernel = false;
      const auto follow = [&](std::size_t step) {
        after_kernel = nodes.empty() && ends[step].is_kernel;
        nodes.push_back(ends[step].native);
        followed[step] = true;
      };
      if (!list.after.empty()) {
        for (const std::size_t each : list.after[i]) follow(each);
      } else if (i != 0) {
        follow(i - 1);
      }
      ends.push_back(add(device, graph, *list.steps[i], nodes, after_kernel));
    }
    nodes.clear();
    for (std::size_t i = 0; i < ends.size(); ++i) {
      if (!followed[i]) nodes.push_back(ends[i].native);
    }
    return nodes;
  }

  // Adds the command's nodes behind those in `after`. Returns the last one.
  Node add(Device &device, typename G::NativeGraph graph,
           const Command<typename G::Recording> &command, typename G::NativeNodes after,
           bool after_kernel) {
    typename G::NativeNode last{};
    if constexpr (HasConditions<G>) {
      if (command.condition() != nullptr) {
        return {add_condition(device, graph, *command.condition(), after), false};
      }
    }
    if (const KernelCommand<G> *kernel = command.kernel()) {
      const Result added = G::add(&last, graph, after, kernel->call(), after_kernel);
      if (added != kSuccess) {
        device.check(added, join("adding the kernel '", kernel->kernel().name(), "' to a graph"));
      }
      kernels_.push_back({last, kernel, kernel->version()});
      return {last, true};
    }
    if (const Captured<G> *captured = command.captured()) {
      device.check(G::add(&last, graph, after, captured->graph()),
                   "adding captured work to a graph");
      return {last, false};
    }
    for (const DeviceStep &step : command.transfer()->steps()) {
      const typename G::NativeNode before = last;
      const auto add = [&](const auto &each) {
        return G::add(&last, graph, before == nullptr ? after : typename G::NativeNodes(&before, 1),
                      each, device);
      };
      device.check(std::visit(add, step), "adding a copy or a fill to a graph");
    }
    return {last, false};
  }

  // Kernels set the conditions of up to kMost bodies each, and then each body has a node. These
  // follow each other; the kernels come first, since a body may change the integer.
  typename G::NativeNode add_condition(Device &device, typename G::NativeGraph graph,
                                       const RecordedCondition<typename G::Recording> &condition,
                                       typename G::NativeNodes after)
    requires HasConditions<G>
  {
    constexpr const char *kAdding = "adding a condition to a graph";
    const auto &bodies = condition.bodies;
    const bool loops = condition.loops();
    const Address turns = loops ? add_turns(device) : Address{};
    typename G::NativeNode last{};
    const auto follow = [&] { return typename G::NativeNodes(&last, 1); };
    std::vector<typename G::ConditionHandle> handles(bodies.size());
    for (auto &each : handles) device.check(G::make_condition(&each, graph, device), kAdding);
    for (std::size_t first = 0; first < bodies.size(); first += Call::kMost) {
      const auto begin = handles.begin() + static_cast<std::ptrdiff_t>(first);
      const std::size_t count = std::min(Call::kMost, bodies.size() - first);
      Call call(device, condition.type, condition.value.buffer->address() + condition.value.offset,
                static_cast<uint32_t>(first), {begin, begin + static_cast<std::ptrdiff_t>(count)},
                condition.max_count, turns);
      call.stop_by(stop_);
      typename G::NativeNode kernel{};
      device.check(G::add(&kernel, graph, first == 0 ? after : follow(), call), kAdding);
      last = kernel;
      if (loops) loops_.push_back({kernel, call});
    }
    const std::size_t begun = loops_.size();
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      typename G::NativeNode node{};
      typename G::NativeGraph body{};
      device.check(G::add(&node, &body, graph, follow(), handles[i], loops, device), kAdding);
      last = node;
      const auto ends = fill(device, body, Steps(*bodies[i]));
      if (!loops) continue;
      Loop again{{}, loops_[begun - 1].call.next_turn()};
      device.check(G::add(&again.node, body, ends, again.call), kAdding);
      loops_.push_back(std::move(again));
    }
    return last;
  }

  // Notes whether a command has several nodes, as if its schedule is nested several times.
  void note_repeats() {
    std::vector<const KernelCommand<G> *> commands;
    for (const KernelNode &each : kernels_) commands.push_back(each.command);
    std::sort(commands.begin(), commands.end(), std::less<>());
    repeats_ = std::adjacent_find(commands.begin(), commands.end()) != commands.end();
  }

  // Returns the address of memory in which a loop counts its turns.
  Address add_turns(Device &device) {
    using Buffer = typename G::Recording::Buffer;
    turns_.push_back(std::make_unique<Buffer>(device, G::ConditionCall::kTurnsSize,
                                              nxs_buffer_settings{0}, nullptr));
    return turns_.back()->address();
  }

  // The kernels that read the integers of loops.
  struct NoCall {};
  template <class H>
  struct CallOf {
    using Type = NoCall;
  };
  template <HasConditions H>
  struct CallOf<H> {
    using Type = typename H::ConditionCall;
  };
  using Call = typename CallOf<G>::Type;
  struct Loop {
    typename G::NativeNode node;
    Call call;
  };

  OwnedGraph<G> graph_;
  OwnedExecutable<G> executable_;
  std::vector<KernelNode> kernels_;
  std::size_t changed_ = 0;  // the kernel that changed last, which often changes again
  bool repeats_ = false;
  std::vector<Loop> loops_;
  std::vector<std::unique_ptr<typename G::Recording::Buffer>> turns_;
  Address stop_{};
};

}  // namespace gpu
}  // namespace nexus_plugin

#endif  // NEXUS_PLUGIN_GPU_GRAPH_HPP_
