// SPDX-License-Identifier: Apache-2.0
// Schedules and their commands. Each run encodes the commands into one command buffer: pipelines
// and arguments are known since the recording, so that is a message for each argument.
#include "execution/kernel.hpp"
#include "memory/buffer.hpp"
#include "stream/stream.hpp"

#include <nexus-plugin/recording/recording.hpp>

namespace nexus_metal NXS_HIDDEN {
namespace {

class KernelCommand;
class Schedule;
class Transfer;

struct Recording
    : RecordingOf<devices, kernels, buffers, streams, KernelCommand, Transfer, Schedule> {};

using Step = Command<Recording>;

class Transfer : public BufferTransfer<Buffer> {
 public:
  explicit Transfer(BufferTransfer<Buffer> checked) : BufferTransfer(std::move(checked)) {}

  nxs_ticket submit_to(Stream &stream) const {
    return stream.submit([&](Commands &commands) { encode(commands); });
  }
  void encode(Commands &commands) const {
    const Place target = to().buffer->at(to().offset);
    if (is_copy()) {
      commands.copy(target, from().buffer->at(from().offset), to().size);
    } else {
      commands.fill(target, to().size, pattern().data(), pattern().size());
    }
  }
};

class KernelCommand : public RecordedKernel<Recording> {
 public:
  explicit KernelCommand(Ref<Kernel> kernel) : RecordedKernel(kernel, Kernel::described()) {}

  void lower_argument(uint32_t index, const Argument<Buffer> &argument) {
    if (argument.kind != NXS_ArgumentKind_Scalar || argument.size <= kMostBytes) return;
    throw Error(NXS_InvalidArgSize, "argument ", index, " has ", argument.size,
                " bytes; Metal takes up to ", kMostBytes, " by value, pass it in a buffer");
  }

  Launch lower_launch(const nxs_launch &given) {
    const uint64_t most = kernel().max_group_items();
    const Size3 widest{kMostThreads, kMostThreads, kMostThreads};
    const Size3 chosen = kernel().required_group_size().value_or(
        choose_group_size(given.grid_size, gpu_limits(most, widest, kernel().width(), kUnits)));
    const Launch launch = check_launch(&given, chosen, most);
    check_group_size(launch.group_size, kernel().required_group_size(), widest);
    for (std::size_t d = 0; d < 3; ++d) {
      if (launch.group_count[d] <= UINT32_MAX) continue;
      throw Error(NXS_InvalidGlobalWorkSize, "grid_size[", d, "] is ", launch.grid_size[d], ", ",
                  launch.group_count[d], " groups; Metal counts up to ", UINT32_MAX);
    }
    check_local_memory(launch);
    if (kernel().portable()) check_int_ids(launch);
    return launch;
  }

  void encode(Commands &commands) const {
    const id encoder = commands.compute();
    msg.set_pipeline(encoder, kernel().pipeline());
    std::size_t index = 0;
    for (const Argument<Buffer> &argument : arguments()) {
      const NSUInteger place = kernel().places()[index++].index;
      if (argument.kind == NXS_ArgumentKind_Buffer) {
        const Place memory = argument.buffer->at(argument.offset);
        msg.set_buffer(encoder, memory.buffer, memory.offset, place);
      } else if (argument.kind == NXS_ArgumentKind_LocalMemory) {
        msg.set_threadgroup_memory(encoder, rounded(argument.size), place);
      } else {
        msg.set_bytes(encoder, argument.scalar.data(), argument.size, place);
      }
    }
    const Size3 &groups = launch().group_count, &items = launch().group_size;
    if (kernel().portable()) {
      const Size3 &grid = launch().grid_size;
      const int32_t asked[] = {static_cast<int32_t>(grid[0]), static_cast<int32_t>(grid[1]),
                               static_cast<int32_t>(grid[2])};
      msg.set_bytes(encoder, asked, sizeof(asked), kernel().grid_place());
    }
    msg.dispatch(encoder, {groups[0], groups[1], groups[2]}, {items[0], items[1], items[2]});
  }

 private:
  // Metal does not report the number of a GPU's cores; the most of one with Metal 3 are 80.
  static constexpr uint64_t kUnits = 16;

  static NSUInteger rounded(uint64_t size) noexcept {
    return (size + kThreadgroupAlignment - 1) / kThreadgroupAlignment * kThreadgroupAlignment;
  }

  void check_local_memory(const Launch &launch) const {
    const uint64_t most = kernel().device().local_memory_size();
    uint64_t left = most;
    const auto take = [&](uint64_t size) {
      const bool fits = size <= left && rounded(size) <= left;
      left -= fits ? rounded(size) : 0;
      return fits;
    };
    bool fits = take(kernel().local_memory());
    for (const Argument<Buffer> &argument : arguments()) {
      if (argument.kind == NXS_ArgumentKind_LocalMemory) fits = fits && take(argument.size);
    }
    if (!fits || launch.local_memory > left) {
      throw Error(NXS_OutOfResources, "a group needs more local memory than the ", most,
                  " bytes of the device; make it smaller");
    }
    if (launch.local_memory != 0) {
      throw Error(NXS_NotSupported, "local_memory is ", launch.local_memory,
                  "; Metal supports local memory only as an argument, so set one");
    }
  }
};

class Schedule : public QueuedSchedule<Recording> {
 public:
  using QueuedSchedule::QueuedSchedule;

  static nxs_ticket run(const Ref<Schedule> &schedule, nxs_id stream,
                        nxs_execution_settings settings) {
    check_settings(settings, NXS_ExecutionSettings_NonBlocking);
    return schedule->run(schedule->pin_stream(stream));
  }
  // A run needs nothing more than that the commands are finalized.
  void prepare(nxs_id stream) {
    (void)pin_stream(stream);
    const RunLock<Recording> lock(*this);
    lock.for_each_step([](const Step &) {});
  }

 private:
  Ref<Stream> pin_stream(nxs_id id) const {
    Ref<Stream> stream = streams.pin(id);
    check_same_device("stream", stream->device(), device());
    return stream;
  }

  nxs_ticket run(const Ref<Stream> &stream) {
    const RunLock<Recording> lock(*this);
    for_each_run_elsewhere(lock, *stream, [&](const Ref<Stream> &other, nxs_ticket ticket) {
      stream->wait({other, ticket, other->tickets().event_of(ticket)});
    });
    const auto encode = [&](Commands &commands) {
      lock.for_each_step([&](const Step &step) {
        if (const KernelCommand *kernel = step.kernel()) {
          kernel->encode(commands);
        } else {
          step.transfer()->encode(commands);
        }
      });
    };
    return submit_run(lock, stream, [&] { return stream->submit(encode); });
  }
};

constexpr PropertyTable<Schedule, 0> schedule_properties{};

}  // namespace
}  // namespace nexus_metal

using namespace nexus_metal;

NEXUS_PLUGIN_RECORDING(Recording, schedule_properties)
