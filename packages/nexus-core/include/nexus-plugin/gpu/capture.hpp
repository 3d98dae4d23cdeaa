// SPDX-License-Identifier: Apache-2.0
// Work that other libraries put on a stream while it captured: a graph of the driver, which is
// launched alone or becomes a node of a schedule's graph. Beside the members in stream.hpp, G has
//
//   using NativeGraph = ..., NativeNode = ..., NativeExecutable = ...;  // pointers
//   // Calls of other threads and in other streams go on as if nothing were captured.
//   static Result begin_capture(NativeStream stream) noexcept;
//   static Result end_capture(NativeStream stream, NativeGraph *out) noexcept;
//   // nodes may be NULL; count then gets their number.
//   static Result nodes_of(NativeGraph graph, NativeNode *nodes, size_t *count) noexcept;
//   // Tells whether the node allocates or frees memory, and the graph that it runs as a child.
//   static Result look_at(NativeNode node, bool *out_of_memory, NativeGraph *out_child) noexcept;
//   static Result destroy(NativeGraph graph) noexcept;
//   static Result instantiate(NativeExecutable *out, NativeGraph graph) noexcept;
//   static Result destroy(NativeExecutable executable) noexcept;  // no run is in flight
//   static Result launch(NativeExecutable executable, NativeStream stream) noexcept;
//   static Result upload(NativeExecutable executable, NativeStream stream) noexcept;
#ifndef NEXUS_PLUGIN_GPU_CAPTURE_HPP_
#define NEXUS_PLUGIN_GPU_CAPTURE_HPP_

#include <nexus-plugin/base/functions.hpp>
#include <nexus-plugin/gpu/stream.hpp>
#include <nexus-plugin/recording/command.hpp>

#include <cstddef>
#include <exception>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace nexus_plugin NXS_HIDDEN {
namespace gpu {

template <class G>
struct DestroyGraph {
  template <class Native>
  void operator()(Native *graph) const noexcept {
    G::errors.log_unreleased(G::destroy(graph), "destroying a graph");
  }
};
template <class G>
using OwnedGraph = std::unique_ptr<std::remove_pointer_t<typename G::NativeGraph>, DestroyGraph<G>>;

// Destroys an executable graph after its runs: CUDA would wait for those in flight, and HIP does
// not say so.
template <class G>
struct DestroyAfterRuns {
  typename G::Device *device = nullptr;
  StreamSet users = 0;  // where it was launched or uploaded

  template <class Native>
  void operator()(Native *executable) const noexcept {
    const auto destroy = [executable] { DestroyGraph<G>()(executable); };
    try {
      const typename G::Use current(*device);
      DeviceState<G> &state = device->state();
      if (!state.stream_pool.busy(users).empty()) return state.memory.free_after(users, destroy);
    } catch (const std::exception &) {  // the device is lost, or there is no host memory
    }
    destroy();
  }
};
template <class G>
using OwnedExecutable =
    std::unique_ptr<std::remove_pointer_t<typename G::NativeExecutable>, DestroyAfterRuns<G>>;

// Throws the driver's error. what: as for Device::check().
template <class G>
OwnedExecutable<G> instantiate(typename G::Device &device, typename G::NativeGraph graph,
                               const char *what) {
  typename G::NativeExecutable made{};
  device.check(G::instantiate(&made, graph), what);
  return {made, {&device}};
}

// Run again and again. Memory that the work uses belongs to the other library.
template <class G>
class Captured {
  using NativeGraph = typename G::NativeGraph;

 public:
  using Device = typename G::Device;

  // Throws NXS_NotSupported for work that can't be run again, and the driver's error.
  Captured(Device &device, OwnedGraph<G> graph) : graph_(std::move(graph)) {
    const typename G::Use current(device);
    if (!check_nodes(device, graph_.get())) return;
    executable_ = instantiate<G>(device, graph_.get(), "making a graph of captured work");
  }

  bool empty() const noexcept { return executable_ == nullptr; }
  NativeGraph graph() const noexcept { return graph_.get(); }

  // Notes that the stream gets the work. The schedules that have it must be locked.
  void used_in(const Pooled<G> &pooled) const noexcept {
    executable_.get_deleter().users |= stream_bit(pooled.index);
  }
  void enqueue(Enqueuing<G> &work) const {
    work.check(G::launch(executable_.get(), work.stream), "running captured work");
  }
  // Prepares the first enqueue().
  void upload(Device &device, typename G::NativeStream stream) const {
    device.check(G::upload(executable_.get(), stream), "preparing captured work");
  }

 private:
  // Returns whether there are nodes. Does not look into bodies of conditional nodes, in which CUDA
  // allows none of memory.
  static bool check_nodes(Device &device, NativeGraph graph) {
    constexpr const char *kAsking = "asking for the nodes of captured work";
    std::size_t count = 0;
    device.check(G::nodes_of(graph, nullptr, &count), kAsking);
    if (count == 0) return false;
    std::vector<typename G::NativeNode> nodes(count);
    device.check(G::nodes_of(graph, nodes.data(), &count), kAsking);
    for (const auto node : nodes) {
      bool of_memory = false;
      NativeGraph child{};
      device.check(G::look_at(node, &of_memory, &child), kAsking);
      if (child != nullptr) check_nodes(device, child);
      if (!of_memory) continue;
      throw Error(NXS_NotSupported,
                  "the captured work allocates or frees memory in the stream, and a schedule can't "
                  "run that again; allocate what it needs before the capture, or from a pool that "
                  "does not use the driver's stream-ordered memory");
    }
    return true;
  }

  OwnedGraph<G> graph_;
  mutable OwnedExecutable<G> executable_;  // used_in() changes its deleter
};

// Implements nxsEndCapture.
template <class G>
nxs_id end_capture(Stream<G> &stream, nxs_id schedule) {
  using R = Recorded<typename G::Recording>;
  OwnedGraph<G> graph(stream.end_capture());
  const auto owner = R::schedules.pin(schedule);
  nexus_plugin::detail::require_same_device("stream", stream, *owner);
  return owner->add(schedule, Captured<G>(stream.device(), std::move(graph)));
}

}  // namespace gpu
}  // namespace nexus_plugin

// Defines nxsBeginCapture and nxsEndCapture.
//   NEXUS_PLUGIN_GPU_CAPTURE(Gpu, streams)
#define NEXUS_PLUGIN_GPU_CAPTURE(Gpu, streams)                                                 \
  NEXUS_PLUGIN_FUNCTION(BeginCapture, (nxs_id stream), (streams).pin(stream)->begin_capture()) \
  NEXUS_PLUGIN_RESULT(EndCapture, (nxs_id stream, nxs_id schedule, nxs_id * out),              \
                      nexus_plugin::gpu::end_capture<Gpu>(*(streams).pin(stream), schedule))

#endif  // NEXUS_PLUGIN_GPU_CAPTURE_HPP_
