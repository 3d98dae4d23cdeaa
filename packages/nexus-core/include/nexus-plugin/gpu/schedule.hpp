// SPDX-License-Identifier: Apache-2.0
// Schedules. Beside the members in graph.hpp, G has
//
//   static constexpr const char *kProfilers = ...;  // programs that profile, for an error
#ifndef NEXUS_PLUGIN_GPU_SCHEDULE_HPP_
#define NEXUS_PLUGIN_GPU_SCHEDULE_HPP_

#include <nexus-plugin/gpu/graph.hpp>

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

namespace nexus_plugin NXS_HIDDEN {
namespace gpu {

// A run with one driver step enqueues it. With several, the first run enqueues them and then makes
// a graph for the next ones, while the device is busy. If commands have changed after a run, the
// second run makes the graph, since they may change again.
template <class G>
class Schedule : public QueuedSchedule<typename G::Recording> {
  using Recording = typename G::Recording;
  using Base = QueuedSchedule<Recording>;
  using Device = typename G::Device;
  using Graph = gpu::Graph<G>;
  using Address = typename G::Address;

 public:
  using Base::Base;
  using Base::device;

  // Implement nxsRunSchedule and nxsPrepareSchedule.
  static nxs_ticket run(const Ref<Schedule> &schedule, nxs_id stream_id,
                        nxs_execution_settings settings) {
    if ((settings & ~NXS_ExecutionSettings_NonBlocking) != 0) [[unlikely]]
      refuse_settings(settings);
    return schedule->run(stream_id);
  }
  void prepare(nxs_id stream_id) {
    const RunLock lock(*this);
    const StreamOf stream(*this, stream_id);
    make_ready(lock);
    if (!wants_graph() && !has_captured_) return;
    device().refuse_lost();
    const typename G::Use current(device());
    const uint64_t bindings = lock.bindings();
    if (!graph_ && wants_graph()) make_graph(bindings);
    if (graph_) {
      graph_.update(device());
      graph_bindings_ = bindings;
    }
    const std::lock_guard no_capture_begins(stream->tickets().mutex());
    upload(stream->pooled());
  }

  void check_condition(const RecordedCondition<Recording> &) const {
    if constexpr (HasConditions<G>) {
      if (G::has_conditions()) return;
    }
    throw Error(NXS_NotSupported, "the driver's graphs have no conditions");
  }

  // ---- The lock must be held ----

  // Called when the commands or their sizes have changed.
  void changed() noexcept {
    if (runs_ != 0) graph_after_first_run_ = false;
    ready_shape_ = 0;
    runs_ = 0;
    used_in_ = nullptr;
    graph_refused_ = false;
    graph_ = {};
  }
  // Called when arguments of a command have changed.
  void rebound(const KernelCommand<G> &command) noexcept {
    if (used_in_ == nullptr) return;
    command.used_in(*used_in_);
    ++used_bindings_;
  }
  const Graph &graph() const noexcept { return graph_; }

 private:
  using RunLock = nexus_plugin::RunLock<Recording>;
  using StreamOf = typename Base::StreamOf;

  nxs_ticket run(nxs_id stream_id) {
    const RunLock lock(*this);
    const StreamOf stream(*this, stream_id);
    make_ready(lock);
    return this->submit_run(lock, *stream, [&] { return submit(lock, **stream); });
  }

  // Lists the steps if this schedule, or one that it runs, has changed.
  void make_ready(const RunLock &lock) {
    const uint64_t shape = lock.shape();
    if (shape == ready_shape_) [[likely]]
      return;
    changed();
    list_ = StepList<G>(*this);
    driver_steps_ = 0;
    only_kernels_ = true;
    decides_ = false;
    has_captured_ = false;
    for (const Command<Recording> *step : list_.steps) {
      const Transfer<G> *transfer = step->transfer();
      driver_steps_ += transfer == nullptr ? 1 : transfer->steps().size();
      if (step->kernel() == nullptr && step->captured() == nullptr) only_kernels_ = false;
      if (step->captured() != nullptr) has_captured_ = true;
      if (step->condition() != nullptr) decides_ = true;
    }
    loops_ =
        decides_ && RunLock::any_of(*this, [](const Schedule &each) { return each.has_loops(); });
    ready_shape_ = shape;
  }

  nxs_ticket submit(const RunLock &lock, Stream<G> &stream) {
    const uint64_t bindings = lock.bindings();
    std::vector<EventPtr<G>> before;
    this->for_each_run_elsewhere(lock, stream, [&](const Ref<Stream<G>> &other, nxs_ticket ticket) {
      if (EventPtr<G> event = other->tickets().event_of(ticket)) before.push_back(std::move(event));
    });
    const auto all = [&](Enqueuing<G> &work) {
      const Address stop = loops_ ? stream.stop_address() : Address{};
      if (wants_graph() && (runs_ > 0 || decides_) && !graph_) make_graph(bindings, stop);
      if (graph_ && bindings != graph_bindings_) update_graph(bindings, stop);
      if (loops_) prepare_loops(stop);
      if (!before.empty()) stream.tickets().prepare_to_wait();
      for (const EventPtr<G> &event : before) {
        work.check(G::wait(work.stream, event->get()),
                   "waiting for the run before in another stream");
      }
      enqueue(work, stream.pooled(), bindings);
      if (loops_) stream.note_loops();
    };
    // A run in another stream than the previous one gets an event, since the next run may be in a
    // third stream. Without the event that run would wait for all work of this stream.
    const nxs_ticket ticket = this->is_elsewhere(stream) ? stream.submit_marked(all, {})
                              : before.empty() && only_launches(bindings)
                                  ? stream.submit_launches(all)
                                  : stream.submit(all);
    ++runs_;
    if (runs_ != 1 || !graph_after_first_run_ || !wants_graph() || graph_) return ticket;
    // Throws nothing, since the first run was submitted. Without a graph the next run enqueues the
    // commands, and reports what is wrong.
    try {
      const typename G::Use current(device());
      make_graph(bindings);
    } catch (...) {
      graph_refused_ = true;
    }
    return ticket;
  }

  // Returns whether a run only launches kernels or an existing graph.
  bool only_launches(uint64_t bindings) const noexcept {
    if (graph_) return bindings == graph_bindings_ && !loops_;
    return only_kernels_ && (!wants_graph() || runs_ == 0);
  }

  void enqueue(Enqueuing<G> &work, const Pooled<G> &pooled, uint64_t bindings) {
    if (used_in_ != &pooled || used_bindings_ != bindings) note_used(pooled, bindings);
    if (graph_) return graph_.launch(work);
    for (const Command<Recording> *step : list_.steps) {
      if (const KernelCommand<G> *kernel = step->kernel()) {
        const auto launch = [&] { return kernel->enqueue(work.stream); };
        work.check(device().state().memory.with_room(launch), "launching a kernel");
      } else if (const Captured<G> *captured = step->captured()) {
        captured->enqueue(work);
      } else {
        step->transfer()->enqueue(work);
      }
    }
  }

  void upload(const Pooled<G> &pooled) {
    if (graph_) {
      graph_.used_in(pooled);
      return graph_.upload(device(), pooled.stream);
    }
    for (const Command<Recording> *step : list_.steps) {
      const Captured<G> *captured = step->captured();
      if (captured == nullptr) continue;
      captured->used_in(pooled);
      captured->upload(device(), pooled.stream);
    }
  }

  void note_used(const Pooled<G> &pooled, uint64_t bindings) {
    for (const Command<Recording> *step : list_.steps) {
      note_used(*step, pooled);
      if (step->condition() == nullptr) continue;
      for (const Schedule *each : RunLock::all_of(step->condition()->bodies)) {
        each->for_each_command([&](const auto &command) { note_used(command, pooled); });
      }
    }
    graph_.used_in(pooled);
    used_in_ = &pooled;
    used_bindings_ = bindings;
  }

  static void note_used(const Command<Recording> &command, const Pooled<G> &pooled) noexcept {
    if (const KernelCommand<G> *kernel = command.kernel()) {
      kernel->used_in(pooled);
    } else if (const Transfer<G> *transfer = command.transfer()) {
      transfer->used_in(pooled);
    } else if (const Captured<G> *captured = command.captured()) {
      captured->used_in(pooled);
    } else if (const auto *condition = command.condition()) {
      condition->value.buffer->used_in(pooled);
    }
  }

  bool wants_graph() const noexcept {
    if (decides_) return true;
    return driver_steps_ > 1 && !graph_refused_ && G::uses_graphs(device());
  }

  // If the driver can't make a graph, runs enqueue the commands and report what is wrong. Throws
  // the driver's error if that is not possible, since there are conditions.
  void make_graph(uint64_t bindings, Address stop = {}) {
    try {
      make_again(stop);
      graph_bindings_ = bindings;
    } catch (const Error &) {
      device().refuse_lost();
      if (decides_) throw;
      graph_refused_ = true;
    }
  }

  // If the driver can't change the graph, makes a new one. If that throws, the old one stays.
  void update_graph(uint64_t bindings, Address stop) {
    try {
      graph_.update(device(), bindings - graph_bindings_);
    } catch (const Error &) {
      device().refuse_lost();
      make_again(stop);
    }
    graph_bindings_ = bindings;
  }

  // Lets a stream end the loops of its run. If the driver can't change the graph, makes a new one.
  void prepare_loops(Address stop) {
    try {
      graph_.stop_by(device(), stop);
    } catch (const Error &) {
      device().refuse_lost();
      make_again(stop);
    }
  }
  // The next run notes that its stream uses the new graph.
  void make_again(Address stop) {
    graph_ = Graph::make(device(), list_, stop);
    used_in_ = nullptr;
  }

  static void refuse_settings(nxs_execution_settings settings) {
    constexpr nxs_execution_settings tools =
        NXS_ExecutionSettings_Profiling | NXS_ExecutionSettings_Capture;
    if ((settings & tools) != 0) {
      throw Error(NXS_NotSupported, "settings has Profiling or Capture, which ", G::kName,
                  " has only for whole processes; leave them out, and start the program with ",
                  G::kProfilers);
    }
    check_settings(settings, NXS_ExecutionSettings_NonBlocking);
  }

  bool graph_after_first_run_ = true;  // false once commands have changed after a run

  // Since the last change:
  uint64_t ready_shape_ = 0;  // the shape that the members below are for; 0: none
  StepList<G> list_;
  std::size_t driver_steps_ = 0;  // calls of the driver, or nodes of a graph
  bool only_kernels_ = false;     // and captured work
  bool has_captured_ = false;
  bool decides_ = false;  // has conditions, which only a graph can
  bool loops_ = false;    // they, or those in their bodies, have loops
  uint64_t runs_ = 0;
  const Pooled<G> *used_in_ = nullptr;  // the stream that was noted in the buffers,
  uint64_t used_bindings_ = 0;          // for these arguments
  Graph graph_;
  uint64_t graph_bindings_ = 0;  // the arguments that the graph has
  bool graph_refused_ = false;   // the driver could not make a graph
};

// The properties beside the common ones.
template <class G>
inline constexpr auto schedule_properties = property_table<Schedule<G>>({
    {NP_NativeHandle,
     [](const Schedule<G> &schedule) -> Value {
       const uintptr_t graph = schedule.graph().native();
       return graph == 0 ? Value() : Value(graph);
     }},
});

}  // namespace gpu
}  // namespace nexus_plugin

#endif  // NEXUS_PLUGIN_GPU_SCHEDULE_HPP_
