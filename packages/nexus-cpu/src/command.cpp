// SPDX-License-Identifier: Apache-2.0
#include "command.hpp"

#include "limits.hpp"
#include "schedule.hpp"

#include <nexus-plugin/property_table.hpp>
#include <utility>

namespace nexus_cpu NXS_HIDDEN {

using nexus_plugin::check_launch;
using nexus_plugin::check_pointer;
using nexus_plugin::check_struct;
using nexus_plugin::Error;
using nexus_plugin::guarded;
using nexus_plugin::Launch;
using nexus_plugin::Ref;
using nexus_plugin::Size3;
using nexus_plugin::Value;

constinit nexus_plugin::HandleTable<Command, NXS_ObjectType_Command> commands;

namespace {

// Runs body; what it throws says which kernel it was about.
template <class Body>
void naming(const Kernel &kernel, Body &&body) {
  try {
    std::forward<Body>(body)();
  } catch (const Error &error) {
    throw Error(error.status(), "the kernel '", kernel.name(), "': ", error.what());
  }
}

[[noreturn]] void throw_group_size(const Size3 &given, const Size3 &required) {
  throw Error(NXS_InvalidWorkGroupSize, "group_size is ", given[0], " x ", given[1], " x ",
              given[2], "; it was written for groups of ", required[0], " x ", required[1], " x ",
              required[2], ": give that, or leave group_size out");
}

}  // namespace

// ---- Kernel commands --------------------------------------------------

KernelCommand::KernelCommand(Ref<Kernel> kernel)
    : kernel_(std::move(kernel)),
      arguments_(kernel_->described() ? nexus_plugin::Arguments<Buffer>(kernel_->specs())
                                      : nexus_plugin::Arguments<Buffer>()) {}

void KernelCommand::set(uint32_t index, const nxs_argument *argument) {
  naming(*kernel_, [&] { arguments_.set(index, argument, buffers); });
  dispatch_.reset();
}

void KernelCommand::finalize(const nxs_launch *launch) {
  // Nothing changes before all that can fail is done.
  naming(*kernel_, [&] {
    const nxs_launch &given = check_struct(launch, "launch");
    arguments_.check_complete();
    const std::optional<Size3> &required = kernel_->required_group_size();
    const Launch checked = check_launch(
        &given, required ? *required : choose_group_size(given.grid_size), kMaxGroupItems);
    if (required && checked.group_size != *required) {
      throw_group_size(checked.group_size, *required);
    }
    auto run_time = std::make_shared<RunTime>();
    auto made = std::make_shared<Dispatch>(kernel_, arguments_.list(), checked, run_time);
    arguments_.fix();
    run_time_ = std::move(run_time);
    dispatch_ = std::move(made);
    launch_ = checked;
  });
}

std::shared_ptr<Dispatch> KernelCommand::dispatch() {
  if (dispatch_ == nullptr) {
    naming(*kernel_, [&] {
      dispatch_ = std::make_shared<Dispatch>(kernel_, arguments_.list(), *launch_, run_time_);
    });
  }
  return dispatch_;
}

// ---- Commands ---------------------------------------------------------

Command::Command(nxs_id schedule, CommandBody body) : schedule_(schedule), body_(std::move(body)) {}

KernelCommand &Command::kernel() {
  if (auto *kernel = std::get_if<std::unique_ptr<KernelCommand>>(&body_)) return **kernel;
  throw Error(NXS_InvalidOperation,
              "the command runs no kernel; only kernel commands have arguments and sizes");
}

namespace {

// The kernel command, locked, and its schedule, which a stale command has no more.
class LockedCommand {
 public:
  explicit LockedCommand(nxs_id id)
      : command_(commands.pin(id)),
        schedule_(schedules.pin(command_->schedule())),
        lock_(command_->mutex()) {}

  KernelCommand &kernel() const { return command_->kernel(); }
  Schedule &schedule() const { return *schedule_; }

 private:
  Ref<Command> command_;
  Ref<Schedule> schedule_;
  std::unique_lock<std::mutex> lock_;
};

const KernelCommand *kernel_of(const Command &command) {
  const auto *kernel = std::get_if<std::unique_ptr<KernelCommand>>(&command.body());
  return kernel == nullptr ? nullptr : kernel->get();
}

Value size_of(const Command &command, Size3 Launch::*member) {
  const KernelCommand *kernel = kernel_of(command);
  if (kernel == nullptr || kernel->launch() == nullptr) return {};
  const Size3 &size = kernel->launch()->*member;
  return std::vector<int64_t>(size.begin(), size.end());
}

Value argument_ids(const Command &command) {
  std::vector<int64_t> ids;
  if (const KernelCommand *kernel = kernel_of(command)) {
    for (const auto &argument : kernel->arguments()) {
      ids.push_back(argument.buffer ? buffers.id(argument.buffer) : 0);
    }
  } else if (const auto *transfer = std::get_if<std::shared_ptr<Transfer>>(&command.body())) {
    ids.push_back(buffers.id((*transfer)->to()));
    if ((*transfer)->from()) ids.push_back(buffers.id((*transfer)->from()));
  } else {
    return {};
  }
  return ids;
}

const char *type_of(const Command &command) {
  if (kernel_of(command) != nullptr) return "Dispatch";
  const auto *transfer = std::get_if<std::shared_ptr<Transfer>>(&command.body());
  if (transfer == nullptr) return "Schedule";
  return (*transfer)->from() ? "Copy" : "Fill";
}

constexpr auto command_properties = nexus_plugin::property_table<Command>({
    {NP_Name,
     [](const Command &command) -> Value {
       const KernelCommand *kernel = kernel_of(command);
       return kernel == nullptr ? Value() : Value(kernel->kernel().name());
     }},
    {NP_Type, [](const Command &command) -> Value { return type_of(command); }},
    {NP_Arguments, [](const Command &command) -> Value { return argument_ids(command); }},
    {NP_GroupSize,
     [](const Command &command) -> Value { return size_of(command, &Launch::group_size); }},
    {NP_GridSize,
     [](const Command &command) -> Value { return size_of(command, &Launch::grid_size); }},
    {NP_GroupCount,
     [](const Command &command) -> Value { return size_of(command, &Launch::group_count); }},
});

}  // namespace
}  // namespace nexus_cpu

using namespace nexus_cpu;

extern "C" {

nxs_status nxsCreateCommand(nxs_id schedule, nxs_id kernel, nxs_id *out_command) {
  return guarded([&] {
    const Ref<Schedule> owner = schedules.pin(schedule);
    Ref<Kernel> code = kernels.pin(kernel);
    check_pointer(out_command, "out_command");
    *out_command = owner->add(schedule, std::make_unique<KernelCommand>(std::move(code)));
  });
}

nxs_status nxsSetCommandArgument(nxs_id command, uint32_t index, const nxs_argument *argument) {
  return guarded([&] {
    const LockedCommand locked(command);
    locked.kernel().set(index, argument);
    locked.schedule().changed();
  });
}

nxs_status nxsFinalizeCommand(nxs_id command, const nxs_launch *launch) {
  return guarded([&] {
    const LockedCommand locked(command);
    KernelCommand &kernel = locked.kernel();
    locked.schedule().refuse_in_flight("a command can't be finalized");
    kernel.finalize(launch);
    locked.schedule().changed();
  });
}

nxs_status nxsCreateCopyCommand(nxs_id schedule, const nxs_buffer_range *destination,
                                const nxs_buffer_range *source, nxs_id *out_command) {
  return guarded([&] {
    const Ref<Schedule> owner = schedules.pin(schedule);
    check_pointer(out_command, "out_command");
    *out_command = owner->add(schedule, std::make_shared<Transfer>(make_copy(destination, source)));
  });
}

nxs_status nxsCreateFillCommand(nxs_id schedule, const nxs_buffer_range *range, const void *pattern,
                                uint64_t pattern_size, nxs_id *out_command) {
  return guarded([&] {
    const Ref<Schedule> owner = schedules.pin(schedule);
    check_pointer(out_command, "out_command");
    *out_command =
        owner->add(schedule, std::make_shared<Transfer>(make_fill(range, pattern, pattern_size)));
  });
}

nxs_status nxsCreateScheduleCommand(nxs_id schedule, nxs_id nested, nxs_id *out_command) {
  return guarded([&] {
    const Ref<Schedule> owner = schedules.pin(schedule);
    Ref<Schedule> inner = schedules.pin(nested);
    check_pointer(out_command, "out_command");
    if (inner->contains(*owner)) {
      throw Error(NXS_InvalidOperation,
                  "nested is the schedule itself or runs it; a schedule can't run itself");
    }
    *out_command =
        owner->add(schedule, NestedCommand{std::make_shared<Ref<Schedule>>(std::move(inner))});
  });
}

nxs_status nxsGetCommandProperty(nxs_id command, nxs_property property, nxs_value *out_value) {
  return guarded([&] {
    const Ref<Command> asked = commands.pin(command);
    const std::lock_guard lock(asked->mutex());
    command_properties.get(*asked, property, out_value);
  });
}

nxs_status nxsReleaseCommand(nxs_id command) {
  return guarded([&] {
    const Ref<Command> released = commands.pin(command);
    const Ref<Schedule> owner = schedules.pin(released->schedule());
    (void)commands.release(command);
    const std::lock_guard lock(released->mutex());
    const KernelCommand *kernel = kernel_of(*released);
    if (kernel != nullptr && !kernel->finalized()) owner->remove(*released);
  });
}

}  // extern "C"
