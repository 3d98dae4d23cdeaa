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

/// Signals, waits and copies between devices cut the commands into pieces, each a schedule of the
/// plug-in that is replayed. A run gives all of them to a queue in their order; where a
/// wait's signal was not submitted yet, the queue holds back the rest.
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

  /// Takes out a kernel command that was never finalized, as if it had not been made. Its object
  /// lives on with the schedule, closed.
  void discard(Command &command);

  /// Submits a run and, without NonBlocking, waits for it. With Timing its time is taken.
  void run(Queue &queue, nxs_execution_settings settings, uint64_t timeout);
  /// Lets the plug-in make ready what a first run would.
  void prepare(Queue &queue);
  /// How many nanoseconds the newest run with Timing took. Throws NXS_ProfilingInfoNotAvailable,
  /// NXS_InvalidOperation before its end, or why it failed.
  double elapsed();

  nxs_id nativeId() const noexcept override { return id_; }
  std::optional<json::Value> property(std::string_view name, nxs_property number) override;
  std::vector<std::string> propertyKeys() override;

 private:
  friend class Command;

  /// What a run does, in order: run a piece, or do a command that is libnexus' own: a signal, a
  /// wait, or a copy between devices.
  struct Step {
    std::size_t piece = 0;
    Command *own_command = nullptr;  // NULL: run the piece
    std::size_t first = 0;           // the commands that it does, by their indices
    std::size_t last = 0;
    WorkName name{};  // as of its newest run
  };
  /// The arguments of all kernel commands, for a run that is held back.
  struct Snapshot {
    uint64_t version = 0;
    std::vector<std::vector<Argument>> arguments;  // by command
  };

  bool closable() const noexcept override { return true; }
  void onClose() override;

  // All under mutex_.
  void requireOpen() const;             // throws where another thread has closed it
  void requireIdle(const char *doing);  // and open
  std::size_t openPiece();
  Command &appendOwn(std::unique_ptr<Command> command);
  Command &append(std::unique_ptr<Command> command, std::size_t piece);
  void forgetIndex(std::size_t index);
  /// The commands have changed, or arguments that count from finalize on: what was taken of them
  /// is no longer so.
  void forgetTaken() noexcept {
    recording_ = {};
    snapshot_.reset();
  }
  /// Ends the plug-in's schedules and moves out what the commands hold, for the caller to let
  /// go of without the mutex.
  void letGo(std::vector<Ref<Memory>> &memories);
  /// before: gets the queue of the run before, to be released after the lock.
  QueuePosition submit(Queue &queue, nxs_execution_settings settings, DeferredWakes &wakes,
                       Ref<Queue> &before);
  QueuePosition submitSteps(Queue &queue, nxs_execution_settings settings, DeferredWakes &wakes);
  QueuePosition submitStep(Step &step, Queue &queue, nxs_execution_settings settings, uint64_t run,
                           DeferredWakes &wakes);
  QueuePosition copyAcross(Step &step, Queue &queue, uint64_t run, DeferredWakes &wakes);
  QueuePosition holdPiece(Step &step, Queue &queue, nxs_execution_settings settings, uint64_t run,
                          DeferredWakes &wakes);
  nxs_ticket runPiece(std::size_t piece, Queue &queue, nxs_execution_settings settings);
  /// What a step is, for the errors that tell of it; changes with the next run.
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

  // That of elapsed(), or nothing where it throws. Without the mutex.
  std::optional<double> knownElapsed();

  // A run that was held back goes on: called without the mutex.
  nxs_ticket runHeld(std::size_t piece, Queue &queue, nxs_execution_settings settings,
                     const Snapshot &snapshot);
  void dropHeld();

  Device &device_;
  const uint64_t number_;  // of all schedules of the process, in errors
  nxs_id id_ = 0;          // the first piece's
  const Ref<InFlightSet> runs_ =
      make<InFlightSet>();  // the runs, as the buffers' memories see them

  std::mutex mutex_;
  std::vector<nxs_id> pieces_;     // under mutex_, as all below; the first is there from the begin
  std::size_t filled_pieces_ = 0;  // those that have commands; the newest piece may have none
  std::vector<Step> steps_;
  std::vector<std::unique_ptr<Command>> commands_;
  std::vector<std::unique_ptr<Command>> discarded_;  // empty, until nobody holds them
  Ref<Recording> recording_;  // of the commands as they are; none until a run
  std::size_t unfinalized_ = 0;
  uint64_t run_count_ = 0;
  QueuedWork last_run_;
  Ref<Event> order_;  // orders runs in different queues where there is more than one step
  uint64_t order_value_ = 0;
  Ref<Event> begin_;  // signalled around the runs with Timing; made with the first of them
  Ref<Event> end_;
  uint64_t argument_version_ = 0;           // counts the changes of arguments after finalize
  uint64_t sent_version_ = 0;               // the version that the plug-in has
  std::weak_ptr<const Snapshot> snapshot_;  // the newest; its runs own it
  std::size_t held_pieces_ = 0;
};

}  // namespace nexus::core
