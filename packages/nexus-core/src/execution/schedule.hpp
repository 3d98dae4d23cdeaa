// SPDX-License-Identifier: Apache-2.0
//
// A schedule: commands that are recorded once and run many times.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "device/device.hpp"
#include "execution/command.hpp"
#include "object/object.hpp"
#include "stream/event.hpp"
#include "stream/in_flight_set.hpp"
#include "stream/work_log.hpp"

namespace nexus::core {

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

  // All under mutex_.
  void requireOpen() const;             // throws if another thread has closed it
  void requireIdle(const char *doing);  // and what requireOpen() checks
  std::size_t openPiece();
  Command &appendOwn(std::unique_ptr<Command> command);
  Command &append(std::unique_ptr<Command> command, std::size_t piece);
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
