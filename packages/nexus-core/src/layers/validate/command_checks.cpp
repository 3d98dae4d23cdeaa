// SPDX-License-Identifier: Apache-2.0
//
// Commands, their arguments and launches, with the checks of libnexus (checks/).
#include <algorithm>
#include <memory>

#include "checks/argument.hpp"
#include "checks/launch.hpp"
#include "layers/validate/checks.hpp"

namespace nexus::core::layers::validation {
namespace {

DeviceFacts deviceOf(nxs_id device) {
  const Locked objects;
  const auto facts = objects->devices.find(device);
  return facts == nullptr ? DeviceFacts{} : *facts;
}

// A call records in the schedule. False where another one does, whose changes would be in the way.
bool beginRecording(Call &call, nxs_id schedule) {
  {
    const Locked objects;
    const auto facts = objects->schedules.find(schedule);
    if (facts == nullptr) return false;
    if (!facts->recording) {
      facts->recording = true;
      call.recording = facts;
      return true;
    }
  }
  call.find(Message::Recorders, NXS_InvalidOperation,
            join("another thread is in a call that records ", idText(schedule)));
  return false;
}

// What a kernel does with its argument, as far as it says.
Access accessOf(const CommandFacts &command, uint32_t index) {
  return command.kernel == nullptr || index >= command.kernel->accesses.size()
             ? Access::Unknown
             : command.kernel->accesses[index];
}

void checkGivenArgument(Call &call, const CommandFacts &command) {
  const nxs_argument &argument = *call.given.argument;
  const bool buffer = argument.kind == NXS_ArgumentKind_Buffer;
  const uint64_t alignment = deviceOf(command.device).alignment;
  if (buffer && alignment > 1 && argument.offset % alignment != 0) {
    call.find(
        Message::Alignment, NXS_MisalignedSubBufferOffset,
        join("argument->offset is ", argument.offset, ", and BufferOffsetAlignment ", alignment));
  }
  if (command.kernel != nullptr && !call.found()) {
    call.check(Message::ArgumentKind,
               [&] { core::checkArgument(command.kernel->info, call.given.index, argument); });
  }
  if (!buffer) return;
  const Locked objects;
  if (const auto facts = objects->buffers.find(argument.buffer)) {
    const uint64_t begin = facts->base + argument.offset;
    call.uses.push_back({facts->space, begin, begin + argument.size,
                         accessOf(command, call.given.index), argument.buffer, false});
  }
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
    call.find(Message::Launch, NXS_InvalidGlobalWorkSize,
              join("group_count is ", countsText(countsOf(launch.group_count)), ", and ",
                   countsText(countsOf(wanted.group_count)), " groups of ",
                   countsText(countsOf(launch.group_size)), " cover grid_size ",
                   countsText(countsOf(launch.grid_size))));
  }
}

void checkGivenLaunch(Call &call, const CommandFacts &command) {
  const nxs_launch &launch = *call.given.launch;
  const DeviceFacts device = deviceOf(command.device);
  KernelInfo kernel = command.kernel == nullptr ? KernelInfo{} : command.kernel->info;
  if (kernel.max_group_size == UINT64_MAX && device.max_group != 0) {
    kernel.max_group_size = device.max_group;
  }
  const auto &set = command.arguments;
  call.check(Message::MissingArgument, [&] {
    checkArguments(kernel, set.empty() ? 0 : set.rbegin()->first + 1,
                   [&](uint32_t index) { return set.count(index) != 0; });
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
    call.find(Message::LocalMemory, NXS_OutOfResources,
              join("a group needs ", local, " bytes of local memory, and has ", device.max_local));
  }
}

// What a run of the schedule uses, and the first command that is not finalized. Runs of one
// schedule follow one another in whatever streams, and nested ones count as such. ticket: the least
// that the run can have.
void gather(Call &call, Objects &objects, const ScheduleFacts &schedule, nxs_ticket ticket,
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
    if (command->nested != nullptr) gather(call, objects, *command->nested, ticket, unfinalized);
  }
}

void checkRun(Call &call) {
  nxs_id unfinalized = 0;
  {
    const Locked objects;
    if (const auto facts = objects->schedules.find(call.given.schedule)) {
      const auto in = objects->streams.find(call.given.stream);
      gather(call, *objects, *facts, in == nullptr ? 1 : in->newest + 1, unfinalized);
    }
  }
  if (unfinalized != 0) {
    call.find(
        Message::NotFinalized, NXS_InvalidCommand,
        join(idText(unfinalized), " of ", idText(call.given.schedule), " was never finalized"));
  }
  call.schedule = call.given.schedule;
}

}  // namespace

void checkRecording(Call &call) {
  const Given &given = call.given;
  if (call.is("RunSchedule")) checkRun(call);
  if (given.makes == NXS_ObjectType_Command) beginRecording(call, given.schedule);
  if (given.argument == nullptr && !call.is("FinalizeCommand")) return;
  std::shared_ptr<CommandFacts> command;
  {
    const Locked objects;
    command = objects->commands.find(given.command);
  }
  if (command == nullptr || !beginRecording(call, command->schedule)) return;
  if (given.argument != nullptr) {
    checkGivenArgument(call, *command);
  } else {
    checkGivenLaunch(call, *command);
  }
}

}  // namespace nexus::core::layers::validation
