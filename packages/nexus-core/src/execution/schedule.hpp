// SPDX-License-Identifier: Apache-2.0
//
// Schedules, which are recorded once and run many times, their commands and the commands'
// arguments.
#pragma once

#include <nexus-api/nxs.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/lock.hpp"
#include "base/ref.hpp"
#include "checks/launch.hpp"
#include "device/device.hpp"
#include "execution/kernel.hpp"
#include "memory/buffer.hpp"
#include "memory/memory.hpp"
#include "object/object.hpp"
#include "stream/event.hpp"
#include "stream/host_call.hpp"
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
  /// Returns the schedule that the command runs; else none. Throws if its own schedule was closed.
  Ref<Schedule> nested() const;

  /// Returns whether the plug-in replays it; a run of another schedule if it replays all of that.
  bool isNative() const;

  void setArgument(uint32_t index, Argument argument);
  /// Makes a signal or wait use value in the schedule's next run, value + step in the one after it,
  /// and so on.
  void setValue(uint64_t value, uint64_t step);
  void finalize(const nexus_launch_desc &desc);

  /// Returns "kernel 'scale'", "copy", "host function 'report'" or "schedule 3", for errors.
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
  // devices, empty copies, host functions and runs of other schedules.
  const nxs_id id_;

  Ref<Kernel> kernel_;          // under the schedule's mutex, until the command is discarded
  Ref<Schedule> nested_;        // under the schedule's mutex, until that is closed
  Ref<HostFunction> function_;  // likewise

  // Set by the schedule when it makes the command, constant afterwards.
  Ref<Event> event_;
  Ref<Memory> source_;  // of copies; fills have only a destination
  Ref<Memory> destination_;
  nxs_buffer_range from_{};
  nxs_buffer_range to_{};
  uint64_t nested_number_ = 0;
  std::string function_name_;

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

/// Signals, waits, copies between devices, host functions and nested schedules divide the commands
/// into pieces, each of which is a schedule of the plug-in. A run does the segments of a plan in
/// order, with those of nested schedules in their place; pieces that follow each other are one
/// segment if the plug-in can join them. If the signal of a wait was not submitted yet, the queue
/// holds the rest.
///
/// Lock order: the mutexes of schedules by their numbers, then an event's or a queue's.
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
  /// Appends a run of another schedule, as that is when this one runs.
  Command &addNested(Schedule &inner);
  /// Appends a call of a function of the program.
  Command &addHostFunction(const nexus_host_function &function);

  /// Removes a kernel command that was never finalized, as if it had not been made. The closed
  /// object lives as long as the schedule.
  void discard(Command &command);

  /// Submits that many runs, one after the other, and, without NonBlocking, waits for them. With
  /// Timing they are timed as a whole.
  void run(Queue &queue, nxs_execution_settings settings, uint64_t timeout, uint64_t times);
  /// Lets the plug-in prepare what the first run would prepare.
  void prepare(Queue &queue);
  /// Returns the nanoseconds that the newest run with Timing took. Throws
  /// NXS_ProfilingInfoNotAvailable without such a run, NXS_InvalidOperation while it runs, and its
  /// failure if it failed.
  double elapsed();

  nxs_id nativeId() const noexcept override { return id_; }
  /// Returns whether the plug-in replays all commands, also those of nested schedules.
  bool isNative();

  std::optional<json::Value> property(std::string_view name, nxs_property number) override;
  std::vector<std::string> propertyKeys() override;

 private:
  friend class Command;

  /// What the commands are recorded into: a piece, or nothing for a command that libnexus does.
  struct Step {
    std::size_t piece = 0;
    Command *own_command = nullptr;  // NULL: a piece
    std::size_t first = 0;           // indices of its first and last command
    std::size_t last = 0;
  };
  /// A part of each run: one run of the plug-in, or a command that libnexus does itself, which is a
  /// signal, a wait, a copy between devices or a host function.
  struct Segment {
    Command *own_command = nullptr;  // NULL: the plug-in runs native
    uint64_t earlier = 0;            // runs of the own command's schedule before it in this run
    std::vector<nxs_id> pieces;
    nxs_id native = 0;           // the piece, or the schedule that joins them
    Ref<Native> joined;          // owns that
    std::vector<Schedule *> of;  // the schedules of the pieces, in the order of their numbers
    WorkName name{};             // in its newest run
  };
  /// A schedule in a plan, and how often a run of the plan runs it.
  struct Member {
    Schedule *schedule;
    uint64_t runs;
  };
  /// What a run does. Valid while the shapes of the schedule and of all nested in it are the same.
  struct Plan {
    uint64_t shape = 0;  // their sum
    std::vector<Segment> segments;
    std::vector<Member>
        members;  // the schedule and all nested in it, in the order of their numbers

    bool isOnePiece() const noexcept {
      return segments.size() == 1 && segments[0].own_command == nullptr;
    }
  };
  /// Locks a schedule and all nested in it, in the order of their numbers, so that two threads
  /// can't wait for each other.
  class FamilyLock {
   public:
    /// Locks also another schedule and all nested in it.
    explicit FamilyLock(Schedule &outer, Schedule *other = nullptr);
    /// Returns a number that grows with each change of the commands of one of them.
    uint64_t shape() const;

   private:
    LogHold hold_;                    // destroyed after the locks
    std::vector<Ref<Schedule>> all_;  // also
    std::vector<std::unique_lock<std::mutex>> locks_;
  };
  /// What a closed schedule used, to be released without its mutex, since that may call the user's
  /// code.
  struct Released {
    Released() = default;
    Released(const Released &) = delete;
    Released &operator=(const Released &) = delete;
    ~Released();

    std::vector<Ref<Memory>> memories;
    std::vector<Ref<Schedule>> nested;
    std::vector<Ref<HostFunction>> functions;
  };
  /// The queues of the runs before, to be released without the mutex.
  struct QueuesBefore {
    Ref<Queue> own;
    std::vector<Ref<Queue>> nested;
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
  /// Makes plans and the snapshot invalid, after the commands or their arguments have changed.
  void noteChanged() noexcept {
    ++shape_;
    snapshot_.reset();
  }
  /// Releases the plug-in's schedules, and moves what the commands use out.
  void letGo(Released &released);

  // Also under the mutexes of all nested schedules.
  QueuePosition submit(uint64_t shape, Queue &queue, nxs_execution_settings settings,
                       uint64_t times, DeferredWakes &wakes, QueuesBefore &before);
  QueuePosition submitSegments(Queue &queue, nxs_execution_settings settings, uint64_t times,
                               DeferredWakes &wakes, QueuesBefore &before);
  QueuePosition submitRun(Queue &queue, nxs_execution_settings settings, DeferredWakes &wakes,
                          QueuesBefore &before);
  QueuePosition submitSegment(Segment &segment, Queue &queue, nxs_execution_settings settings,
                              uint64_t run, DeferredWakes &wakes);
  void noteRun(Queue &queue, QueuePosition position, QueuesBefore &before);
  /// Makes the plan if it is not valid, and checks that the schedules can run.
  Plan &preparePlan(uint64_t shape);
  void makePlan(uint64_t shape);
  void addTo(Plan &plan, std::vector<std::string> &commands, const std::string &before,
             const std::string &after);
  void join(Segment &segment) const;
  std::string pathTo(const Schedule &nested) const;
  void makeTiming();
  void checkSignals() const;
  void orderAfterLastRuns(Queue &queue, DeferredWakes &wakes);

  template <class Each>
  static void forEachRun(uint64_t times, nxs_execution_settings settings, const Each &each);

  // Under the mutexes of the segment's schedules.
  static QueuePosition holdNative(const Segment &segment, Queue &queue,
                                  nxs_execution_settings settings, DeferredWakes &wakes);
  static nxs_ticket runNative(const Segment &segment, Queue &queue,
                              nxs_execution_settings settings);
  /// Returns the name of a segment for errors; valid until the next run.
  static const WorkName &nameOf(Segment &segment, uint64_t run) noexcept {
    segment.name.run = run;
    return segment.name;
  }

  // Under mutex_.
  std::string name() const { return "schedule " + std::to_string(number_); }
  static uint64_t valueOfRun(const Command &command, uint64_t run);
  std::shared_ptr<const Snapshot> snapshot();
  void sendArguments(const Snapshot *snapshot);

  // Returns elapsed(), or nothing if that throws. Call it without the mutex.
  std::optional<double> knownElapsed();

  /// Calls body(shape) with the schedule and all nested in it locked.
  template <class Body>
  auto locked(Body &&body) {
    if (!nests_.load(std::memory_order_relaxed)) {
      const Lock lock(mutex_);
      if (nested_.empty()) [[likely]] {
        return body(shape_);
      }
    }
    const FamilyLock family(*this);
    return body(family.shape());
  }
  /// Ends the use by a command of another schedule, which was closed.
  void leave();

  Device &device_;
  const uint64_t number_;  // counts the schedules of the process; for errors
  nxs_id id_ = 0;          // of the first piece
  const Ref<InFlightSet> runs_ = make<InFlightSet>();  // the runs, for the memories that they use

  std::mutex mutex_;
  std::vector<nxs_id> pieces_;     // under mutex_, as all below; never empty
  std::size_t filled_pieces_ = 0;  // pieces with commands; the newest may have none
  std::vector<Step> steps_;
  std::vector<Schedule *> nested_;  // kept alive by the commands
  std::size_t outers_ = 0;          // commands of other schedules that run this one
  uint64_t shape_ = 0;              // counts changes of the commands
  std::vector<std::unique_ptr<Command>> commands_;
  std::vector<std::unique_ptr<Command>> discarded_;  // empty, kept for their references
  std::unique_ptr<Plan> plan_;                       // none until a run
  std::size_t unfinalized_ = 0;
  uint64_t run_count_ = 0;
  QueuedWork last_run_;
  Ref<Event> order_;  // orders runs in different queues if there are several segments
  uint64_t order_value_ = 0;
  Ref<Event> begin_;  // signalled before and after a run with Timing; made by the first
  Ref<Event> end_;
  uint64_t argument_version_ = 0;           // counts changes of arguments after finalize
  uint64_t sent_version_ = 0;               // the version that the plug-in has
  std::weak_ptr<const Snapshot> snapshot_;  // the newest; its runs own it
  std::size_t held_pieces_ = 0;
  std::atomic<bool> nests_{false};  // whether nested_ has some; changed under mutex_
};

}  // namespace nexus::core
