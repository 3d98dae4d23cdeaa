// SPDX-License-Identifier: Apache-2.0
#include "command.hpp"

#include "schedule.hpp"

#include <mutex>
#include <nexus-plugin/functions.hpp>
#include <nexus-plugin/property_table.hpp>
#include <utility>

namespace nexus_opencl NXS_HIDDEN {

using nexus_plugin::Error;
using nexus_plugin::guarded;
using nexus_plugin::Launch;
using nexus_plugin::Ref;
using nexus_plugin::Size3;
using nexus_plugin::Value;

constinit nexus_plugin::HandleTable<Command, NXS_ObjectType_Command> commands;

Command::Command(nxs_id schedule, Body body) : schedule_(schedule), body_(std::move(body)) {}
Command::~Command() = default;

Schedule *Command::nested() const noexcept {
  const auto *nested = std::get_if<NestedCommand>(&body_);
  return nested == nullptr ? nullptr : nested->schedule.get();
}

bool Command::empty() const noexcept {
  if (const auto *kernel = std::get_if<KernelCommand>(&body_)) return kernel->launch().empty();
  if (const auto *copy = std::get_if<Copy>(&body_)) return copy->empty();
  if (const auto *fill = std::get_if<Fill>(&body_)) return fill->empty();
  return false;
}

void Command::enqueue(Enqueuing &work, WaitList waits, bool last) const {
  if (const auto *kernel = std::get_if<KernelCommand>(&body_)) {
    kernel->enqueue(work, waits, last);
  } else if (const auto *copy = std::get_if<Copy>(&body_)) {
    copy->enqueue(work, waits, last);
  } else if (const auto *fill = std::get_if<Fill>(&body_)) {
    fill->enqueue(work, waits, last);
  }
}

void Command::record(const Functions &cl, cl_command_buffer_khr into) const {
  if (const auto *kernel = std::get_if<KernelCommand>(&body_)) {
    kernel->record(into);
  } else if (const auto *copy = std::get_if<Copy>(&body_)) {
    copy->record(cl, into);
  } else if (const auto *fill = std::get_if<Fill>(&body_)) {
    fill->record(cl, into);
  }
}

namespace {

// A command with its schedule locked, which a stale command has no more.
class LockedCommand {
 public:
  explicit LockedCommand(nxs_id id)
      : command_(commands.pin(id)),
        schedule_(schedules.pin(command_->schedule())),
        lock_(schedule_->mutex()) {}

  const Ref<Command> &operator*() const noexcept { return command_; }
  Schedule &schedule() const noexcept { return *schedule_; }
  KernelCommand &kernel() const {
    if (KernelCommand *kernel = command_->kernel()) return *kernel;
    throw Error(NXS_InvalidOperation,
                "the command runs no kernel; only kernel commands have arguments and sizes");
  }

 private:
  Ref<Command> command_;
  Ref<Schedule> schedule_;
  std::unique_lock<std::mutex> lock_;
};

Value size_of(const Command &command, Size3 Launch::*member) {
  const KernelCommand *kernel = command.kernel();
  if (kernel == nullptr || !kernel->finalized()) return {};
  const Size3 &size = kernel->launch().*member;
  return std::vector<int64_t>(size.begin(), size.end());
}

Value argument_ids(const Command &command) {
  std::vector<int64_t> ids;
  if (const KernelCommand *kernel = command.kernel()) {
    for (const auto &argument : kernel->arguments()) {
      ids.push_back(argument.buffer ? buffers.id(argument.buffer) : 0);
    }
  } else if (const auto *copy = std::get_if<Copy>(&command.body())) {
    ids = {copy->destination_id(), copy->source_id()};
  } else if (const auto *fill = std::get_if<Fill>(&command.body())) {
    ids = {fill->destination_id()};
  } else {
    return {};
  }
  return ids;
}

constexpr const char *kCommandTypes[] = {"Dispatch", "Copy", "Fill", "Schedule"};

constexpr auto command_properties = nexus_plugin::property_table<Command>({
    {NP_Name,
     [](const Command &command) -> Value {
       const KernelCommand *kernel = command.kernel();
       return kernel == nullptr ? Value() : Value(kernel->kernel().name());
     }},
    {NP_Type,
     [](const Command &command) -> Value { return kCommandTypes[command.body().index()]; }},
    {NP_Arguments, argument_ids},
    {NP_GroupSize,
     [](const Command &command) -> Value { return size_of(command, &Launch::group_size); }},
    {NP_GridSize,
     [](const Command &command) -> Value { return size_of(command, &Launch::grid_size); }},
    {NP_GroupCount,
     [](const Command &command) -> Value { return size_of(command, &Launch::group_count); }},
});

}  // namespace
}  // namespace nexus_opencl

using namespace nexus_opencl;

extern "C" {

nxs_status nxsCreateCommand(nxs_id schedule, nxs_id kernel, nxs_id *out_command) {
  return guarded(out_command, [&] {
    const Ref<Schedule> owner = schedules.pin(schedule);
    Ref<Kernel> code = kernels.pin(kernel);
    check_same_device("kernel", code->device(), owner->device());
    return owner->add(schedule, KernelCommand(std::move(code)));
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
  return guarded(out_command, [&] {
    const Ref<Schedule> owner = schedules.pin(schedule);
    return owner->add(schedule, Copy(owner->device(), destination, source));
  });
}

nxs_status nxsCreateFillCommand(nxs_id schedule, const nxs_buffer_range *range, const void *pattern,
                                uint64_t pattern_size, nxs_id *out_command) {
  return guarded(out_command, [&] {
    const Ref<Schedule> owner = schedules.pin(schedule);
    return owner->add(schedule, Fill(owner->device(), range, pattern, pattern_size));
  });
}

nxs_status nxsCreateScheduleCommand(nxs_id schedule, nxs_id nested, nxs_id *out_command) {
  return guarded(out_command, [&] {
    const Ref<Schedule> owner = schedules.pin(schedule);
    Ref<Schedule> inner = schedules.pin(nested);
    check_same_device("nested schedule", inner->device(), owner->device());
    if (inner->contains(*owner)) {
      throw Error(NXS_InvalidOperation,
                  "nested is the schedule itself or runs it; a schedule can't run itself");
    }
    return owner->add(schedule, NestedCommand{std::move(inner)});
  });
}

nxs_status nxsGetCommandProperty(nxs_id command, nxs_property property, nxs_value *out_value) {
  return guarded([&] {
    const LockedCommand locked(command);
    command_properties.get(**locked, property, out_value);
  });
}

nxs_status nxsReleaseCommand(nxs_id command) {
  return guarded([&] {
    const LockedCommand locked(command);
    (void)commands.release(command);
    if (!(*locked)->finalized()) locked.schedule().remove(**locked);
  });
}

}  // extern "C"
