// SPDX-License-Identifier: Apache-2.0
#include "trace/object_texts.hpp"

#include <algorithm>
#include <utility>

#include "layers/calls_text.hpp"

namespace nexus::core::trace {
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
  if (!run.text) {
    std::vector<const CommandText *> commands;
    for (const nxs_id command : run.commands) commands.push_back(&commands_[command].text);
    run.text = runText(idText(schedule), commands);
  }
  return run.text;
}

// ---- Other submissions ------------------------------------------------------------

WorkTextPtr ObjectTexts::describe(functions::CopyBuffer, nxs_id, uint64_t, void *, uint64_t size,
                                  nxs_id, nxs_ticket *) {
  return transferText("copy to the host", "copy", size);
}

WorkTextPtr ObjectTexts::describe(functions::WriteBuffer, nxs_id, uint64_t, const void *,
                                  uint64_t size, nxs_id, nxs_ticket *) {
  return transferText("copy to the device", "copy", size);
}

WorkTextPtr ObjectTexts::describe(functions::TransferBuffer, nxs_id, const nxs_buffer_range *,
                                  const nxs_buffer_range *source, nxs_ticket *) {
  return transferText("copy on the device", "copy", source->size);
}

WorkTextPtr ObjectTexts::describe(functions::FillBuffer, nxs_id, const nxs_buffer_range *range,
                                  const void *, uint64_t, nxs_ticket *) {
  return transferText("fill", "fill", range->size);
}

WorkTextPtr ObjectTexts::describe(functions::MapBuffer, nxs_id, const nxs_buffer_range *range,
                                  nxs_map_access, void **, nxs_ticket *) {
  return transferText("map", "map", range->size);
}

WorkTextPtr ObjectTexts::describe(functions::UnmapBuffer, nxs_id, nxs_id, void *, nxs_ticket *) {
  return orderText("unmap", "map", "");
}

WorkTextPtr ObjectTexts::describe(functions::EnqueueHostCallback, nxs_id,
                                  void (*)(void *, nxs_status), void *, nxs_ticket *) {
  return orderText("callback", "mark", "");
}

WorkTextPtr ObjectTexts::describe(functions::SignalEvent, nxs_id event, nxs_id, nxs_ticket *) {
  return orderText("signal", "mark", idText(event));
}

WorkTextPtr ObjectTexts::describe(functions::WaitEvent, nxs_id event, nxs_id, nxs_ticket *) {
  return orderText("wait for an event", "wait", idText(event));
}

}  // namespace nexus::core::trace
