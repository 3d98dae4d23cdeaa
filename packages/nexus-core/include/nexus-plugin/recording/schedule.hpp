// SPDX-License-Identifier: Apache-2.0
// Schedules: their commands, and the locks of a run. recording.hpp says what a backend defines.
#ifndef NEXUS_PLUGIN_SCHEDULE_HPP_
#define NEXUS_PLUGIN_SCHEDULE_HPP_

#include <nexus-plugin/recording/command.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

namespace nexus_plugin NXS_HIDDEN {

template <class R>
class RunLock;

// Numbers of steps of a run, in ascending order.
using StepNumbers = std::vector<std::size_t>;

// A list of commands: the base class of a backend's Schedule. That has
//
//   bool in_flight() const;       returns whether a run is in flight
//   const char *status() const;   returns "Running", "Complete", "Error", or NULL before the first
//                                 run
//
// and may have its own changed() and rebound(). All are called with the lock held. One thread at a
// time may add and change commands; others may run the schedule meanwhile.
template <class R>
class RecordedSchedule {
 public:
  using Schedule = typename R::Schedule;
  using Device = typename R::Device;

  // device must outlive this.
  explicit RecordedSchedule(Device &device) noexcept : device_(&device) {}
  RecordedSchedule(const RecordedSchedule &) = delete;
  RecordedSchedule &operator=(const RecordedSchedule &) = delete;

  Device &device() const noexcept { return *device_; }
  // Guards the schedule and its commands.
  std::mutex &mutex() const noexcept { return mutex_; }

  // Version numbers: shape() grows with each change of the commands or their launch sizes,
  // bindings() with each change of an argument. They never get smaller, so the sum over a schedule
  // and those nested in it is a version of the whole.
  uint64_t shape() const noexcept { return shape_.load(std::memory_order_acquire); }
  uint64_t bindings() const noexcept { return bindings_.load(std::memory_order_acquire); }

  // Appends a command: a KernelCommand or a Transfer. Throws NXS_InvalidOperation if a run is in
  // flight.
  template <class Kind>
  nxs_id add(nxs_id own_id, Kind body) {
    const std::lock_guard lock(mutex_);
    return append(own_id, std::move(body));
  }

  // Appends a run of another schedule. Throws NXS_InvalidOperation also if that is this one or runs
  // it.
  nxs_id add_nested(nxs_id own_id, Ref<Schedule> inner) {
    const std::vector<Ref<Schedule>> run{inner};
    return add_runs_of(own_id, run, std::move(inner));
  }
  // Appends a condition. Throws as add_nested() does.
  nxs_id add_condition(nxs_id own_id, RecordedCondition<R> condition) {
    const std::vector<Ref<Schedule>> run = condition.bodies;
    return add_runs_of(own_id, run, std::move(condition));
  }

  // Invalidates the ids of its commands. Schedules in which this one is nested still run it.
  void release_commands() noexcept {
    const std::lock_guard lock(mutex_);
    for (const auto &each : commands_) {
      Recorded<R>::commands.try_release(Recorded<R>::commands.id(each));
    }
  }

  // ---- With the lock held ----

  std::size_t size() const noexcept { return commands_.size(); }

  // Removes a command that was never finalized and so is in no run. Its successors then follow its
  // predecessors.
  void remove(const Command<R> &command) {
    const std::size_t index = command.index;
    const StepNumbers before = predecessors_of(index);
    for (std::size_t i = index + 1; i < commands_.size(); ++i) {
      commands_[i]->index = i - 1;
      if (auto &list = commands_[i]->predecessors) {
        if (std::erase(*list, index) != 0) list->insert(list->end(), before.begin(), before.end());
        for (std::size_t &each : *list) each -= each > index ? 1 : 0;
        in_order(*list);
      } else if (i == index + 1) {
        list = command.predecessors;
      }
    }
    commands_.erase(commands_.begin() + static_cast<std::ptrdiff_t>(index));
    note_changed();
  }

  // Implements nxsSetCommandPredecessors.
  void set_predecessors(Command<R> &command, const nxs_id *ids, uint64_t count) {
    refuse_in_flight("what a command follows can't change");
    if (count != 0) check_pointer(ids, "predecessors");
    StepNumbers list;
    for (uint64_t i = 0; i < count; ++i) {
      const auto before = Recorded<R>::commands.pin(ids[i]);
      if (before->schedule() != command.schedule() || before->index >= command.index) {
        throw Error(NXS_InvalidValue, "predecessors[", i,
                    "] is not an earlier command of the schedule");
      }
      list.push_back(before->index);
    }
    in_order(list);
    command.predecessors = std::move(list);
    note_changed();
  }

  // Calls each(Command &) for its own commands.
  template <class Each>
  void for_each_command(const Each &each) const {
    for (const auto &command : commands_) each(*command);
  }
  bool has_conditions() const noexcept {
    return std::any_of(commands_.begin(), commands_.end(),
                       [](const auto &each) { return each->condition() != nullptr; });
  }
  bool has_loops() const noexcept {
    return std::any_of(commands_.begin(), commands_.end(), [](const auto &each) {
      return each->condition() != nullptr && each->condition()->loops();
    });
  }
  // Returns whether the commands run in another order than that of their creation.
  bool branches() const noexcept {
    return std::any_of(commands_.begin(), commands_.end(),
                       [](const auto &each) { return each->predecessors.has_value(); });
  }
  void note_changed() noexcept {
    grow(shape_);
    self().changed();
  }
  void note_rebound(typename R::KernelCommand &command) noexcept {
    grow(bindings_);
    self().rebound(command);
  }

  // Throws NXS_InvalidOperation if a run is in flight.
  void refuse_in_flight(const char *what) const {
    if (!self().in_flight()) return;
    throw Error(NXS_InvalidOperation, what,
                " while a run of the schedule is in flight; wait for its stream first");
  }

  // Visits the commands of a run in order: visitor.enter(schedule), visitor.step(command) for each
  // command that is not empty, visitor.leave(schedule). Visits a nested schedule in the same way;
  // it must be locked too. A condition is one step, which may visit its bodies. Throws
  // NXS_InvalidCommand if a command is not finalized.
  template <class Visitor>
  void walk(Visitor &visitor) {
    visitor.enter(self());
    for (std::size_t i = 0; i < commands_.size(); ++i) {
      Command<R> &command = finalized(i);
      if (Schedule *nested = command.nested()) {
        nested->walk(visitor);
      } else if (!command.empty()) {
        visitor.step(command);
      }
    }
    visitor.leave(self());
  }

  // Visits as walk() does. Each function of the visitor gets also the numbers of the steps that are
  // followed, and returns those which stand for what it visited: visitor.step(command, after)
  // {number}, visitor.enter(schedule, after) {number}, or after if it makes no step. Returns those
  // that stand for the whole schedule. ends: of each schedule those of its newest run, which its
  // next run follows.
  template <class Visitor>
  StepNumbers walk_branches(Visitor &visitor, StepNumbers before,
                            std::map<const Schedule *, StepNumbers> &ends) {
    const StepNumbers &newest_run = ends[&self()];
    before.insert(before.end(), newest_run.begin(), newest_run.end());
    in_order(before);
    const StepNumbers begin = visitor.enter(self(), before);
    std::vector<StepNumbers> done(commands_.size());
    std::vector<unsigned char> followed(commands_.size());
    const auto union_of = [&](const StepNumbers &commands) {
      StepNumbers all;
      for (const std::size_t each : commands) {
        all.insert(all.end(), done[each].begin(), done[each].end());
      }
      in_order(all);
      return all.empty() ? begin : all;
    };
    for (std::size_t i = 0; i < commands_.size(); ++i) {
      Command<R> &command = finalized(i);
      const StepNumbers predecessors = predecessors_of(i);
      for (const std::size_t each : predecessors) followed[each] = 1;
      StepNumbers after = union_of(predecessors);
      if (Schedule *nested = command.nested()) {
        done[i] = nested->walk_branches(visitor, std::move(after), ends);
      } else if (const RecordedCondition<R> *condition = command.condition()) {
        // As a run of all its bodies, and of those nested in them.
        const auto run = RunLock<R>::all_of(condition->bodies);
        for (const Schedule *each : run) {
          after.insert(after.end(), ends[each].begin(), ends[each].end());
        }
        in_order(after);
        done[i] = visitor.step(command, std::move(after));
        for (const Schedule *each : run) ends[each] = done[i];
      } else {
        done[i] = command.empty() ? std::move(after) : visitor.step(command, std::move(after));
      }
    }
    StepNumbers last;
    for (std::size_t i = 0; i < commands_.size(); ++i) {
      if (followed[i] == 0) last.push_back(i);
    }
    return ends[&self()] = visitor.leave(self(), union_of(last));
  }

 protected:
  // Called after a change of the commands or of a command's argument, for backends that cache
  // something derived from them. The defaults do nothing.
  void changed() noexcept {}
  void rebound(typename R::KernelCommand &) noexcept {}

 private:
  friend class RunLock<R>;

  Schedule &self() noexcept { return static_cast<Schedule &>(*this); }
  const Schedule &self() const noexcept { return static_cast<const Schedule &>(*this); }

  static void grow(std::atomic<uint64_t> &version) noexcept {
    version.store(version.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  }

  // Sorts the numbers and removes duplicates.
  static void in_order(StepNumbers &numbers) {
    std::sort(numbers.begin(), numbers.end());
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  }

  StepNumbers predecessors_of(std::size_t index) const {
    if (const auto &given = commands_[index]->predecessors) return *given;
    return index == 0 ? StepNumbers() : StepNumbers{index - 1};
  }

  Command<R> &finalized(std::size_t index) const {
    Command<R> &command = *commands_[index];
    if (command.finalized()) return command;
    throw Error(NXS_InvalidCommand, "command ", index, " (the kernel '",
                command.kernel()->kernel().name(),
                "') is not finalized; finalize it before the run");
  }

  // Appends a command that runs other schedules.
  template <class Kind>
  nxs_id add_runs_of(nxs_id own_id, const std::vector<Ref<Schedule>> &others, Kind body) {
    const RunLock<R> lock(self(), others);
    for (const Ref<Schedule> &each : others) {
      if (RunLock<R>::any_of(*each, [&](const Schedule &run) { return &run == this; })) {
        throw Error(NXS_InvalidOperation,
                    "the command runs its own schedule, directly or nested; a schedule can't run "
                    "itself");
      }
    }
    nested_.reserve(nested_.size() + others.size());
    const nxs_id id = append(own_id, std::move(body));
    for (const Ref<Schedule> &each : others) nested_.push_back(each.get());
    return id;
  }

  template <class Kind>
  nxs_id append(nxs_id own_id, Kind &&body) {
    refuse_in_flight("a command can't be added");
    make_room_for_one(commands_);
    const nxs_id id =
        Recorded<R>::commands.create(own_id, std::in_place_type<Kind>, std::move(body));
    commands_.push_back(Recorded<R>::commands.pin(id));
    commands_.back()->index = commands_.size() - 1;
    note_changed();
    return id;
  }

  Device *device_;
  mutable std::mutex mutex_;
  std::vector<Ref<Command<R>>> commands_;
  // The schedules that the commands run. The commands keep them alive; none is ever removed.
  std::vector<Schedule *> nested_;
  std::atomic<uint64_t> shape_{0}, bindings_{0};
};

// Locks a schedule and all schedules nested in it, for a run. Without nested schedules it takes one
// lock and allocates nothing. Several are locked in the order of their addresses, which prevents
// deadlocks between runs.
template <class R>
class RunLock {
 public:
  using Schedule = typename R::Schedule;

  explicit RunLock(Schedule &outer) : outer_(&outer), own_(outer.mutex()) {
    if (outer.nested_.empty()) [[likely]]
      return;
    own_.unlock();
    lock_all({});
  }
  // Locks also other schedules and all nested in them.
  RunLock(Schedule &outer, const std::vector<Ref<Schedule>> &others) : outer_(&outer) {
    lock_all(others);
  }

  template <class Each>
  void for_each(Each &&each) const {
    if (all_.empty()) return each(*outer_);
    for (Schedule *schedule : all_) each(*schedule);
  }

  uint64_t shape() const noexcept {
    return sum([](const Schedule &each) { return each.shape(); });
  }
  uint64_t bindings() const noexcept {
    return sum([](const Schedule &each) { return each.bindings(); });
  }

  // Calls each(Command &) for the commands of a run in order, including those of nested schedules.
  // Throws NXS_InvalidCommand if one is not finalized.
  template <class Each>
  void for_each_step(const Each &each) const {
    for_each_step(*outer_, each);
  }
  // Does the same for a schedule, which must be locked with all that it runs.
  template <class Each>
  static void for_each_step(Schedule &schedule, const Each &each) {
    struct Steps {
      const Each &each;
      void enter(Schedule &) const noexcept {}
      void step(Command<R> &command) const { each(command); }
      void leave(Schedule &) const noexcept {}
    } steps{each};
    schedule.walk(steps);
  }

  // Returns whether some steps of a run do not follow the one before them.
  bool branches() const { return branches(*outer_); }
  static bool branches(Schedule &schedule) {
    return any_of(schedule, [](const Schedule &each) { return each.branches(); });
  }

  // Calls each(Command &, StepNumbers after) as for_each_step() does. after: the numbers of the
  // steps that the step follows, counted from 0.
  template <class Each>
  void for_each_step_after(const Each &each) const {
    for_each_step_after(*outer_, each);
  }
  template <class Each>
  static void for_each_step_after(Schedule &schedule, const Each &each) {
    struct Steps {
      const Each &each;
      std::size_t count = 0;
      StepNumbers enter(Schedule &, StepNumbers after) const { return after; }
      StepNumbers step(Command<R> &command, StepNumbers after) {
        each(command, std::move(after));
        return {count++};
      }
      StepNumbers leave(Schedule &, StepNumbers after) const { return after; }
    } steps{each};
    walk(schedule, steps);
  }

  // Walks the branches of a schedule, as RecordedSchedule::walk_branches() does. It and all nested
  // in it must be locked.
  template <class Visitor>
  static void walk(Schedule &schedule, Visitor &visitor) {
    std::map<const Schedule *, StepNumbers> ends;
    (void)schedule.walk_branches(visitor, {}, ends);
  }

  // Returns whether is(schedule) for a schedule or one that it runs, which must be locked.
  template <class Is>
  static bool any_of(Schedule &schedule, Is &&is) {
    std::vector<Schedule *> found;
    reach(found, schedule, no_lock);
    return std::any_of(found.begin(), found.end(), [&](const Schedule *each) { return is(*each); });
  }
  // Returns schedules and those that they run, each once. They must be locked.
  static std::vector<Schedule *> all_of(const std::vector<Ref<Schedule>> &schedules) {
    std::vector<Schedule *> found;
    for (const Ref<Schedule> &each : schedules) reach(found, *each, no_lock);
    return found;
  }

 private:
  static int no_lock(Schedule &) noexcept { return 0; }

  // Adds a schedule and all nested in it to found, each once. Keeps the result of lock(schedule)
  // while it reads the schedule.
  template <class Lock>
  static void reach(std::vector<Schedule *> &found, Schedule &first, const Lock &lock) {
    const auto add = [&](Schedule *each) {
      if (std::find(found.begin(), found.end(), each) == found.end()) found.push_back(each);
    };
    std::size_t i = found.size();
    for (add(&first); i < found.size(); ++i) {
      [[maybe_unused]] const auto locked = lock(*found[i]);
      for (Schedule *nested : found[i]->nested_) add(nested);
    }
  }

  // Finds the schedules under one lock at a time, then locks all. Starts again if one of them has
  // changed in between.
  void lock_all(const std::vector<Ref<Schedule>> &others) {
    for (;;) {
      uint64_t before = 0;
      const auto lock = [&](Schedule &each) {
        std::unique_lock held(each.mutex());
        before += each.shape();
        return held;
      };
      all_.clear();
      reach(all_, *outer_, lock);
      for (const Ref<Schedule> &each : others) reach(all_, *each, lock);
      std::sort(all_.begin(), all_.end(), std::less<>());
      for (Schedule *each : all_) locks_.emplace_back(each->mutex());
      if (shape() == before) return;
      locks_.clear();
    }
  }

  template <class Number>
  uint64_t sum(Number &&number) const noexcept {
    uint64_t total = 0;
    for_each([&](const Schedule &each) { total += number(each); });
    return total;
  }

  Schedule *outer_;
  std::unique_lock<std::mutex> own_;  // if there are no nested schedules
  std::vector<Schedule *> all_;       // else all that are locked
  std::vector<std::unique_lock<std::mutex>> locks_;
};

}  // namespace nexus_plugin

#endif  // NEXUS_PLUGIN_SCHEDULE_HPP_
