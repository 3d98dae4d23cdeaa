// SPDX-License-Identifier: Apache-2.0
//
// Schedules and commands.
#include <memory>

#include "layers/validate/function_checks.hpp"
#include "layers/validate/launch_checks.hpp"
#include "layers/validate/ranges.hpp"
#include "layers/validate/submission.hpp"
#include "layers/validate/words.hpp"

namespace nexus::core::layers::validation {
namespace {

// A call records in the schedule. False where another one does, whose changes would be in the way.
bool beginRecording(Call &call, nxs_id schedule) {
  bool by_two = false;
  {
    const Locked objects;
    const auto facts = objects->schedules.find(schedule);
    if (facts == nullptr) return false;
    by_two = facts->recording;
    if (!by_two) {
      facts->recording = true;
      call.recording = facts;
    }
  }
  if (by_two) {
    call.find(Message::Recorders, NXS_InvalidOperation,
              words("another thread is in a call that records ", idText(schedule)));
  }
  return !by_two;
}

std::shared_ptr<CommandFacts> commandOf(nxs_id command) {
  const Locked objects;
  return objects->commands.find(command);
}

void noteCommand(Call &call, nxs_id schedule, nxs_id id, std::shared_ptr<CommandFacts> made) {
  checkGivenId(call, id, NXS_ObjectType_Command);
  const Place place = presentPlace();
  const Locked objects;
  const auto facts = objects->schedules.find(schedule);
  if (facts == nullptr) {
    return;
  }
  noteNew(*made, facts->device, place);
  made->id = id;
  made->schedule = schedule;
  facts->commands.push_back(made);
  objects->commands.add(id, std::move(made));
}

// A copy or a fill, which is final.
void noteFinalCommand(Call &call, nxs_id schedule, nxs_id id) {
  auto made = std::make_shared<CommandFacts>();
  made->finalized = true;
  made->uses = call.uses;
  noteCommand(call, schedule, id, std::move(made));
}

// What a run of the schedule uses, and the first command that is not finalized.
void gather(const ScheduleFacts &schedule, std::vector<Use> &uses, nxs_id &unfinalized) {
  for (const auto &command : schedule.commands) {
    if (!command->finalized && unfinalized == 0) {
      unfinalized = command->id;
    }
    uses.insert(uses.end(), command->uses.begin(), command->uses.end());
    for (const auto &[index, argument] : command->arguments) {
      if (argument.use.end != argument.use.begin) uses.push_back(argument.use);
    }
    if (command->nested != nullptr) gather(*command->nested, uses, unfinalized);
  }
}

// Runs of one schedule follow one another in whatever streams, and nested ones count as such.
// ticket: the least that the run can have.
void follow(Order &order, const ScheduleFacts &schedule, nxs_id stream, nxs_ticket ticket) {
  if (!schedule.last_run.empty()) order.join(stream, schedule.last_run, ticket);
  for (const auto &command : schedule.commands) {
    if (command->nested != nullptr) follow(order, *command->nested, stream, ticket);
  }
}

void noteRun(ScheduleFacts &schedule, const Clock &clock) {
  schedule.last_run = clock;
  for (const auto &command : schedule.commands) {
    if (command->nested != nullptr) noteRun(*command->nested, clock);
  }
}

}  // namespace

void after(Call &call, f::CreateSchedule, nxs_id device, nxs_id *out_schedule) {
  checkGivenId(call, *out_schedule, NXS_ObjectType_Schedule);
  const Place place = presentPlace();
  const Locked objects;
  noteNew(objects->schedules.add(*out_schedule), device, place);
}

void after(Call &, f::ReleaseSchedule, nxs_id schedule) {
  const Locked objects;
  if (const auto facts = objects->schedules.find(schedule)) {
    for (const auto &command : facts->commands) objects->commands.remove(command->id);
  }
  objects->schedules.remove(schedule);
}

void before(Call &call, f::CreateCommand, nxs_id schedule, nxs_id kernel, nxs_id *) {
  checkSameDevice(call, "kernel", kernel, "schedule", schedule);
  beginRecording(call, schedule);
}

void after(Call &call, f::CreateCommand, nxs_id schedule, nxs_id kernel, nxs_id *out_command) {
  auto made = std::make_shared<CommandFacts>();
  {
    const Locked objects;
    made->kernel = objects->kernels.find(kernel);
  }
  noteCommand(call, schedule, *out_command, std::move(made));
}

void before(Call &call, f::SetCommandArgument, nxs_id command, uint32_t index,
            const nxs_argument *argument) {
  const auto facts = commandOf(command);
  if (facts == nullptr || !beginRecording(call, facts->schedule)) {
    return;
  }
  const Access access = checkArgument(call, *facts, index, *argument);
  if (argument->kind == NXS_ArgumentKind_Buffer) {
    checkRange(call, "argument->", argument->buffer, argument->offset, argument->size);
    checkSameDevice(call, "argument->buffer", argument->buffer, "command", facts->schedule);
    addUse(call, argument->buffer, argument->offset, argument->size, access);
  }
}

void after(Call &call, f::SetCommandArgument, nxs_id command, uint32_t index,
           const nxs_argument *argument) {
  const Locked objects;
  if (const auto facts = objects->commands.find(command)) {
    facts->arguments[index] = {argument->kind, argument->size,
                               call.uses.empty() ? Use{} : call.uses.front()};
  }
}

void before(Call &call, f::FinalizeCommand, nxs_id command, const nxs_launch *launch) {
  const auto facts = commandOf(command);
  if (facts != nullptr && beginRecording(call, facts->schedule)) {
    checkLaunch(call, *facts, *launch);
  }
}

void after(Call &, f::FinalizeCommand, nxs_id command, const nxs_launch *) {
  const Locked objects;
  if (const auto facts = objects->commands.find(command)) facts->finalized = true;
}

void before(Call &call, f::CreateCopyCommand, nxs_id schedule, const nxs_buffer_range *destination,
            const nxs_buffer_range *source, nxs_id *) {
  checkCopy(call, *destination, *source);
  checkSameDevice(call, "destination", destination->buffer, "schedule", schedule);
  beginRecording(call, schedule);
}

void after(Call &call, f::CreateCopyCommand, nxs_id schedule, const nxs_buffer_range *,
           const nxs_buffer_range *, nxs_id *out_command) {
  noteFinalCommand(call, schedule, *out_command);
}

void before(Call &call, f::CreateFillCommand, nxs_id schedule, const nxs_buffer_range *range,
            const void *, uint64_t pattern_size, nxs_id *) {
  checkFill(call, *range, pattern_size);
  checkSameDevice(call, "range", range->buffer, "schedule", schedule);
  beginRecording(call, schedule);
}

void after(Call &call, f::CreateFillCommand, nxs_id schedule, const nxs_buffer_range *,
           const void *, uint64_t, nxs_id *out_command) {
  noteFinalCommand(call, schedule, *out_command);
}

void before(Call &call, f::CreateScheduleCommand, nxs_id schedule, nxs_id nested, nxs_id *) {
  checkSameDevice(call, "nested", nested, "schedule", schedule);
  beginRecording(call, schedule);
}

void after(Call &call, f::CreateScheduleCommand, nxs_id schedule, nxs_id nested,
           nxs_id *out_command) {
  auto made = std::make_shared<CommandFacts>();
  made->finalized = true;
  {
    const Locked objects;
    // A plug-in that took a circle would have the layer go round in it.
    if (nested != schedule) made->nested = objects->schedules.find(nested);
  }
  noteCommand(call, schedule, *out_command, std::move(made));
}

void after(Call &, f::ReleaseCommand, nxs_id command) {
  const Locked objects;
  const auto facts = objects->commands.find(command);
  if (facts == nullptr) {
    return;
  }
  if (const auto schedule = objects->schedules.find(facts->schedule);
      schedule != nullptr && !facts->finalized) {
    std::erase(schedule->commands, facts);
  }
  objects->commands.remove(command);
}

void before(Call &call, f::RunSchedule, nxs_id schedule, nxs_id stream, nxs_execution_settings,
            nxs_ticket *) {
  checkSameDevice(call, "schedule", schedule, "stream", stream);
  nxs_id unfinalized = 0;
  {
    const Locked objects;
    if (const auto facts = objects->schedules.find(schedule)) {
      gather(*facts, call.uses, unfinalized);
      const auto in = objects->streams.find(stream);
      follow(objects->order, *facts, stream, in == nullptr ? 1 : in->newest + 1);
    }
  }
  if (unfinalized != 0) {
    call.find(Message::NotFinalized, NXS_InvalidCommand,
              words(idText(unfinalized), " of ", idText(schedule), " was never finalized"));
  }
  call.schedule = schedule;
  beforeSubmission(call, stream);
}

void after(Call &call, f::RunSchedule, nxs_id schedule, nxs_id stream, nxs_execution_settings,
           nxs_ticket *out_ticket) {
  afterSubmission(call, stream, *out_ticket);
  const Locked objects;
  if (const auto facts = objects->schedules.find(schedule)) {
    noteRun(*facts, objects->order.clockAfter(stream, *out_ticket));
  }
}

}  // namespace nexus::core::layers::validation
