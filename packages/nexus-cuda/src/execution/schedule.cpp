// SPDX-License-Identifier: Apache-2.0
#include "execution/schedule.hpp"

#include <utility>

namespace nexus_cuda NXS_HIDDEN {

// ---- The driver's graph ------------------------------------------------------

Graph Graph::make(Device &device, std::span<const Command *const> steps) {
  constexpr const char *kMaking = "making a graph of a schedule";
  Graph made;
  CUgraph graph = nullptr;
  device.check(cu.GraphCreate(&graph, 0), kMaking);
  made.graph_.reset(graph);
  CUgraphNode last = nullptr;
  made.kernels_.reserve(steps.size());
  for (const Command *command : steps) made.add(device, *command, last);
  CUgraphExec executable = nullptr;
  device.check(cu.GraphInstantiateWithFlags(&executable, graph, 0), kMaking);
  made.executable_.reset(executable);
  return made;
}

CUresult Graph::add_kernel(const KernelCommand &kernel, CUgraphNode &last) {
  const CUgraphNode before = last;
  // Whether the kernel begins before the previous one ends; not possible after a copy or fill.
  // Drivers before CUDA 12.3 have no such edges, and the kernel begins later.
  const bool early = kernel.launch().programmatic() && !kernels_.empty() &&
                     kernels_.back().node == before && cu.GraphAddDependencies != nullptr;
  const CUDA_KERNEL_NODE_PARAMS parameters = kernel.node();
  CUresult result = cu.GraphAddKernelNode(&last, graph_.get(), &before,
                                          before == nullptr || early ? 0 : 1, &parameters);
  for (const CUlaunchAttribute &attribute : kernel.attributes()) {
    if (attribute.id == CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION) continue;
    if (result != CUDA_SUCCESS) return result;
    result = cu.GraphKernelNodeSetAttribute(last, attribute.id, &attribute.value);
  }
  if (result != CUDA_SUCCESS || !early) return result;
  constexpr CUgraphEdgeData edge{
      CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC, 0, CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC, {}};
  return cu.GraphAddDependencies(graph_.get(), &before, &last, &edge, 1);
}

// Adds the command's nodes after `last`, unless that is NULL, and sets last to the final one.
void Graph::add(Device &device, const Command &command, CUgraphNode &last) {
  if (const KernelCommand *kernel = command.kernel()) {
    if (const CUresult result = add_kernel(*kernel, last); result != CUDA_SUCCESS) {
      device.check(result, join("adding the kernel '", kernel->kernel().name(), "' to a graph"));
    }
    kernels_.push_back({last, kernel, kernel->version()});
    return;
  }
  for (const DeviceStep &step : command.transfer()->steps()) {
    device.check(add_step(step, graph_.get(), device.context(), last),
                 "adding a copy or a fill to a graph");
  }
}

void Graph::update(Device &device, uint64_t rebound) {
  for (std::size_t i = changed_, left = kernels_.size(); left != 0 && rebound != 0; ++i, --left) {
    if (i == kernels_.size()) i = 0;
    KernelNode &each = kernels_[i];
    if (each.version == each.command->version()) continue;
    const CUDA_KERNEL_NODE_PARAMS parameters = each.command->node();
    device.check(cu.GraphExecKernelNodeSetParams(executable(), each.node, &parameters),
                 "changing the arguments of a command");
    each.version = each.command->version();
    changed_ = i;
    --rebound;
  }
}

// ---- The steps of a run -----------------------------------------------

void Schedule::changed() noexcept {
  if (runs_ != 0) graph_after_first_run_ = false;
  ready_shape_ = 0;
  runs_ = 0;
  used_in_ = nullptr;
  graph_refused_ = false;
  graph_ = {};
}

void Schedule::rebound(const KernelCommand &command) noexcept {
  if (used_in_ == nullptr) return;
  command.used_in(*used_in_);
  ++used_bindings_;
}

// Lists the steps if this schedule, or one that it runs, has changed.
void Schedule::make_ready(const RunLock &lock) {
  const uint64_t shape = lock.shape();
  if (shape == ready_shape_) [[likely]]
    return;
  changed();
  steps_.clear();
  driver_steps_ = 0;
  only_kernels_ = true;
  lock.for_each_step([&](const Command &step) {
    steps_.push_back(&step);
    const Transfer *transfer = step.transfer();
    driver_steps_ += transfer == nullptr ? 1 : transfer->steps().size();
    if (transfer != nullptr) only_kernels_ = false;
  });
  ready_shape_ = shape;
}

// ---- Running ----------------------------------------------------------

nxs_ticket Schedule::run(nxs_id stream_id) {
  const RunLock lock(*this);
  const StreamOf stream(*this, stream_id);
  make_ready(lock);
  return submit_run(lock, *stream, [&] { return submit(lock, **stream); });
}

nxs_ticket Schedule::submit(const RunLock &lock, Stream &stream) {
  const uint64_t bindings = lock.bindings();
  std::vector<EventPtr> before;
  for_each_run_elsewhere(lock, stream, [&](const Ref<Stream> &other, nxs_ticket ticket) {
    if (EventPtr event = other->tickets().event_of(ticket)) before.push_back(std::move(event));
  });
  const auto all = [&](Enqueuing &work) {
    if (wants_graph() && runs_ > 0 && !graph_) make_graph(bindings);
    if (graph_ && bindings != graph_bindings_) update_graph(bindings);
    if (!before.empty()) stream.tickets().prepare_to_wait();
    for (const EventPtr &event : before) {
      work.check(cu.StreamWaitEvent(work.stream, event->get(), 0),
                 "waiting for the run before in another stream");
    }
    enqueue(work, stream.pooled(), bindings);
  };
  // A run in another stream than the previous one gets an event, since the next run may be in a
  // third stream. Without the event that run would wait for all work of this stream.
  const nxs_ticket ticket = is_elsewhere(stream) ? stream.submit_marked(all, {})
                            : before.empty() && only_launches(bindings)
                                ? stream.submit_launches(all)
                                : stream.submit(all);
  ++runs_;
  if (runs_ != 1 || !graph_after_first_run_ || !wants_graph() || graph_) return ticket;
  // Throws nothing, since the first run was submitted. Without a graph the next run enqueues the
  // commands, and reports what is wrong.
  try {
    const CurrentContext current(device());
    make_graph(bindings);
  } catch (...) {
    graph_refused_ = true;
  }
  return ticket;
}

// Returns whether a run only launches kernels or an existing graph.
bool Schedule::only_launches(uint64_t bindings) const noexcept {
  if (graph_) return bindings == graph_bindings_;
  return only_kernels_ && (!wants_graph() || runs_ == 0);
}

void Schedule::note_used(const PooledStream &pooled, uint64_t bindings) {
  for (const Command *step : steps_) {
    if (const KernelCommand *kernel = step->kernel()) {
      kernel->used_in(pooled);
    } else {
      step->transfer()->used_in(pooled);
    }
  }
  used_in_ = &pooled;
  used_bindings_ = bindings;
}

void Schedule::enqueue(Enqueuing &work, const PooledStream &pooled, uint64_t bindings) {
  if (used_in_ != &pooled || used_bindings_ != bindings) note_used(pooled, bindings);
  if (graph_) return graph_.launch(work);
  for (const Command *step : steps_) {
    if (const KernelCommand *kernel = step->kernel()) {
      const auto launch = [&] { return kernel->enqueue(work.stream); };
      work.check(device().state().memory.with_room(launch), "launching a kernel");
    } else {
      step->transfer()->enqueue(work);
    }
  }
}

// If the driver can't make a graph, runs enqueue the commands and report what is wrong.
void Schedule::make_graph(uint64_t bindings) {
  try {
    graph_ = Graph::make(device(), steps_);
    graph_bindings_ = bindings;
  } catch (const Error &) {
    device().refuse_lost();
    graph_refused_ = true;
  }
}

// If the driver can't change the graph, makes a new one. If that throws, the old one stays.
void Schedule::update_graph(uint64_t bindings) {
  try {
    graph_.update(device(), bindings - graph_bindings_);
  } catch (const Error &) {
    device().refuse_lost();
    graph_ = Graph::make(device(), steps_);
  }
  graph_bindings_ = bindings;
}

void Schedule::prepare(nxs_id stream_id) {
  const RunLock lock(*this);
  const StreamOf stream(*this, stream_id);
  make_ready(lock);
  if (!wants_graph()) return;
  device().refuse_lost();
  const CurrentContext current(device());
  const uint64_t bindings = lock.bindings();
  if (!graph_) make_graph(bindings);
  if (!graph_) return;
  graph_.update(device());
  graph_bindings_ = bindings;
  graph_.upload(device(), stream->pooled().stream);
}

namespace {

void refuse_settings(nxs_execution_settings settings) {
  constexpr nxs_execution_settings tools =
      NXS_ExecutionSettings_Profiling | NXS_ExecutionSettings_Capture;
  if ((settings & tools) != 0) {
    throw Error(NXS_NotSupported,
                "settings has Profiling or Capture, which CUDA has only for whole processes; leave "
                "them out, and start the program with ncu (counters) or nsys profile");
  }
  nexus_plugin::check_settings(settings, NXS_ExecutionSettings_NonBlocking);
}

constexpr auto schedule_properties = nexus_plugin::property_table<Schedule>({
    {NP_NativeHandle,
     [](const Schedule &schedule) -> Value {
       const uintptr_t graph = schedule.native_graph();
       return graph == 0 ? Value() : Value(graph);
     }},
});

}  // namespace

nxs_ticket Schedule::run(const Ref<Schedule> &schedule, nxs_id stream_id,
                         nxs_execution_settings settings) {
  if ((settings & ~NXS_ExecutionSettings_NonBlocking) != 0) [[unlikely]]
    refuse_settings(settings);
  return schedule->run(stream_id);
}

}  // namespace nexus_cuda

using namespace nexus_cuda;

NEXUS_PLUGIN_RECORDING(Recording, schedule_properties)
