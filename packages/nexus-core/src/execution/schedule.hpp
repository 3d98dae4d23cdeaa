// SPDX-License-Identifier: Apache-2.0
//
// Schedules, which are recorded once and run many times, their commands and the commands'
// arguments.
#pragma once

#include <nexus-api/nxs.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "base/ref.hpp"
#include "checks/launch.hpp"
#include "device/device.hpp"
#include "execution/kernel.hpp"
#include "memory/buffer.hpp"
#include "memory/memory.hpp"
#include "object/object.hpp"
#include "stream/event.hpp"
#include "stream/in_flight_set.hpp"
#include "stream/work_log.hpp"

namespace nexus::core {

/// The value of an argument.
struct Argument {
  nxs_argument_kind kind = NXS_ArgumentKind_Buffer;
  nxs_data_type data_type = NXS_DataType_Undefined;
  bool read_only = false;           // of a buffer
  Ref<Memory> memory;               // of a buffer; kept alive
  nxs_id buffer = 0;                // the plug-in's id of the buffer on the command's device
  uint64_t offset = 0;              // of a buffer: bytes from the start of its memory
  uint64_t size = 0;                // bytes
  std::vector<unsigned char> data;  // of a scalar
  bool given = false;

  /// Makes an argument of a command on device. Throws what Memory::on throws.
  static Argument ofBuffer(const Buffer &buffer, Device &device);
  static Argument ofScalar(const void *data, uint64_t size, nxs_data_type data_type);
  static Argument ofLocalMemory(uint64_t size);

  /// Returns the form for the plug-in, which points into this.
  nxs_argument native() const noexcept;
};

class Schedule;

/// A part of its schedule, which counts the references to both, so that each keeps the other alive.
/// The schedule's mutex guards all that changes.
class Command final : public Object {
 public:
  static constexpr nxs_object_type kType = NXS_ObjectType_Command;

  Command(Schedule &schedule, nxs_command_type type, nxs_id id);
  ~Command() override = default;

  Schedule &schedule() const noexcept { return schedule_; }
  nxs_command_type commandType() const noexcept { return type_; }
  /// Returns the kernel of a dispatch; else none. Throws if the command was discarded.
  Ref<Kernel> kernel() const;
  /// Returns the event of a signal or a wait; else NULL.
  Event *event() const noexcept { return event_.get(); }

  void setArgument(uint32_t index, Argument argument);
  /// Makes a signal or wait use value in the schedule's next run, value + step in the one after it,
  /// and so on.
  void setValue(uint64_t value, uint64_t step);
  void finalize(const nexus_launch_desc &desc);

  /// Returns "kernel 'scale'" or "copy", for errors.
  std::string describe() const;

  nxs_id nativeId() const noexcept override { return id_; }
  std::optional<json::Value> property(std::string_view name, nxs_property number) override;
  std::vector<std::string> propertyKeys() override;

 private:
  friend class Schedule;

  /// Throws if another thread has discarded the command. Under the schedule's mutex.
  void requireKept() const;
  /// Throws if the command was discarded or its schedule closed. Under the schedule's mutex.
  void requireOpen() const;
  /// Returns the kernel of a dispatch. Throws for other commands, and what requireOpen() throws.
  /// Under the schedule's mutex.
  const Kernel &requireKernel(const char *doing) const;
  NativeProperties properties() const;

  /// Passes an argument to the plug-in. Under the schedule's mutex.
  void sendArgument(uint32_t index, const Argument &argument) const;

  Schedule &schedule_;
  const nxs_command_type type_;
  // The plug-in's id; 0 for commands that libnexus does itself: signals, waits, copies between
  // devices and empty copies.
  const nxs_id id_;

  Ref<Kernel> kernel_;  // under the schedule's mutex, until the command is discarded

  // Set by the schedule when it makes the command, constant afterwards.
  Ref<Event> event_;
  Ref<Memory> source_;  // of copies; fills have only a destination
  Ref<Memory> destination_;
  nxs_buffer_range from_{};
  nxs_buffer_range to_{};

  // Under the schedule's mutex.
  uint64_t value_ = 0;      // of a signal or wait, in run number first_run_
  uint64_t step_ = 0;       // added in each later run
  uint64_t first_run_ = 1;  // the run of the schedule that uses value_
  std::vector<Argument> arguments_;
  bool finalized_ = false;
  Counts group_size_{};  // 0: the backend chooses it and the group count
  Counts grid_size_{};
  Counts group_count_{};
};

/// Throws NXS_InvalidValue if a signal or wait command can't have that value.
void checkEventValue(nxs_command_type type, const Event &event, uint64_t value);

/// Signals, waits and copies between devices divide the commands into pieces, each of which is a
/// schedule of the plug-in. A run submits all of them to a queue in order. If the signal of a wait
/// was not submitted yet, the queue holds the rest.
///
/// Lock order: a schedule's mutex, then an event's or a queue's.
class Schedule final : public ListedObject {
 public:
  static constexpr nxs_object_type kType = NXS_ObjectType_Schedule;

  explicit Schedule(Device &device);
  ~Schedule() override;

  Device &device() const noexcept { return device_; }
  std::size_t commandCount();
  Command &command(uint64_t index);

  Command &addKernel(Kernel &kernel);
  Command &addCopy(Buffer &destination, Buffer &source);
  Command &addFill(Buffer &buffer, const void *pattern, uint64_t pattern_size);
  Command &addEvent(nxs_command_type type, Event &event, uint64_t value, uint64_t step);

  /// Removes a kernel command that was never finalized, as if it had not been made. The closed
  /// object lives as long as the schedule.
  void discard(Command &command);

  /// Submits a run and, without NonBlocking, waits for it. With Timing it is timed.
  void run(Queue &queue, nxs_execution_settings settings, uint64_t timeout);
  /// Lets the plug-in prepare what the first run would prepare.
  void prepare(Queue &queue);
  /// Returns the nanoseconds that the newest run with Timing took. Throws
  /// NXS_ProfilingInfoNotAvailable without such a run, NXS_InvalidOperation while it runs, and its
  /// failure if it failed.
  double elapsed();

  nxs_id nativeId() const noexcept override { return id_; }
  std::optional<json::Value> property(std::string_view name, nxs_property number) override;
  std::vector<std::string> propertyKeys() override;

 private:
  friend class Command;

  /// A part of each run: runs a piece, or does a command of libnexus itself, which is a signal, a
  /// wait or a copy between devices.
  struct Step {
    std::size_t piece = 0;
    Command *own_command = nullptr;  // NULL: run the piece
    std::size_t first = 0;           // indices of its first and last command
    std::size_t last = 0;
    WorkName name{};  // in its newest run
  };
  /// The arguments of all kernel commands, for a held run.
  struct Snapshot {
    uint64_t version = 0;
    std::vector<std::vector<Argument>> arguments;  // by command
  };

  bool closable() const noexcept override { return true; }
  void onClose() override;
  NativeProperties properties() const {
    return {device_.plugin(), &nxs_functions::GetScheduleProperty, id_, "schedule"};
  }

  // All under mutex_.
  void requireOpen() const;             // throws if another thread has closed it
  void requireIdle(const char *doing);  // and what requireOpen() checks
  std::size_t openPiece();
  Command &append(std::unique_ptr<Command> command, std::optional<std::size_t> piece);
  void forgetIndex(std::size_t index);
  /// Drops the recording and the snapshot, after the commands or their arguments have changed.
  void forgetTaken() noexcept {
    recording_ = {};
    snapshot_.reset();
  }
  /// Releases the plug-in's schedules, and moves the memories of the commands out, for the caller
  /// to release without the mutex.
  void letGo(std::vector<Ref<Memory>> &memories);
  /// before: receives the queue of the run before, to be released after the lock.
  QueuePosition submit(Queue &queue, nxs_execution_settings settings, DeferredWakes &wakes,
                       Ref<Queue> &before);
  QueuePosition submitSteps(Queue &queue, nxs_execution_settings settings, DeferredWakes &wakes);
  QueuePosition submitStep(Step &step, Queue &queue, nxs_execution_settings settings, uint64_t run,
                           DeferredWakes &wakes);
  QueuePosition copyAcross(Step &step, Queue &queue, uint64_t run, DeferredWakes &wakes);
  QueuePosition holdPiece(Step &step, Queue &queue, nxs_execution_settings settings, uint64_t run,
                          DeferredWakes &wakes);
  nxs_ticket runPiece(std::size_t piece, Queue &queue, nxs_execution_settings settings);
  /// Returns the name of a step for errors; valid until the next run.
  const WorkName &nameOf(Step &step, uint64_t run) {
    if (!recording_) [[unlikely]] {
      describe();
    }
    if (step.name.recording.get() != recording_.get()) [[unlikely]] {
      step.name = {nullptr, recording_, run, step.first, step.last};
    }
    step.name.run = run;
    return step.name;
  }
  void describe();
  static uint64_t valueOfRun(const Command &command, uint64_t run);
  void makeTiming();
  void checkRun() const;
  void checkSignals(uint64_t run) const;
  void orderAfterLastRun(Queue &queue, DeferredWakes &wakes);
  std::shared_ptr<const Snapshot> snapshot();
  void sendArguments(const Snapshot *snapshot);

  // Returns elapsed(), or nothing if that throws. Call it without the mutex.
  std::optional<double> knownElapsed();

  // Submits a piece of a held run. Call it without the mutex.
  nxs_ticket runHeld(std::size_t piece, Queue &queue, nxs_execution_settings settings,
                     const Snapshot &snapshot);
  void dropHeld();

  Device &device_;
  const uint64_t number_;  // counts the schedules of the process; for errors
  nxs_id id_ = 0;          // of the first piece
  const Ref<InFlightSet> runs_ = make<InFlightSet>();  // the runs, for the memories that they use

  std::mutex mutex_;
  std::vector<nxs_id> pieces_;     // under mutex_, as all below; never empty
  std::size_t filled_pieces_ = 0;  // pieces with commands; the newest may have none
  std::vector<Step> steps_;
  std::vector<std::unique_ptr<Command>> commands_;
  std::vector<std::unique_ptr<Command>> discarded_;  // empty, kept for their references
  Ref<Recording> recording_;                         // of the present commands; none until a run
  std::size_t unfinalized_ = 0;
  uint64_t run_count_ = 0;
  QueuedWork last_run_;
  Ref<Event> order_;  // orders runs in different queues if there are several steps
  uint64_t order_value_ = 0;
  Ref<Event> begin_;  // signalled before and after a run with Timing; made by the first
  Ref<Event> end_;
  uint64_t argument_version_ = 0;           // counts changes of arguments after finalize
  uint64_t sent_version_ = 0;               // the version that the plug-in has
  std::weak_ptr<const Snapshot> snapshot_;  // the newest; its runs own it
  std::size_t held_pieces_ = 0;
};

}  // namespace nexus::core
