// SPDX-License-Identifier: Apache-2.0
//
// Schedules, which are recorded once and run many times, their commands and the commands'
// arguments.
#pragma once

#include <nexus-api/nxs.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
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
  Ref<Memory> memory;                    // of a buffer; kept alive
  std::shared_ptr<const Layout> layout;  // of a buffer
  nxs_id buffer = 0;                     // the plug-in's id of the buffer on the command's device
  uint64_t offset = 0;                   // of a buffer: bytes from the start of its memory
  Ref<Memory> arena;                     // of scratch memory that was placed: where it lies
  uint64_t base = 0;                     // likewise: the offset of its start there
  uint64_t size = 0;                     // bytes
  std::vector<unsigned char> data;       // of a scalar
  bool given = false;

  /// Makes an argument of a command on device. Throws what Memory::on throws.
  static Argument ofBuffer(const Buffer &buffer, Device &device);
  /// Makes an operand of a copy or a fill, without the id of the buffer.
  static Argument ofRange(const Buffer &buffer);
  static Argument ofScalar(const void *data, uint64_t size, nxs_data_type data_type);
  static Argument ofLocalMemory(uint64_t size);

  /// Returns the form for the plug-in, which points into this.
  nxs_argument native() const noexcept;
  /// Of a buffer: its range, for copies and fills.
  nxs_buffer_range range() const noexcept {
    return {sizeof(nxs_buffer_range), buffer, base + offset, size};
  }
  /// Of a buffer: the memory that range() is in.
  const Ref<Memory> &rangeMemory() const noexcept { return arena ? arena : memory; }
  bool isScratch() const noexcept { return memory && memory->scratchOf() != 0; }
  /// Returns whether both are given, and the same for the plug-in.
  bool isLike(const Argument &other) const noexcept;
};

/// Throws NXS_MemCopyOverlap if the buffers of a copy overlap. name: the parameter that names one
/// of them.
void checkApart(const Argument &destination, const Argument &source, const char *name);

class Schedule;
class Stream;
class Command;

/// The predecessors of a command; without a value the command recorded before it.
using Predecessors = std::optional<std::vector<Command *>>;

/// Shares one reference count with its schedule, so each keeps the other alive. The schedule's
/// mutex guards everything mutable.
class Command final : public Object {
 public:
  static constexpr nxs_object_type kType = NXS_ObjectType_Command;

  Command(Schedule &schedule, nxs_command_type type);
  ~Command() override = default;

  Schedule &schedule() const noexcept { return schedule_; }
  nxs_command_type commandType() const noexcept { return type_; }
  /// Returns the kernel of a dispatch; else none. Throws if the command was removed.
  Ref<Kernel> kernel() const;
  /// Returns the event of a signal or a wait; else NULL.
  Event *event() const noexcept { return event_.get(); }
  /// Returns the schedule that the command runs; else none. Throws if its own schedule was closed.
  Ref<Schedule> nested() const;
  /// Returns the schedules that a condition runs. Throws for other commands, and if its own
  /// schedule was closed.
  std::vector<Ref<Schedule>> bodies() const;

  /// Returns whether the plug-in replays the command; for a nested schedule, whether it replays all
  /// its commands.
  bool isReplayedNatively() const;

  /// Sets an argument of a kernel, the destination (0) or source (1) of a copy, or the buffer (0)
  /// of a fill, for later runs.
  void setBuffer(uint32_t index, const Buffer &buffer);
  /// Sets an argument of a kernel or the pattern (1) of a fill, for later runs.
  void setScalar(uint32_t index, const void *data, uint64_t size, nxs_data_type data_type);
  void setLocalMemory(uint32_t index, uint64_t size);
  /// Makes a buffer over the memory of an argument; of a copy, 0 is the destination and 1 the
  /// source. Throws NXS_InvalidArgIndex and NXS_InvalidArgValue if that is not a buffer.
  Ref<Buffer> buffer(uint32_t index) const;
  /// Makes a signal or wait use value in the schedule's next run, value + step in the one after it,
  /// and so on.
  void setValue(uint64_t value, uint64_t step);
  void finalize(const nexus_launch_desc &desc);
  /// A disabled command does nothing in later runs.
  void setEnabled(bool enabled);
  bool enabled() const;

  /// Returns "kernel 'scale'", "copy", "host function 'report'" or "schedule 3", for errors.
  std::string describe() const;
  /// Returns what was recorded, as nexus_command_describe specifies.
  json::Value recording() const;

  nxs_id nativeId() const noexcept override { return id_.load(std::memory_order_relaxed); }
  std::optional<json::Value> property(std::string_view name, nxs_property number) override;
  std::vector<std::string> propertyKeys() override;

 private:
  friend class Schedule;

  /// Returns the argument at an index if it is a buffer; else NULL. Under the schedule's mutex.
  const Argument *bufferAt(uint32_t index) const noexcept;

  bool isReplayedWith(std::vector<Ref<Schedule>> &run) const;

  /// Throws if another thread has removed the command. Under the schedule's mutex.
  void requireKept() const;
  /// Throws if the command was removed or its schedule closed. Under the schedule's mutex.
  void requireOpen() const;
  /// Returns the kernel of a dispatch. Throws for other commands, and what requireOpen() throws.
  /// Under the schedule's mutex.
  const Kernel &requireKernel(const char *doing) const;
  NativeProperties properties() const;

  bool isTransfer() const noexcept {
    return type_ == NXS_CommandType_Copy || type_ == NXS_CommandType_Fill;
  }
  /// Returns whether the command is a condition: it reads an integer and runs other schedules
  /// accordingly.
  bool isCondition() const noexcept {
    return type_ == NXS_CommandType_If || type_ == NXS_CommandType_While ||
           type_ == NXS_CommandType_Switch;
  }
  /// Of a copy or fill: returns whether there are no bytes.
  bool isEmpty() const noexcept { return isTransfer() && arguments_[0].size == 0; }
  bool usesScratch() const noexcept {
    return std::any_of(arguments_.begin(), arguments_.end(),
                       [](const Argument &each) { return each.isScratch(); });
  }
  /// Returns whether the plug-in performs the command instead of libnexus. Under the schedule's
  /// mutex.
  bool inPiece() const noexcept;
  /// Returns whether the plug-in's runs include the command as it was last recorded. Under the
  /// schedule's mutex.
  bool runsInPiece() const noexcept { return id_ != 0 && enabled_; }
  bool hasNow(uint32_t index, const Buffer &buffer) const;
  /// Sets the argument of a kernel.
  void setArgument(uint32_t index, Argument argument);
  void rebind(uint32_t index, const Buffer &buffer);
  void setPattern(uint32_t index, Argument pattern);
  /// Replaces an argument of a copy or fill. Under the schedule's mutex.
  void replace(uint32_t index, Argument argument);

  /// Pass an argument, or all and the launch, to the plug-in's command with that id. Under the
  /// schedule's mutex.
  void sendArgument(nxs_id id, uint32_t index, const Argument &argument) const;
  void sendAll(nxs_id id, const nxs_launch &launch) const;

  Schedule &schedule_;
  const nxs_command_type type_;
  // The plug-in's id; 0 for commands that libnexus does itself: signals, waits, copies between
  // devices, empty copies, host functions, conditions and runs of other schedules. Changed under
  // the schedule's mutex.
  std::atomic<nxs_id> id_{0};

  Ref<Kernel> kernel_;                 // under the schedule's mutex, until the command is removed
  Ref<Schedule> nested_;               // under the schedule's mutex, until that is closed
  Ref<HostFunction> function_;         // likewise
  std::vector<Ref<Schedule>> bodies_;  // likewise
  Ref<Native> captured_;               // likewise: the plug-in's schedule of captured work

  // Set by the schedule when it makes the command, constant afterwards.
  Ref<Event> event_;
  uint64_t nested_number_ = 0;
  std::string function_name_;
  uint64_t max_count_ = 0;  // the most turns of a While

  // Under the schedule's mutex.
  bool enabled_ = true;
  uint64_t value_ = 0;      // of a signal or wait, in run number first_run_
  uint64_t step_ = 0;       // added in each later run
  uint64_t first_run_ = 1;  // the run of the schedule that uses value_
  // Of a copy: its destination and source; of a fill: its buffer and pattern; of a condition: the
  // integer.
  std::vector<Argument> arguments_;
  std::size_t index_ = 0;  // in the schedule
  Predecessors predecessors_;
  bool finalized_ = false;
  nxs_launch launch_{};  // group_size 0: the backend chooses it and group_count
};

/// Throws NXS_InvalidValue if a signal or wait command can't have that value.
void checkEventValue(nxs_command_type type, const Event &event, uint64_t value);

/// Signals, waits, copies between devices, host functions, conditions and nested schedules divide
/// the commands into pieces, each of which is a schedule of the plug-in. A run does the segments of
/// a plan in order, with those of nested schedules in their place; pieces that follow each other
/// are one segment if the plug-in can join them. If the signal of a wait was not submitted yet, the
/// queue holds the rest.
///
/// Lock order: the mutexes of schedules by their numbers, then an event's or a queue's.
class Schedule final : public ListedObject {
 public:
  static constexpr nxs_object_type kType = NXS_ObjectType_Schedule;

  /// of_calls: the schedule belongs to a kernel's calls, and closes when the program has closed its
  /// last buffer over a memory that the commands use.
  explicit Schedule(Device &device, bool of_calls = false);
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
  /// Appends a condition: an If has one or two bodies, a While one. max_count: of a While.
  Command &addCondition(nxs_command_type type, Buffer &value, const std::vector<Schedule *> &bodies,
                        uint64_t max_count);
  /// Begins to capture what others put on a stream. Throws if it could not become a command.
  void beginCapture(Stream &stream);
  /// Appends the work of a capture on a device: a schedule of the plug-in.
  Command &addCaptured(Device &device, Ref<Native> work);

  /// Makes scratch memory: a run's commands use it, and its contents are undefined when a run
  /// begins. Those whose uses do not overlap share memory of the device.
  Ref<Buffer> createBuffer(Layout layout);

  /// Sets the predecessors of the next command; without a value the command before it, unless a
  /// block determines them. If that command is refused, they apply to the one after it.
  void setNextPredecessors(Predecessors predecessors);
  /// Begins and ends a block of commands that are independent of each other. Each has the
  /// predecessors of the first; the next command after the block follows them all.
  void beginParallel();
  void endParallel();

  /// Removes a command, as if it had not been made. The closed object lives as long as the
  /// schedule.
  void remove(Command &command);
  /// Removes all commands.
  void clear();

  /// Submits that many runs, one after the other, and, without NonBlocking, waits for them. With
  /// Timing they are timed as a whole.
  void run(Queue &queue, nxs_execution_settings settings, uint64_t timeout, uint64_t times);
  /// Lets the plug-in prepare what the first run would prepare.
  void prepare(Queue &queue);
  /// Returns the nanoseconds that the newest run with Timing took. Throws
  /// NXS_ProfilingInfoNotAvailable without such a run, NXS_InvalidOperation while it runs, and its
  /// failure if it failed.
  double elapsed();

  nxs_id nativeId() const noexcept override { return id_.load(std::memory_order_relaxed); }
  /// Returns whether the plug-in replays all commands, also those of nested schedules.

  std::optional<json::Value> property(std::string_view name, nxs_property number) override;
  std::vector<std::string> propertyKeys() override;

 private:
  friend class Command;

  /// Scratch memory that commands use, and its place in an arena.
  struct Scratch {
    Memory *memory;
    std::vector<std::size_t> uses;  // indices of commands, in ascending order
    uint64_t size = 0;              // rounded up to the alignment
    ScratchPlace place;
  };
  struct ScratchLayout {
    std::vector<Scratch> all;  // in the order of their first uses
    uint64_t more = 0;         // bytes of the arena that has to be made; its number is the next
  };
  /// Memory of the device in which scratch memory lies.
  struct Arena {
    uint64_t number;
    Ref<Memory> memory;
  };
  class Lives;
  /// Where commands are recorded: a piece, or nothing for a command that libnexus performs.
  struct Step {
    std::size_t piece = 0;
    Command *own_command = nullptr;  // NULL: a piece
    std::size_t first = 0;           // indices of its first and last command
    std::size_t last = 0;
  };
  /// The plug-in's recording of the commands. A plug-in can neither remove a command nor change a
  /// copy or fill, so after such a change all commands are recorded again at the next run. A held
  /// run keeps the recording with which it began.
  struct Recorded final : Counted {
    // Memories that the commands no longer use, and arenas; released after the plug-in's commands.
    std::vector<Ref<Memory>> former;
    std::vector<Ref<Native>> captured;  // likewise
    std::vector<Ref<Native>> pieces;    // never empty
    std::size_t filled_pieces = 0;      // pieces with commands; the newest may have none
    Ref<Native> disabled;               // has the disabled commands, and is never run
    std::vector<Step> steps;
    std::vector<nxs_id> ids;        // by command; 0: libnexus does it
    uint64_t argument_version = 0;  // the version that it has
    // The shape whose predecessors were passed to the plug-in, and the commands that they cover.
    std::optional<uint64_t> told_shape;
    std::vector<bool> told;
  };
  /// Numbers of pieces of a plan, in ascending order.
  using PieceNumbers = std::vector<std::size_t>;
  /// A part of each run: one run of the plug-in, or a command that libnexus does itself, which is a
  /// signal, a wait, a copy between devices, a host function or a condition.
  struct Segment {
    Command *own_command = nullptr;  // NULL: the plug-in runs native
    uint64_t earlier = 0;            // runs of the own command's schedule before it in this run
    std::vector<nxs_id> pieces;
    std::size_t first_piece = 0;       // its number in the plan
    std::vector<PieceNumbers> follow;  // by piece: those of the segment that it follows
    nxs_id native = 0;                 // the piece, or the schedule that joins them
    std::vector<Ref<Native>> parts{};  // that it runs, beside the pieces
    Ref<Native> joined;                // owns it, unless it is the piece
    std::vector<Schedule *> of;        // the schedules of the pieces, in the order of their numbers
    std::vector<std::vector<Segment>> bodies{};  // of a condition that libnexus does
    WorkName name{};                             // in its newest run

    bool isNative() const noexcept { return own_command == nullptr; }
  };
  /// A native segment that is submitted later, also several times, with the arguments that its
  /// schedules have now.
  class HeldSegment;
  class Condition;
  /// Enqueues a segment. May be called several times, without locks.
  using Enqueue = std::function<QueuePosition(Queue &, DeferredWakes &)>;
  /// A schedule in a plan, and how often a run of the plan runs it.
  struct Member {
    Schedule *schedule;
    uint64_t runs;
    PieceNumbers ends;  // what follows the newest run follows these
  };
  /// What a run does. Valid until the commands of the schedule, or of one nested in it, change.
  struct Plan {
    std::vector<Ref<Recorded>> recorded;  // what the segments use
    uint64_t shape = 0;                   // the newest of theirs
    std::vector<Segment> segments;
    std::size_t pieces = 0;  // their number, also in bodies
    std::size_t bytes = 0;   // about what the plan needs
    std::vector<Member>
        members;  // the schedule and all nested in it, in the order of their numbers
    bool has_older_runs = false;  // a member may have some

    bool isOnePiece() const noexcept {
      return segments.size() == 1 && segments[0].own_command == nullptr;
    }
  };
  /// Locks a schedule and all nested in it, in the order of their numbers, so that two threads
  /// can't wait for each other.
  class FamilyLock {
   public:
    /// Locks also other schedules and all nested in them.
    explicit FamilyLock(Schedule &outer, std::span<Schedule *const> others = {});
    /// Returns the newest shape of them, which each change of the commands of one of them makes.
    uint64_t shape() const;

   private:
    LogHold hold_;                    // destroyed after the locks
    std::vector<Ref<Schedule>> all_;  // also
    std::vector<std::unique_lock<std::mutex>> locks_;
  };
  /// What is not used any more, to be released without the mutex, since that may call the user's
  /// code.
  struct Released {
    Released() = default;
    Released(const Released &) = delete;
    Released &operator=(const Released &) = delete;
    ~Released();

    std::vector<Ref<Recorded>> recorded;
    std::vector<std::unique_ptr<Plan>> plans;
    std::vector<QueuedWork> runs;
    std::vector<Ref<Schedule>> nested;
    std::vector<Ref<HostFunction>> functions;
    std::vector<Ref<Kernel>> kernels;
    std::vector<std::shared_ptr<HeldSegment>> held;
  };
  /// The queues of the runs before, and their plan, to be released without the mutex.
  struct Before {
    struct More {
      std::vector<Ref<Queue>> nested;
      Released released;
    };

    /// Made at first use, since most runs need none of it.
    More &more() {
      if (!made) made = std::make_unique<More>();
      return *made;
    }

    Ref<Queue> own;
    std::unique_ptr<More> made;
  };
  /// The arguments of all commands, for a held run.
  struct Snapshot {
    uint64_t version = 0;
    std::vector<std::vector<Argument>> arguments;  // by command
  };

  /// By which runs_ finds its schedule, as long as that lives.
  struct Self {
    std::mutex mutex;
    Schedule *schedule;
  };
  static Ref<InFlightSet> runsOf(const std::shared_ptr<Self> &self);
  bool closable() const noexcept override { return true; }
  void onClose() override;
  NativeProperties properties() const {
    return {device_.plugin(), &nxs_functions::GetScheduleProperty, nativeId(), "schedule"};
  }

  // All under mutex_.
  void requireOpen() const;             // throws if another thread has closed it
  void requireIdle(const char *doing);  // and what requireOpen() checks
  Argument operand(const Buffer &buffer, const char *name, const Device *other) const;
  /// Throws if a buffer is scratch memory of another schedule.
  void requireOwn(const Argument &argument, const char *name) const;
  Command &append(std::unique_ptr<Command> command, Released &released);
  std::size_t openPiece(Recorded &into) const;
  void record(Recorded &into, Command &command) const;
  nxs_id create(const Command &command, Recorded &into, nxs_id piece) const;
  /// Records all commands again if one was removed, rebound, enabled or disabled.
  void update(Released &released);
  /// Makes what follows the command at index follow its predecessors.
  void forgetPredecessor(std::size_t index);
  Predecessors predecessorsOfNext() const;
  bool hasBranches() const;
  /// Returns the indices of the commands that the one at index follows.
  std::vector<std::size_t> predecessorsOf(std::size_t index) const;
  const Step *stepOf(std::size_t index) const;
  std::vector<std::size_t> predecessorsInPiece(std::size_t index) const;
  void tellPredecessors();
  /// Makes plans and the snapshot invalid, after the commands or their arguments have changed.
  void noteChanged() noexcept {
    shape_ = newest_shape_.fetch_add(1, std::memory_order_relaxed) + 1;
    snapshot_.reset();
  }
  /// The same after a change that the plug-in can't make: update() does it.
  void noteOutdated() noexcept {
    outdated_ = true;
    noteChanged();
  }
  /// The same for scratch memory that has to be placed again. Until update() does that, at a run,
  /// commands are not recorded.
  void noteScratch() noexcept {
    unplaced_ = true;
    noteOutdated();
  }
  std::vector<Scratch> scratchUses() const;
  ScratchLayout layOutScratch() const;
  void placeScratch();
  uint64_t scratchSize() const;
  /// Takes a command out of the list.
  void take(std::size_t index, Released &released);
  /// Move out what a command uses, or all that the schedule uses.
  void letGo(Command &command, Released &released);
  void letGo(Released &released);

  // Also under the mutexes of all nested schedules.
  QueuePosition submit(uint64_t shape, Queue &queue, nxs_execution_settings settings,
                       uint64_t times, DeferredWakes &wakes, Before &before);
  QueuePosition submitSegments(Queue &queue, nxs_execution_settings settings, uint64_t times,
                               DeferredWakes &wakes, Before &before);
  QueuePosition submitRun(Queue &queue, nxs_execution_settings settings, DeferredWakes &wakes,
                          Before &before);
  QueuePosition submitSegment(Segment &segment, Queue &queue, nxs_execution_settings settings,
                              uint64_t run, DeferredWakes &wakes, Before &before);
  /// Returns what enqueues a segment of a run in `queue`, which is neither a signal nor a wait.
  /// once: called once.
  static Enqueue held(Segment &segment, Queue &queue, nxs_execution_settings settings, uint64_t run,
                      Before &before, bool once);
  void noteRun(Queue &queue, QueuePosition position, Before &before);
  void noteOwnRun(uint64_t runs, Queue &queue, QueuePosition position, Ref<Queue> &last);
  /// Makes the plan if it is not valid, and checks that the schedules can run.
  Plan &preparePlan(uint64_t shape, Before &before);
  void makePlan(uint64_t shape, Released &released);
  PieceNumbers addTo(Plan &plan, std::vector<Segment> &segments, std::vector<std::string> &commands,
                     const std::string &before, const std::string &after, PieceNumbers begin,
                     Released &released);
  void beginStep(Plan &plan, std::vector<Segment> &segments, const Step &begun, bool joins,
                 uint64_t runs_before, std::size_t first);
  void complete(std::vector<Segment> &segments, const Ref<Recording> &recording) const;
  void join(Segment &segment) const;
  bool takesConditions() const noexcept;
  bool takes(const Command &condition) const noexcept;
  void takeOver(Segment &segment) const;
  void mergeNative(std::vector<Segment> &segments) const;
  static void addPart(Segment &to, Segment &from);
  static bool isBefore(const Schedule *one, const Schedule *other) noexcept;
  void prepareSegments(const std::vector<Segment> &segments, Queue &queue) const;
  std::string pathTo(const Schedule &nested) const;
  void requireNotAround(const Schedule &inner, const std::string &parameter) const;
  Command &appendRunning(std::unique_ptr<Command> command, std::span<Schedule *const> inner,
                         Released &released);
  void refuseEventsInBody() const;
  void makeTiming();
  void checkSignals() const;
  void orderAfterLastRuns(Queue &queue, DeferredWakes &wakes);
  void orderAfterOlderRuns(Queue &queue, DeferredWakes &wakes);
  bool findOlderRuns(Before &before);

  template <class Each>
  static void forEachRun(uint64_t times, nxs_execution_settings settings, const Each &each);

  // Under the mutexes of the segment's schedules.
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
  void sendArguments(Recorded &to, const Snapshot *snapshot);

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
  const uint64_t number_;             // counts the schedules of the process; for errors
  std::atomic<nxs_id> id_{0};         // of the first piece; changed under mutex_
  const std::shared_ptr<Self> self_;  // of a schedule of calls; else none
  const Ref<InFlightSet> runs_;       // the runs, for the memories that they use

  std::mutex mutex_;
  Ref<Recorded> recorded_;  // under mutex_, as all below; none once closed
  bool outdated_ = false;   // recorded_ is not what the commands are
  bool unplaced_ = false;   // see noteScratch()
  std::vector<Arena> arenas_;
  uint64_t newest_arena_ = 0;  // its number
  // In flight when the commands were recorded again. The plug-in does not keep later runs apart
  // from these.
  std::vector<QueuedWork> older_runs_;
  std::vector<Schedule *> nested_;  // kept alive by the commands
  std::size_t outers_ = 0;          // commands of other schedules that run this one
  // The number of the newest change of the commands, counted for all schedules: one that is removed
  // from a family takes its number along, so a sum of counts could be the same as before.
  uint64_t shape_ = 0;
  static inline std::atomic<uint64_t> newest_shape_{0};
  std::vector<std::unique_ptr<Command>> commands_;
  std::vector<std::unique_ptr<Command>> removed_;  // empty, kept for their references
  std::unique_ptr<Plan> plan_;                     // none until a run
  Predecessors next_predecessors_;                 // given for the next command
  // While a block is open, the index of its first command, and what its commands follow.
  std::optional<std::size_t> block_begin_;
  std::vector<Command *> block_follows_;
  // What the command at that index follows, which is the first one after a block.
  std::size_t joined_at_ = 0;
  Predecessors joined_;
  std::size_t unfinalized_ = 0;
  uint64_t run_count_ = 0;
  QueuedWork last_run_;
  Ref<Event> order_;  // orders runs in different queues if there are several segments
  uint64_t order_value_ = 0;
  Ref<Event> begin_;  // signalled before and after a run with Timing; made by the first
  Ref<Event> end_;
  uint64_t argument_version_ = 0;           // counts changes of arguments after finalize
  std::weak_ptr<const Snapshot> snapshot_;  // the newest; its runs own it
  std::size_t held_pieces_ = 0;
  std::atomic<bool> nests_{false};  // whether nested_ has some; changed under mutex_
};

}  // namespace nexus::core
