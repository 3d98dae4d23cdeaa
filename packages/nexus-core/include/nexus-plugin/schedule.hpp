// SPDX-License-Identifier: Apache-2.0
// Schedules that are replayed: what was recorded, and the order of its runs.
//
//   struct KernelWork { Ref<Kernel> kernel; Launch launch; Arguments<Buffer>::Snapshot arguments;
//   }; using Work = std::variant<KernelWork, CopyWork, FillWork>;  // a kernel's work comes first
//   constinit HandleTable<Command<Work, Buffer>, NXS_ObjectType_Command> commands;
//   constinit HandleTable<Schedule<Work, Buffer>, NXS_ObjectType_Schedule> schedules;
//
// A schedule is recorded by one thread at a time; its lock makes a run by another
// thread harmless.
#ifndef NEXUS_PLUGIN_SCHEDULE_HPP_
#define NEXUS_PLUGIN_SCHEDULE_HPP_

#include <nexus-plugin/arguments.hpp>
#include <nexus-plugin/event.hpp>
#include <nexus-plugin/launch.hpp>

#include <mutex>
#include <utility>
#include <variant>
#include <vector>

namespace nexus_plugin NXS_HIDDEN {

template <class Work, class Buffer>
class Schedule;

// One command. A kernel's has arguments and a launch; any other is final when made.
template <class Work, class Buffer>
class Command {
 public:
  using KernelWork = std::variant_alternative_t<0, Work>;

  // specs: as in Arguments, empty where the kernel does not describe itself.
  Command(Ref<Schedule<Work, Buffer>> schedule, KernelWork work, Arguments<Buffer> arguments)
      : schedule_(std::move(schedule)), work_(std::move(work)), arguments_(std::move(arguments)) {}
  Command(Ref<Schedule<Work, Buffer>> schedule, Work work)
      : schedule_(std::move(schedule)), final_(true), work_(std::move(work)) {}

  // Answers nxsSetCommandArgument.
  template <class BufferTable>
  void set_argument(uint32_t index, const nxs_argument *argument, const BufferTable &buffers) {
    const std::lock_guard lock(schedule_->mutex_);
    kernel_work();
    arguments_.set(index, argument, buffers);
  }

  // Answers nxsFinalizeCommand, for a launch that was checked.
  void finalize(const Launch &launch) {
    const std::lock_guard lock(schedule_->mutex_);
    schedule_->check_idle();
    KernelWork &work = kernel_work();
    arguments_.fix();
    work.launch = launch;
    final_ = true;
  }

  // Answers nxsReleaseCommand, for a command whose id has ended. One that was never
  // finalized leaves its schedule; no run can hold it.
  void released() {
    const std::lock_guard lock(schedule_->mutex_);
    if (!final_) schedule_->remove(*this);
  }

  // The launch of a finalized kernel command; empty for any other.
  Launch launch() const {
    const std::lock_guard lock(schedule_->mutex_);
    const auto *work = std::get_if<0>(&work_);
    return work != nullptr && final_ ? work->launch : Launch{};
  }

 private:
  friend class Schedule<Work, Buffer>;

  KernelWork &kernel_work() {
    if (auto *work = std::get_if<0>(&work_)) return *work;
    throw Error(NXS_InvalidOperation, "the command runs no kernel; it has no arguments or launch");
  }

  // What a run does, with the arguments as they are now.
  Work snapshot(std::size_t index) {
    if (!final_) {
      throw Error(NXS_InvalidCommand, "command ", index, " is not finalized; finalize it first");
    }
    if (auto *work = std::get_if<0>(&work_)) work->arguments = arguments_.snapshot();
    return work_;
  }

  Ref<Schedule<Work, Buffer>> schedule_;  // the circle ends when the schedule's id does
  bool final_ = false;
  Work work_;
  Arguments<Buffer> arguments_;
};

// A run as it was submitted. Whoever runs it waits for previous, whatever became
// of that, does the works in order, and sets done before the ticket is done.
template <class Work>
struct Run {
  std::vector<Work> works;
  SignalPtr previous;  // the schedule's run before; empty where there was none
  SignalPtr done = SignalPtr::make();

  // Runs it on this thread, where each work is a call; a failure is thrown when
  // done was set to it. failure: why the stream's earlier work failed, if it did.
  void operator()(const FailurePtr &failure) {
    FailurePtr outcome = failure;
    while (previous && !previous->wait(WaitPoint::kLongest)) {
    }
    try {
      for (std::size_t i = 0; !failure && i < works.size(); ++i) {
        std::visit([](const auto &work) { work(); }, works[i]);
      }
    } catch (...) {
      outcome = current_failure();
    }
    works.clear();
    done->set(outcome);
    if (outcome && !failure) throw Failed(outcome);
  }
};

template <class Work, class Buffer>
class Schedule {
 public:
  using Commands = std::vector<Ref<Command<Work, Buffer>>>;

  // Appends a command, made in its table. Throws NXS_InvalidOperation while a run is in flight.
  template <class Table, class... Args>
  nxs_id append(Table &commands, Args &&...args) {
    const std::lock_guard lock(mutex_);
    check_idle();
    make_room_for_one(commands_);
    const nxs_id id = commands.create(Ref<Schedule>::to(*this), std::forward<Args>(args)...);
    commands_.push_back(commands.pin(id));
    return id;
  }

  // Submits a run: submit(Run) enqueues it, without running it here, and returns
  // its ticket. The lock is held meanwhile, so that two runs are enqueued in the
  // order in which they wait for each other.
  template <class Submit>
  nxs_ticket run(Submit &&submit) {
    const std::lock_guard lock(mutex_);
    Run<Work> run;
    for (std::size_t i = 0; i < commands_.size(); ++i)
      run.works.push_back(commands_[i]->snapshot(i));
    run.previous = last_run_;
    SignalPtr done = run.done;
    const nxs_ticket ticket = std::forward<Submit>(submit)(std::move(run));
    last_run_ = std::move(done);
    return ticket;
  }

  std::size_t size() const {
    const std::lock_guard lock(mutex_);
    return commands_.size();
  }

  // Ends the ids of the commands, and the circle of Refs: for nxsReleaseSchedule.
  template <class Table>
  void release_commands(Table &commands) {
    Commands taken;
    {
      const std::lock_guard lock(mutex_);
      taken.swap(commands_);
    }
    for (const auto &command : taken) commands.try_release(commands.id(command));
  }

 private:
  friend class Command<Work, Buffer>;

  void check_idle() const {
    if (last_run_ && !last_run_->happened()) {
      throw Error(NXS_InvalidOperation, "a run of the schedule is in flight; wait for it first");
    }
  }

  // With the lock held, by a caller that keeps the command. Does nothing where the
  // schedule has ended.
  void remove(const Command<Work, Buffer> &command) {
    std::erase_if(commands_, [&](const auto &present) { return present.get() == &command; });
  }

  mutable std::mutex mutex_;  // guards the rest, and the commands' fields
  Commands commands_;
  SignalPtr last_run_;  // happens when the newest run is done
};

}  // namespace nexus_plugin

#endif  // NEXUS_PLUGIN_SCHEDULE_HPP_
