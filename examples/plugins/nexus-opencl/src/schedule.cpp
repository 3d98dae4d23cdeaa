// SPDX-License-Identifier: Apache-2.0
// Schedules and their commands. A run enqueues each command. A schedule that runs again becomes a
// command buffer, if the driver has those.
#include "buffer.hpp"
#include "kernel.hpp"
#include "stream.hpp"

#include <algorithm>
#include <nexus-plugin/base/host.hpp>
#include <nexus-plugin/recording/recording.hpp>
#include <span>

namespace nexus_opencl NXS_HIDDEN {
namespace {

class KernelCommand;
class Schedule;
class Transfer;

struct Recording
    : RecordingOf<devices, kernels, buffers, streams, KernelCommand, Transfer, Schedule> {};

using Step = Command<Recording>;

// The place of a command among those that a run enqueues.
struct Place {
  std::span<const cl_event> waits;
  bool last;  // an event of its own is wanted

  cl_uint count() const noexcept { return static_cast<cl_uint>(waits.size()); }
  const cl_event *events() const noexcept { return waits.empty() ? nullptr : waits.data(); }
};

// ---- Copies and fills -------------------------------------------------

class Transfer : public BufferTransfer<Buffer> {
 public:
  explicit Transfer(BufferTransfer<Buffer> checked) : BufferTransfer(std::move(checked)) {}

  nxs_ticket submit_to(Stream &stream) const {
    return stream.submit([&](Enqueuing &work) { enqueue(work, {{}, true}); });
  }

  void enqueue(Enqueuing &work, const Place &place) const {
    if (empty()) return;
    cl_event *event = place.last ? &work.event : nullptr;
    if (is_copy()) {
      check(work.cl.EnqueueCopyBuffer(work.queue, source(), target(), from().offset, to().offset,
                                      to().size, place.count(), place.events(), event),
            kCopying);
    } else {
      check(work.cl.EnqueueFillBuffer(work.queue, target(), pattern().data(), pattern().size(),
                                      to().offset, to().size, place.count(), place.events(), event),
            kFilling);
    }
    work.begun = true;
  }

  void record(const Functions &cl, cl_command_buffer_khr into) const {
    if (is_copy()) {
      check(cl.CommandCopyBufferKHR(into, nullptr, nullptr, source(), target(), from().offset,
                                    to().offset, to().size, 0, nullptr, nullptr, nullptr),
            kCopying);
    } else {
      check(cl.CommandFillBufferKHR(into, nullptr, nullptr, target(), pattern().data(),
                                    pattern().size(), to().offset, to().size, 0, nullptr, nullptr,
                                    nullptr),
            kFilling);
    }
  }

 private:
  static constexpr const char *kCopying = "copying a buffer to a buffer";
  static constexpr const char *kFilling = "filling a buffer";

  cl_mem target() const noexcept { return to().buffer->memory(); }
  cl_mem source() const noexcept { return from().buffer->memory(); }
};

// ---- Launches ---------------------------------------------------------

Size3 group_size_for(const Kernel &kernel, const nxs_launch &launch) {
  if (kernel.required_group_size()) return *kernel.required_group_size();
  const Device &device = kernel.device();
  return choose_group_size(
      launch.grid_size,
      gpu_limits(kernel.max_group_items(), device.max_group_size(), kernel.preferred_multiple(),
                 device.number<cl_uint>(CL_DEVICE_MAX_COMPUTE_UNITS).value_or(1)));
}

// A launch of a kernel, with a cl_kernel of its own that carries its arguments: they are set when
// they change, so that a run is one call. The driver takes them as they are when it is enqueued.
// Used by one thread at a time.
class KernelCommand : public RecordedKernel<Recording> {
 public:
  explicit KernelCommand(Ref<Kernel> kernel)
      : RecordedKernel(kernel, kernel->described()), made_(kernel->make()) {}

  void lower_argument(uint32_t index, const Argument<Buffer> &argument) {
    if (slices_.size() <= index) slices_.resize(index + 1);
    const void *value = nullptr;  // stays NULL for local memory
    size_t size = argument.size;
    cl_mem memory = nullptr;
    Owned<cl_mem> slice;
    if (argument.kind == NXS_ArgumentKind_Buffer) {
      if (argument.offset != 0) slice = argument.buffer->slice(argument.offset, argument.size);
      memory = slice ? slice.get() : argument.buffer->memory();
      value = &memory;
      size = sizeof(memory);
    } else if (argument.kind == NXS_ArgumentKind_Scalar) {
      value = argument.scalar.data();
    }
    const cl_int error = cl().SetKernelArg(made_.get(), index, size, value);
    if (error != CL_SUCCESS) throw_error(error, join("setting argument ", index));
    slices_[index] = std::move(slice);
  }

  Launch lower_launch(const nxs_launch &given) {
    const Launch launch =
        check_launch(&given, group_size_for(kernel(), given), kernel().max_group_items());
    check_group_size(launch.group_size, kernel().required_group_size(),
                     kernel().device().max_group_size());
    check_local_memory(launch);
    if (kernel().portable()) {
      check_int_ids(launch);
      set_grid_size(launch);
    }
    dimensions_ = 1;
    for (std::size_t d = 0; d < 3; ++d) {
      global_size_[d] = static_cast<size_t>(launch.group_size[d] * launch.group_count[d]);
      local_size_[d] = static_cast<size_t>(launch.group_size[d]);
      if (global_size_[d] > 1) dimensions_ = static_cast<cl_uint>(d + 1);
    }
    return launch;
  }

  void enqueue(Enqueuing &work, const Place &place) const {
    const cl_int error = work.cl.EnqueueNDRangeKernel(
        work.queue, made_.get(), dimensions_, nullptr, global_size_, local_size_, place.count(),
        place.events(), place.last ? &work.event : nullptr);
    if (error != CL_SUCCESS) [[unlikely]]
      throw_error(error, join("launching the kernel '", kernel().name(), "'"));
    work.begun = true;
  }

  void record(const Functions &functions, cl_command_buffer_khr into) const {
    check(
        functions.CommandNDRangeKernelKHR(into, nullptr, nullptr, made_.get(), dimensions_, nullptr,
                                          global_size_, local_size_, 0, nullptr, nullptr, nullptr),
        "recording a launch");
  }

 private:
  const Functions &cl() const noexcept { return kernel().device().cl(); }

  void check_local_memory(const Launch &launch) const {
    const uint64_t most = kernel().device().local_memory_size();
    if (launch.local_memory != 0 && launch.local_memory <= most) {
      throw Error(NXS_NotSupported, "local_memory is ", launch.local_memory,
                  "; OpenCL has local memory as an argument only, set one");
    }
    uint64_t left = most;
    const auto take = [&](uint64_t size) {
      const bool fits = size <= left;
      left -= fits ? size : 0;
      return fits;
    };
    bool fits = launch.local_memory == 0 && take(kernel().local_memory());
    for (const Argument<Buffer> &argument : arguments()) {
      if (argument.kind == NXS_ArgumentKind_LocalMemory) fits = fits && take(argument.size);
    }
    if (fits) return;
    throw Error(NXS_OutOfResources, "a group needs more local memory than the ", most,
                " bytes of the device; make it smaller");
  }

  void set_grid_size(const Launch &launch) {
    for (uint32_t d = 0; d < kHiddenArguments; ++d) {
      const auto asked = static_cast<cl_int>(launch.grid_size[d]);
      const uint32_t index = kernel().argument_count() + d;
      check(cl().SetKernelArg(made_.get(), index, sizeof(asked), &asked),
            "setting the size of the grid");
    }
  }

  Owned<cl_kernel> made_;
  std::vector<Owned<cl_mem>> slices_;  // of arguments that begin within a buffer
  cl_uint dimensions_ = 0;
  size_t global_size_[3] = {1, 1, 1};
  size_t local_size_[3] = {1, 1, 1};
};

template <class Do>
void with_body(const Step &step, Do &&with) {
  if (const KernelCommand *kernel = step.kernel()) {
    with(*kernel);
  } else {
    with(*step.transfer());
  }
}

// ---- Command buffers --------------------------------------------------

cl_bitfield bits(const Device &device, cl_info info, cl_bitfield otherwise) {
  return device.number<cl_bitfield>(info).value_or(otherwise);
}

// Returns whether the driver has command buffers in the form that is used here: since version 0.9.5
// commands take a list of properties. Our queues are in order and have clocks.
bool has_command_buffers(const Device &device) {
  constexpr cl_version kOldest = (0U << 22) | (9U << 12) | 5U;
  const Functions &cl = device.cl();
  if (cl.CreateCommandBufferKHR == nullptr || cl.FinalizeCommandBufferKHR == nullptr ||
      cl.ReleaseCommandBufferKHR == nullptr || cl.EnqueueCommandBufferKHR == nullptr ||
      cl.CommandCopyBufferKHR == nullptr || cl.CommandFillBufferKHR == nullptr ||
      cl.CommandNDRangeKernelKHR == nullptr) {
    return false;
  }
  const auto all = device.list<cl_name_version>(CL_DEVICE_EXTENSIONS_WITH_VERSION);
  const bool known = std::any_of(all.begin(), all.end(), [](const cl_name_version &each) {
    return std::string_view("cl_khr_command_buffer") == each.name && each.version >= kOldest;
  });
  const cl_bitfield needed =
      bits(device, CL_DEVICE_COMMAND_BUFFER_REQUIRED_QUEUE_PROPERTIES_KHR, 0);
  const cl_bitfield taken = bits(device, CL_DEVICE_COMMAND_BUFFER_SUPPORTED_QUEUE_PROPERTIES_KHR,
                                 CL_QUEUE_PROFILING_ENABLE);
  return known && (needed & ~CL_QUEUE_PROFILING_ENABLE) == 0 &&
         (taken & CL_QUEUE_PROFILING_ENABLE) != 0;
}

// Reads the configuration: 1 or 0. Intel's runtime for processors (2026.22.10.0.01) takes longer
// for a command buffer than for its commands, so processors use none unless it says 1.
bool wants_command_buffers(const Device &device) {
  const std::string_view asked = get_config("command_buffers");
  return asked.empty() ? (device.type() & CL_DEVICE_TYPE_CPU) == 0 : asked == "1";
}

// Several commands that a driver takes in one call (cl_khr_command_buffer). It belongs to one
// stream, holds the arguments of the time when it was recorded, and may run once at a time unless
// the driver allows more. If it can't be used, the commands are enqueued singly.
// Used by one thread at a time.
class CommandBuffer {
 public:
  // Records the commands for runs in a stream. Where the driver refuses, it is not asked again
  // until clear().
  void record(const Ref<Stream> &stream, std::span<const Step *const> steps) {
    clear();
    stream_ = stream;
    const Device &device = stream->device();
    const Functions &cl = device.cl();
    if (!wants_command_buffers(device) || !has_command_buffers(device)) return;
    may_overlap_ = (bits(device, CL_DEVICE_COMMAND_BUFFER_CAPABILITIES_KHR, 0) &
                    CL_COMMAND_BUFFER_CAPABILITY_SIMULTANEOUS_USE_KHR) != 0;
    const cl_properties flags[] = {CL_COMMAND_BUFFER_FLAGS_KHR,
                                   CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR, 0};
    const cl_command_queue queue = stream->queue();
    try {
      auto made = create(cl, "making a command buffer", cl.CreateCommandBufferKHR, 1U, &queue,
                         may_overlap_ ? flags : nullptr);
      for (const Step *step : steps) {
        with_body(*step, [&](const auto &body) { body.record(cl, made.get()); });
      }
      check(cl.FinalizeCommandBufferKHR(made.get()), "finalizing a command buffer");
      buffer_ = std::move(made);
    } catch (const Error &) {
      // Enqueued singly, the commands say what is wrong.
    }
  }

  // Returns whether a run in the stream can be enqueued now.
  bool serves(const Stream &stream) const {
    return buffer_ && stream_.get() == &stream &&
           (may_overlap_ || last_ticket_ == 0 || stream_->tickets().done(last_ticket_));
  }
  void enqueue(Enqueuing &work, const Place &place) const {
    check(work.cl.EnqueueCommandBufferKHR(0, nullptr, buffer_.get(), place.count(), place.events(),
                                          &work.event),
          "running the commands of a schedule");
  }
  void enqueued(nxs_ticket ticket) noexcept { last_ticket_ = ticket; }

  bool tried() const noexcept { return static_cast<bool>(stream_); }
  void clear() noexcept { *this = {}; }

 private:
  Ref<Stream> stream_;  // that it was recorded for
  Owned<cl_command_buffer_khr> buffer_;
  bool may_overlap_ = false;  // it may be enqueued again before it is done
  nxs_ticket last_ticket_ = 0;
};

// ---- Schedules --------------------------------------------------------

class Schedule : public QueuedSchedule<Recording> {
 public:
  using QueuedSchedule::QueuedSchedule;

  static nxs_ticket run(const Ref<Schedule> &schedule, nxs_id stream,
                        nxs_execution_settings settings) {
    const Ref<Stream> queue = schedule->pin_stream(stream);
    check_settings(settings, NXS_ExecutionSettings_NonBlocking);
    const bool blocking = (settings & NXS_ExecutionSettings_NonBlocking) == 0;
    return blocking ? schedule->run_blocking(queue) : schedule->run(queue);
  }
  void prepare(nxs_id stream) {
    const Ref<Stream> queue = pin_stream(stream);
    const RunLock<Recording> lock(*this);
    make_ready(lock);
    if (steps_.size() > 1) recorded_.record(queue, steps_);
  }

 private:
  Ref<Stream> pin_stream(nxs_id id) const {
    Ref<Stream> stream = streams.pin(id);
    check_same_device("stream", stream->device(), device());
    return stream;
  }

  // Discards what was made of commands that have changed since.
  void make_ready(const RunLock<Recording> &lock) {
    const uint64_t shape = lock.shape(), bindings = lock.bindings();
    if (shape == ready_shape_ && bindings == ready_bindings_) return;
    recorded_.clear();
    runs_ = 0;
    ready_bindings_ = bindings;
    if (shape == ready_shape_) return;
    ready_shape_ = 0;
    steps_.clear();
    lock.for_each_step([&](const Step &step) { steps_.push_back(&step); });
    ready_shape_ = shape;
  }

  nxs_ticket run(const Ref<Stream> &stream) {
    const RunLock<Recording> lock(*this);
    make_ready(lock);
    std::vector<Owned<cl_event>> before;
    std::vector<cl_event> waits;
    for_each_run_elsewhere(lock, *stream, [&](const Ref<Stream> &other, nxs_ticket ticket) {
      before.push_back(other->tickets().event_of(ticket));
      if (before.back()) waits.push_back(before.back().get());
    });
    // A schedule that runs again is worth recording.
    if (steps_.size() > 1 && runs_ > 0 && !recorded_.tried()) recorded_.record(stream, steps_);
    const bool recorded = recorded_.serves(*stream);
    const auto enqueue = [&](Enqueuing &work) {
      Place place{waits, true};
      if (recorded) return recorded_.enqueue(work, place);
      for (const Step *step : steps_) {
        place.last = step == steps_.back();
        with_body(*step, [&](const auto &body) { body.enqueue(work, place); });
        place.waits = {};
      }
    };
    const nxs_ticket ticket = submit_run(lock, stream, [&] { return stream->submit(enqueue); });
    if (recorded) recorded_.enqueued(ticket);
    ++runs_;
    return ticket;
  }

  // The same for a caller that will wait: a short run may be done when this returns.
  nxs_ticket run_blocking(const Ref<Stream> &stream) {
    Tickets<Queue> &tickets = stream->tickets();
    if (!tickets.queue().waits_inside()) return run(stream);
    const bool alone = tickets.done(tickets.completion().last());
    const bool short_run = alone && is_short();
    const nxs_ticket ticket = run(stream);
    Owned<cl_event> event = tickets.event_of(ticket);
    if (!event) return ticket;
    if (short_run) {
      const cl_event done = event.get();
      device().cl().WaitForEvents(1, &done);
      tickets.poll(ticket);
    }
    const std::lock_guard lock(mutex());
    if (alone) measured_ = std::move(event);
    return ticket;
  }

  // Returns whether the newest run was so short that Ctrl-C can wait for it unnoticed.
  bool is_short() {
    constexpr uint64_t kShort = 20'000'000;  // nanoseconds
    const std::lock_guard lock(mutex());
    if (measured_ && !Queue::is_running(Queue::query(measured_))) {
      took_ns_ = time_at(CL_PROFILING_COMMAND_END) - time_at(CL_PROFILING_COMMAND_QUEUED);
      measured_ = {};
    }
    return took_ns_ < kShort;
  }
  uint64_t time_at(cl_info info) const {
    uint64_t at = 0;
    device().cl().GetEventProfilingInfo(measured_.get(), info, sizeof(at), &at, nullptr);
    return at;
  }

  uint64_t ready_shape_ = 0, ready_bindings_ = 0;  // what the rest is made of; 0: nothing
  std::vector<const Step *> steps_;
  uint64_t runs_ = 0;
  CommandBuffer recorded_;
  Owned<cl_event> measured_;  // of the newest blocking run; empty if its time was read
  uint64_t took_ns_ = UINT64_MAX;
};

constexpr PropertyTable<Schedule, 0> schedule_properties{};

}  // namespace
}  // namespace nexus_opencl

using namespace nexus_opencl;

NEXUS_PLUGIN_RECORDING(Recording, schedule_properties)
