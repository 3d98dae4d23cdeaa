// SPDX-License-Identifier: Apache-2.0
#include "execution/schedule.hpp"

#include <utility>

namespace nexus_cpu NXS_HIDDEN {

using namespace nexus_plugin;

KernelCommand::KernelCommand(Ref<Kernel> kernel) : RecordedKernel(kernel, kernel->described()) {}

Launch KernelCommand::lower_launch(const nxs_launch &launch) {
  const auto &required = kernel().required_group_size();
  const Launch checked = check_launch(
      &launch, required ? *required : choose_group_size(launch.grid_size), kMaxGroupItems);
  check_group_size(checked.group_size, required);
  auto run_time = std::make_shared<RunTime>();
  dispatch_ = std::make_shared<Dispatch>(kernel_ref(), arguments(), checked, run_time);
  run_time_ = std::move(run_time);
  return checked;
}

const std::shared_ptr<Dispatch> &KernelCommand::dispatch() {
  if (dispatch_ == nullptr) {
    naming_kernel(kernel(), [&] {
      dispatch_ = std::make_shared<Dispatch>(kernel_ref(), arguments(), launch(), run_time_);
    });
  }
  return dispatch_;
}

bool Plan::is_current() const noexcept {
  uint64_t now = 0;
  for (const Schedule *each : of) now += each->shape() + each->bindings();
  return now == version;
}

// Lists the steps of a plan.
struct Schedule::Planner {
  std::vector<Step> &steps;
  std::size_t loops = 0;
  std::shared_ptr<Branches> branches = nullptr;  // inserted after the next acquire; may be NULL

  // Adds the steps of the outer schedule or a body.
  void add(Schedule &schedule) {
    branches = branches_of(schedule);
    const std::size_t first = branches ? steps.size() + 1 : 0;
    schedule.walk(*this);
    if (first != 0) steps[first].next = steps.size() - 1;
  }
  void enter(Schedule &schedule) {
    steps.push_back({.acquire = &schedule.run_lock_});
    if (branches) steps.push_back({.branches = std::exchange(branches, nullptr)});
  }
  void leave(Schedule &schedule) { steps.push_back({.release = &schedule.run_lock_}); }
  void step(Command &command) {
    if (const auto *condition = command.condition()) return choose(*condition);
    steps.push_back({.work = work_of(command)});
  }

  void choose(const RecordedCondition<Recording> &condition) {
    const auto &value = condition.value;
    const auto choice =
        std::make_shared<Choice>(Choice{.value = value.buffer->data() + value.offset,
                                        .type = condition.type,
                                        .max_count = condition.max_count,
                                        .loop = condition.loops() ? loops++ : 0,
                                        .bodies = {},
                                        .end = 0});
    const std::size_t begin = steps.size();
    steps.push_back({.choice = choice});
    std::vector<std::size_t> jumps;
    for (const Ref<Schedule> &body : condition.bodies) {
      choice->bodies.push_back(steps.size());
      add(*body);
      jumps.push_back(steps.size());
      steps.push_back({});
    }
    choice->end = steps.size();
    for (const std::size_t jump : jumps) {
      steps[jump].next = condition.loops() ? begin : choice->end;
    }
  }

  static std::shared_ptr<Branches> branches_of(Schedule &schedule);
  static std::shared_ptr<Work> work_of(Command &command) {
    if (KernelCommand *kernel = command.kernel()) return kernel->dispatch();
    // Needs no ownership: the run keeps the schedule alive, which keeps the command.
    const std::shared_ptr<void> unowned;
    return {unowned, &command.transfer()->work};
  }
};

// Adds the steps to branches, without the first and the last one, which are the run's own lock.
struct Schedule::BranchPlanner {
  using StepNumbers = nexus_plugin::StepNumbers;
  const Schedule &outer;
  Branches &branches;

  StepNumbers enter(Schedule &schedule, const StepNumbers &after) {
    if (&schedule == &outer) return after;
    return {branches.add({.acquire = &schedule.run_lock_}, after)};
  }
  StepNumbers leave(Schedule &schedule, const StepNumbers &after) {
    if (&schedule == &outer) return after;
    return {branches.add({.release = &schedule.run_lock_}, after)};
  }
  StepNumbers step(Command &command, const StepNumbers &after) {
    return {branches.add({.work = Planner::work_of(command)}, after)};
  }
};

// Returns NULL if the steps run in their order: they have no branches, or a condition, whose
// next step is not known before.
std::shared_ptr<Branches> Schedule::Planner::branches_of(Schedule &schedule) {
  if (Pool::configured_size() == 1 || !Lock::branches(schedule) ||
      Lock::any_of(schedule, [](const Schedule &each) { return each.has_conditions(); })) {
    return nullptr;
  }
  auto made = std::make_shared<Branches>();
  BranchPlanner planner{schedule, *made};
  Lock::walk(schedule, planner);
  return made;
}

PlanPtr Schedule::plan() {
  {
    const std::lock_guard lock(mutex());
    if (plan_ != nullptr && plan_->is_current()) return plan_;
  }
  const Lock lock(*this);
  const auto made = std::make_shared<Plan>();
  Planner planner{made->steps};
  planner.add(*this);
  made->loops = planner.loops;
  lock.for_each([&](const Schedule &each) { made->of.push_back(&each); });
  made->version = lock.shape() + lock.bindings();
  plan_ = made;
  return made;
}

RunTask::RunTask(Ref<Schedule> of, bool is_timed)
    : schedule(std::move(of)), plan(schedule->plan()), turns(plan->loops), timed(is_timed) {
  schedule->in_flight_.fetch_add(1, std::memory_order_relaxed);
}

RunTask::RunTask(RunTask &&) noexcept = default;
RunTask &RunTask::operator=(RunTask &&) noexcept = default;

RunTask::~RunTask() {
  if (schedule) end(true, 0);
}

void RunTask::end(bool failed, uint64_t elapsed_ns) noexcept {
  const Ref<Schedule> ended = std::move(schedule);
  if (elapsed_ns != 0) ended->elapsed_ns_.store(elapsed_ns, std::memory_order_relaxed);
  ended->last_result_.store(failed ? 2 : 1, std::memory_order_relaxed);
  ended->in_flight_.fetch_sub(1, std::memory_order_release);
}

const char *Schedule::status() const noexcept {
  if (in_flight()) return "Running";
  constexpr const char *kResults[] = {nullptr, "Complete", "Error"};
  return kResults[last_result_.load(std::memory_order_relaxed)];
}

nxs_ticket Schedule::run(Ref<Schedule> schedule, nxs_id stream, nxs_execution_settings settings) {
  const Ref<Stream> queue = streams.pin(stream);
  check_settings(settings, NXS_ExecutionSettings_Timing | NXS_ExecutionSettings_NonBlocking);
  const bool blocking = (settings & NXS_ExecutionSettings_NonBlocking) == 0;
  const bool timed = (settings & NXS_ExecutionSettings_Timing) != 0;
  return queue->run(RunTask(std::move(schedule), timed), blocking);
}

void Schedule::prepare(nxs_id stream) {
  (void)streams.pin(stream);
  (void)plan();
  Pool::get();
}

namespace {

constexpr auto schedule_properties = property_table<Schedule>({
    {NP_ElapsedTime,
     [](const Schedule &schedule) -> Value {
       const uint64_t ns = schedule.elapsed_ns();
       return ns == 0 ? Value() : Value(static_cast<double>(ns) * 1e-6);
     }},
});

}  // namespace
}  // namespace nexus_cpu

using namespace nexus_cpu;

NEXUS_PLUGIN_RECORDING(Recording, schedule_properties)
