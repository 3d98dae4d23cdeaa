// SPDX-License-Identifier: Apache-2.0
#include "trace/object_texts.hpp"

#include <algorithm>
#include <utility>

#include "base/text.hpp"

namespace nexus::core::trace {

namespace {

constexpr std::size_t kListed = 64;  // commands of a run in its details
constexpr std::size_t kNamed = 3;    // commands in its name

std::string shortList(const std::vector<const CommandText *> &commands) {
  std::string text = counted(commands.size(), "command") + ": ";
  for (std::size_t i = 0; i < std::min(kNamed, commands.size()); ++i) {
    text += (i == 0 ? "" : ", ") + commands[i]->name;
  }
  return text + (commands.size() > kNamed ? ", ..." : "");
}

std::vector<std::string> longList(const std::vector<const CommandText *> &commands) {
  std::vector<std::string> list;
  for (std::size_t i = 0; i < std::min(kListed, commands.size()); ++i) {
    const CommandText &command = *commands[i];
    list.push_back(command.name + (command.size.empty() ? "" : " (" + command.size + ")"));
  }
  if (commands.size() > kListed) {
    list.push_back("and " + std::to_string(commands.size() - kListed) + " more");
  }
  return list;
}

}  // namespace

WorkTextPtr runText(const std::string &schedule, const std::vector<const CommandText *> &commands) {
  auto text = std::make_shared<WorkText>();
  for (const CommandText *command : commands) text->copied += command->copied;
  if (commands.size() == 1) {
    const CommandText &only = *commands[0];
    text->name = only.name;
    text->category = only.category;
    if (!only.size.empty()) text->details.add("size", only.size);
  } else {
    text->name = shortList(commands);
    text->category = "schedule";
    text->details.addList("commands", longList(commands));
  }
  text->details.add("schedule", schedule);
  return text;
}

WorkTextPtr transferText(std::string_view name, std::string_view category, uint64_t bytes) {
  auto text = std::make_shared<WorkText>();
  text->name = name;
  text->category = category;
  text->copied = category == "copy" ? bytes : 0;
  text->details.add("bytes", bytes);
  return text;
}

WorkTextPtr orderText(std::string_view name, std::string_view category, std::string_view event) {
  auto text = std::make_shared<WorkText>();
  text->name = name;
  text->category = category;
  text->takes_time = category == "wait";
  if (!event.empty()) text->details.add("event", event);
  return text;
}

std::string lengthsText(const uint64_t (&lengths)[3]) {
  std::string text = std::to_string(lengths[0]);
  for (int i = 1; i < 3; ++i) {
    if (lengths[i] > 1 || (i == 1 && lengths[2] > 1)) text += " x " + std::to_string(lengths[i]);
  }
  return text;
}

namespace {

using Lock = std::lock_guard<std::mutex>;
using layers::idText;

std::string bytesText(uint64_t bytes) {
  return std::to_string(bytes) + " bytes";
}

std::string launchText(const nxs_launch &launch) {
  std::string text = "grid " + lengthsText(launch.grid_size);
  if (launch.group_size[0] != 0) text += ", groups of " + lengthsText(launch.group_size);
  return text;
}

}  // namespace

// ---- Objects --------------------------------------------------------------------

void ObjectTexts::note(functions::GetDevice, nxs_id, uint32_t index, nxs_id *out_device) {
  const Lock lock(mutex_);
  devices_[*out_device] = index;
}

uint32_t ObjectTexts::deviceNumber(nxs_id device) const {
  const Lock lock(mutex_);
  const auto found = devices_.find(device);
  return found == devices_.end() ? 0 : found->second;
}

void ObjectTexts::note(functions::GetKernel, nxs_id, const nxs_string *name, nxs_id *out_kernel) {
  const Lock lock(mutex_);
  kernels_[*out_kernel] = std::string(name->data, name->size);
}

void ObjectTexts::note(functions::ReleaseKernel, nxs_id kernel) {
  const Lock lock(mutex_);
  kernels_.erase(kernel);
}

void ObjectTexts::addBuffer(nxs_id buffer, Memory memory) {
  const Lock lock(mutex_);
  buffers_[buffer] = memory;
}

ObjectTexts::Memory ObjectTexts::removeBuffer(nxs_id buffer) {
  const Lock lock(mutex_);
  const auto found = buffers_.find(buffer);
  if (found == buffers_.end()) return {};
  const Memory memory = found->second;
  buffers_.erase(found);
  return memory;
}

// ---- Schedules ------------------------------------------------------------------

void ObjectTexts::addCommand(nxs_id schedule, nxs_id command, CommandText text, bool final) {
  commands_[command] = {schedule, std::move(text), final};
  Schedule &changed = schedules_[schedule];
  changed.commands.push_back(command);
  changed.text = nullptr;
}

void ObjectTexts::note(functions::CreateCommand, nxs_id schedule, nxs_id kernel,
                       nxs_id *out_command) {
  const Lock lock(mutex_);
  const auto found = kernels_.find(kernel);
  addCommand(schedule, *out_command,
             {found == kernels_.end() ? idText(kernel) : found->second, "kernel", "", 0}, false);
}

void ObjectTexts::note(functions::FinalizeCommand, nxs_id command, const nxs_launch *launch) {
  const Lock lock(mutex_);
  const auto found = commands_.find(command);
  if (found == commands_.end()) return;
  found->second.text.size = launchText(*launch);
  found->second.final = true;
  schedules_[found->second.schedule].text = nullptr;
}

void ObjectTexts::note(functions::CreateCopyCommand, nxs_id schedule, const nxs_buffer_range *,
                       const nxs_buffer_range *source, nxs_id *out_command) {
  const Lock lock(mutex_);
  addCommand(schedule, *out_command,
             {"copy on the device", "copy", bytesText(source->size), source->size}, true);
}

void ObjectTexts::note(functions::CreateFillCommand, nxs_id schedule, const nxs_buffer_range *range,
                       const void *, uint64_t, nxs_id *out_command) {
  const Lock lock(mutex_);
  addCommand(schedule, *out_command, {"fill", "fill", bytesText(range->size), 0}, true);
}

void ObjectTexts::note(functions::CreateScheduleCommand, nxs_id schedule, nxs_id nested,
                       nxs_id *out_command) {
  const Lock lock(mutex_);
  addCommand(schedule, *out_command, {"run of " + idText(nested), "schedule", "", 0}, true);
  commands_[*out_command].nested = nested;
  schedules_[schedule].nests = true;
}

void ObjectTexts::note(functions::CreateConditionCommand, nxs_id schedule, nxs_command_type type,
                       const nxs_buffer_range *, const nxs_id *, uint64_t, uint64_t,
                       nxs_id *out_command) {
  const char *name = type == NXS_CommandType_If      ? "if"
                     : type == NXS_CommandType_While ? "while"
                                                     : "switch";
  const Lock lock(mutex_);
  addCommand(schedule, *out_command, {name, "condition", "", 0}, true);
}

void ObjectTexts::note(functions::EndCapture, nxs_id, nxs_id schedule, nxs_id *out_command) {
  const Lock lock(mutex_);
  addCommand(schedule, *out_command, {"captured work", "captured", "", 0}, true);
}

// Removes a kernel command that was never finalized from its schedule; others stay, without their
// id.
void ObjectTexts::note(functions::ReleaseCommand, nxs_id command) {
  const Lock lock(mutex_);
  const auto found = commands_.find(command);
  if (found == commands_.end() || found->second.final) return;
  Schedule &schedule = schedules_[found->second.schedule];
  std::erase(schedule.commands, command);
  schedule.text = nullptr;
  commands_.erase(found);
}

void ObjectTexts::note(functions::ReleaseSchedule, nxs_id schedule) {
  const Lock lock(mutex_);
  const auto found = schedules_.find(schedule);
  if (found == schedules_.end()) return;
  for (const nxs_id command : found->second.commands) commands_.erase(command);
  schedules_.erase(found);
}

WorkTextPtr ObjectTexts::describe(functions::RunSchedule, nxs_id schedule, nxs_id,
                                  nxs_execution_settings, nxs_ticket *) {
  const Lock lock(mutex_);
  Schedule &run = schedules_[schedule];
  if (!run.text || run.nests) {  // nested schedules may have changed
    std::vector<const CommandText *> commands;
    addCommands(run, commands);
    run.text = runText(idText(schedule), commands);
  }
  return run.text;
}

void ObjectTexts::addCommands(const Schedule &schedule,
                              std::vector<const CommandText *> &texts) const {
  for (const nxs_id id : schedule.commands) {
    const Command &command = commands_.at(id);
    const auto nested = schedules_.find(command.nested);
    if (nested == schedules_.end()) {
      texts.push_back(&command.text);
    } else {
      addCommands(nested->second, texts);
    }
  }
}

}  // namespace nexus::core::trace
