// SPDX-License-Identifier: Apache-2.0
//
// Checks of commands, their arguments and launches, by the functions of libnexus (checks/).
#include <algorithm>
#include <memory>

#include "checks/launch.hpp"
#include "layers/validate/call.hpp"

namespace nexus::core::layers::validation {
namespace {

// Notes that the call records in the schedule, and returns true. Returns false if another call
// does, since its changes would disturb the checks.
bool beginRecording(Call &call, Objects &objects, nxs_id id) {
  const auto schedule = objects.find<ScheduleFacts>(id);
  if (schedule == nullptr) return false;
  if (schedule->recording) {
    call.find(Message::Recorders, NXS_InvalidOperation, "another thread is recording ", idText(id));
    return false;
  }
  schedule->recording = true;
  call.recording = schedule;
  return true;
}

DeviceFacts deviceOf(const Objects &objects, const CommandFacts &command) {
  const auto device = objects.find<DeviceFacts>(command.device);
  return device == nullptr ? DeviceFacts{} : *device;
}

void checkGivenArgument(Call &call, const Objects &objects, const CommandFacts &command) {
  const nxs_argument &argument = *call.given.argument;
  const uint32_t index = call.given.index;
  const bool is_buffer = argument.kind == NXS_ArgumentKind_Buffer;
  const uint64_t alignment = deviceOf(objects, command).alignment;
  if (is_buffer && alignment > 1 && argument.offset % alignment != 0) {
    call.find(Message::Alignment, NXS_MisalignedSubBufferOffset, "argument->offset is ",
              argument.offset, ", not a multiple of BufferOffsetAlignment, ", alignment);
  }
  if (command.kernel != nullptr && !call.found()) {
    call.check(Message::ArgumentKind,
               [&] { core::checkArgument(command.kernel->info, index, argument); });
  }
  if (!is_buffer) return;
  const bool described = command.kernel != nullptr && index < command.kernel->accesses.size();
  const Access access = described ? command.kernel->accesses[index] : Access::Unknown;
  noteUse(call, objects, rangeOf(argument), access);
}

void checkSizes(Call &call, const nxs_launch &launch, const KernelInfo &kernel) {
  nexus_launch_desc desc{};
  std::copy_n(launch.grid_size, 3, desc.grid_size);
  std::copy_n(launch.group_size, 3, desc.group_size);
  std::copy_n(launch.cluster_size, 3, desc.cluster_size);
  desc.flags = launch.flags;
  const nxs_launch wanted = completeLaunch(desc, kernel);
  if (!std::equal(launch.group_count, launch.group_count + 3, wanted.group_count,
                  [](uint64_t given, uint64_t least) { return given >= least; })) {
    call.find(Message::Launch, NXS_InvalidGlobalWorkSize, "group_count is ",
              countsText(countsOf(launch.group_count)), ", but ",
              countsText(countsOf(wanted.group_count)), " groups of ",
              countsText(countsOf(launch.group_size)), " are needed to cover grid_size ",
              countsText(countsOf(launch.grid_size)));
  }
}

void checkGivenLaunch(Call &call, const Objects &objects, const CommandFacts &command) {
  const nxs_launch &launch = *call.given.launch;
  const DeviceFacts device = deviceOf(objects, command);
  KernelInfo kernel = command.kernel == nullptr ? KernelInfo{} : command.kernel->info;
  if (kernel.max_group_size == UINT64_MAX && device.max_group != 0) {
    kernel.max_group_size = device.max_group;
  }
  const auto &set = command.arguments;
  call.check(Message::MissingArgument, [&] {
    checkArguments(kernel, set.empty() ? 0 : set.rbegin()->first + 1,
                   [&](uint32_t index) { return set.contains(index); });
  });
  call.check(Message::Launch, [&] { checkSizes(call, launch, kernel); });
  uint64_t local = launch.local_memory;
  for (const auto &[index, argument] : set) {
    if (argument.kind == NXS_ArgumentKind_LocalMemory &&
        __builtin_add_overflow(local, argument.size, &local)) {
      local = UINT64_MAX;
    }
  }
  if (device.max_local != 0 && local > device.max_local) {
    call.find(Message::LocalMemory, NXS_OutOfResources, "a group needs ", local,
              " bytes of local memory, but the device has ", device.max_local);
  }
}

// Collects what a run of the schedule uses, and finds the first command that is not finalized. Runs
// of one schedule, including nested ones, follow each other in any streams. ticket: the lowest that
// the run can get.
void collectRun(Call &call, Objects &objects, const ScheduleFacts &schedule, nxs_ticket ticket,
                nxs_id &unfinalized) {
  if (!schedule.last_run.empty()) {
    objects.order.join(call.given.stream, schedule.last_run, ticket);
  }
  for (const auto &command : schedule.commands) {
    if (!command->finalized && unfinalized == 0) unfinalized = command->id;
    call.uses.insert(call.uses.end(), command->uses.begin(), command->uses.end());
    for (const auto &[index, argument] : command->arguments) {
      if (argument.use.end != argument.use.begin) call.uses.push_back(argument.use);
    }
    for (const auto &nested : command->nested) {
      collectRun(call, objects, *nested, ticket, unfinalized);
    }
  }
}

void checkRun(Call &call, Objects &objects) {
  call.schedule = call.given.schedule;
  const auto schedule = objects.find<ScheduleFacts>(call.schedule);
  if (schedule == nullptr) return;
  const auto stream = objects.find<StreamFacts>(call.given.stream);
  nxs_id unfinalized = 0;
  collectRun(call, objects, *schedule, stream == nullptr ? 1 : stream->newest + 1, unfinalized);
  if (unfinalized != 0) {
    call.find(Message::NotFinalized, NXS_InvalidCommand, idText(unfinalized), " of ",
              idText(call.schedule), " was never finalized");
  }
}

}  // namespace

void checkRecording(Call &call, Objects &objects) {
  const Given &given = call.given;
  if (call.is("RunSchedule")) checkRun(call, objects);
  if (given.makes == NXS_ObjectType_Command) beginRecording(call, objects, given.schedule);
  if (given.argument == nullptr && !call.is("FinalizeCommand")) return;
  const auto command = objects.find<CommandFacts>(given.command);
  if (command == nullptr || !beginRecording(call, objects, command->schedule)) return;
  if (given.argument != nullptr) {
    checkGivenArgument(call, objects, *command);
  } else {
    checkGivenLaunch(call, objects, *command);
  }
}

}  // namespace nexus::core::layers::validation
