// SPDX-License-Identifier: Apache-2.0
#include "schedule.hpp"

#include "device.hpp"
#include "stream.hpp"

#include <algorithm>
#include <nexus-plugin/functions.hpp>
#include <nexus-plugin/property_table.hpp>

namespace nexus_cpu NXS_HIDDEN {

using nexus_plugin::check_pointer;
using nexus_plugin::Error;
using nexus_plugin::guarded;
using nexus_plugin::Ref;
using nexus_plugin::Value;

constinit nexus_plugin::HandleTable<Schedule, NXS_ObjectType_Schedule> schedules;

PlanPtr Schedule::plan() {
  {
    const std::lock_guard lock(mutex_);
    if (plan_ != nullptr && is_current(*plan_)) return plan_;
  }
  // Two threads may both make one: runs of either take the same turns.
  const auto made = std::make_shared<Plan>();
  append_steps(*made);
  const std::lock_guard lock(mutex_);
  plan_ = made;
  return made;
}

bool Schedule::is_current(const Plan &plan) noexcept {
  return std::all_of(plan.of.begin(), plan.of.end(), [](const auto &entry) {
    return entry.first->version_.load(std::memory_order_acquire) == entry.second;
  });
}

// No lock is held across the commands, since those inside are schedules with locks.
std::vector<Schedule::Entry> Schedule::entries() const {
  const std::lock_guard lock(mutex_);
  return commands_;
}

void Schedule::append_steps(Plan &plan) {
  // Read before the commands: a change in between makes the plan out of date.
  plan.of.emplace_back(this, version_.load(std::memory_order_acquire));
  plan.steps.push_back({&turn_, nullptr, nullptr});
  const std::vector<Entry> all = entries();
  for (std::size_t i = 0; i < all.size(); ++i) {
    CommandBody &body = all[i].command->body();
    if (auto *kernel = std::get_if<std::unique_ptr<KernelCommand>>(&body)) {
      const std::lock_guard lock(all[i].command->mutex());
      if (!(*kernel)->finalized()) {
        throw Error(NXS_InvalidCommand, "command ", i, " (the kernel '", (*kernel)->kernel().name(),
                    "') is not finalized; finalize it before the run");
      }
      plan.steps.push_back({nullptr, nullptr, (*kernel)->dispatch()});
    } else if (auto *transfer = std::get_if<std::shared_ptr<Transfer>>(&body)) {
      plan.steps.push_back({nullptr, nullptr, *transfer});
    } else {
      const auto &nested = std::get<NestedCommand>(body).schedule;
      plan.keeps.push_back(nested);
      (*nested)->append_steps(plan);
    }
  }
  plan.steps.push_back({nullptr, &turn_, nullptr});
}

nxs_id Schedule::add(nxs_id own_id, CommandBody body) {
  const std::lock_guard lock(mutex_);
  refuse_in_flight("a command can't be added");
  nexus_plugin::make_room_for_one(commands_);
  const nxs_id id = commands.create(own_id, std::move(body));
  commands_.push_back({id, commands.pin(id)});
  changed();
  return id;
}

void Schedule::remove(const Command &command) {
  const std::lock_guard lock(mutex_);
  std::erase_if(commands_, [&](const Entry &entry) { return entry.command.get() == &command; });
  changed();
}

void Schedule::changed() noexcept {
  version_.fetch_add(1, std::memory_order_acq_rel);
}

void Schedule::refuse_in_flight(const char *what) const {
  if (in_flight_.load(std::memory_order_acquire) == 0) return;
  throw Error(NXS_InvalidOperation, what,
              " while a run of the schedule is in flight; "
              "wait for its stream first");
}

bool Schedule::contains(const Schedule &other) const {
  if (this == &other) return true;
  const std::vector<Entry> all = entries();
  return std::any_of(all.begin(), all.end(), [&](const Entry &entry) {
    const auto *nested = std::get_if<NestedCommand>(&entry.command->body());
    return nested != nullptr && (*nested->schedule)->contains(other);
  });
}

void Schedule::release_commands() noexcept {
  const std::lock_guard lock(mutex_);
  for (const Entry &entry : commands_) commands.try_release(entry.id);
}

std::size_t Schedule::size() const {
  const std::lock_guard lock(mutex_);
  return commands_.size();
}

void Schedule::run_ended(bool failed, uint64_t elapsed_ns) noexcept {
  if (elapsed_ns != 0) elapsed_ns_.store(elapsed_ns, std::memory_order_relaxed);
  last_result_.store(failed ? 2 : 1, std::memory_order_relaxed);
  in_flight_.fetch_sub(1, std::memory_order_release);
}

const char *Schedule::status() const noexcept {
  if (in_flight_.load(std::memory_order_acquire) != 0) return "Running";
  switch (last_result_.load(std::memory_order_relaxed)) {
    case 1:
      return "Complete";
    case 2:
      return "Error";
    default:
      return nullptr;
  }
}

namespace {

constexpr nxs_execution_settings kScheduleSettings =
    NXS_ExecutionSettings_Timing | NXS_ExecutionSettings_NonBlocking;

constexpr auto schedule_properties = nexus_plugin::property_table<Schedule>({
    {NP_Size, [](const Schedule &schedule) -> Value { return schedule.size(); }},
    {NP_Status,
     [](const Schedule &schedule) -> Value {
       const char *status = schedule.status();
       return status == nullptr ? Value() : Value(status);
     }},
    {NP_ElapsedTime,
     [](const Schedule &schedule) -> Value {
       const uint64_t ns = schedule.elapsed_ns();
       return ns == 0 ? Value() : Value(static_cast<double>(ns) * 1e-6);
     }},
});

}  // namespace
}  // namespace nexus_cpu

using namespace nexus_cpu;

NEXUS_PLUGIN_GET_PROPERTY(Schedule, schedules, schedule_properties)

extern "C" {

nxs_status nxsCreateSchedule(nxs_id device, nxs_id *out_schedule) {
  return guarded([&] {
    (void)devices.pin(device);
    check_pointer(out_schedule, "out_schedule");
    *out_schedule = schedules.create();
  });
}

nxs_status nxsReleaseSchedule(nxs_id schedule) {
  return guarded([&] { schedules.release(schedule)->release_commands(); });
}

nxs_status nxsPrepareSchedule(nxs_id schedule, nxs_id stream) {
  return guarded([&] {
    const Ref<Schedule> prepared = schedules.pin(schedule);
    (void)streams.pin(stream);
    (void)prepared->plan();
    Pool::get();
  });
}

nxs_status nxsRunSchedule(nxs_id schedule, nxs_id stream, nxs_execution_settings settings,
                          nxs_ticket *out_ticket) {
  return guarded([&] {
    Ref<Schedule> run = schedules.pin(schedule);
    const Ref<Stream> queue = streams.pin(stream);
    check_pointer(out_ticket, "out_ticket");
    if ((settings & ~kScheduleSettings) != 0) {
      throw Error(NXS_NotSupported, "settings is ", settings,
                  "; the CPU knows Timing and NonBlocking");
    }
    const bool blocking = (settings & NXS_ExecutionSettings_NonBlocking) == 0;
    const bool timed = (settings & NXS_ExecutionSettings_Timing) != 0;
    *out_ticket = queue->run(std::move(run), blocking, timed);
  });
}

}  // extern "C"
