// SPDX-License-Identifier: Apache-2.0
//
// Recording conditions.

#include <algorithm>
#include <utility>

#include "base/data_type.hpp"
#include "execution/schedule.hpp"

namespace nexus::core {
namespace {

std::string bodyName(nxs_command_type type, std::size_t index) {
  switch (type) {
    case NXS_CommandType_If:
      return index == 0 ? "then" : "otherwise";
    case NXS_CommandType_While:
      return "body";
    default:
      return "cases[" + std::to_string(index) + "]";
  }
}

}  // namespace

Command &Schedule::addCondition(nxs_command_type type, Buffer &value,
                                const std::vector<Schedule *> &bodies, uint64_t max_count) {
  const char *parameter = type == NXS_CommandType_Switch ? "selector" : "condition";
  const nxs_data_type data_type = value.layout().data_type;
  if (data_type != NXS_DataType_I32 && data_type != NXS_DataType_U32) {
    failWith(NXS_InvalidValue, parameter, " is a buffer of ", dataTypeName(data_type),
             "; give a buffer of int32 or uint32, whose first element is the condition.");
  }
  if (value.size() == 0) {
    failWith(NXS_InvalidValue, parameter, " is empty; give a buffer with one element.");
  }
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    requireSameDevice(bodies[i]->device(), bodyName(type, i).c_str(), device_, "schedule");
  }
  auto command = std::make_unique<Command>(*this, type);
  command->arguments_.push_back(Argument::ofRange(value));
  Argument &read = command->arguments_[0];
  requireOwn(read, parameter);
  if (type == NXS_CommandType_While && read.isScratch()) {
    failWith(NXS_InvalidOperation, parameter, " is scratch memory of ", name(),
             ", which no command of body can change; give a buffer of the device.");
  }
  read.buffer = read.memory->on(device_, parameter, "schedule");
  read.size = sizeof(uint32_t);
  command->max_count_ = max_count;
  Released released;  // destroyed after the locks
  const FamilyLock family(*this, bodies);
  requireIdle("adding a command");
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    requireNotAround(*bodies[i], bodyName(type, i));
    bodies[i]->refuseEventsInBody();
    command->bodies_.emplace_back(*bodies[i]);
  }
  return appendRunning(std::move(command), bodies, released);
}

// Throws if the schedule, which is a body of a condition, or one that is nested in it has a signal
// or a wait. Also under the mutexes of all nested schedules.
void Schedule::refuseEventsInBody() const {
  std::vector<const Schedule *> all{this};
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto add = [&](const Schedule &each) {
      if (std::find(all.begin(), all.end(), &each) == all.end()) all.push_back(&each);
    };
    for (const std::unique_ptr<Command> &command : all[i]->commands_) {
      if (!command->enabled_) continue;
      if (command->nested_) add(*command->nested_);
      for (const Ref<Schedule> &each : command->bodies_) add(*each);
      if (!command->event_) continue;
      failWith(NXS_InvalidOperation, "Command ", command->index_, " (", command->describe(),
               ") of ", all[i]->name(),
               " is in a schedule that a condition runs, so its value is not known when a run is "
               "submitted; signal and wait in the schedule around the condition.");
    }
  }
}

std::vector<Ref<Schedule>> Command::bodies() const {
  const Lock lock(schedule_.mutex_);
  requireOpen();
  if (!isCondition()) {
    failWith(NXS_InvalidOperation,
             "command is not a condition; give an if, while or switch command.");
  }
  return bodies_;
}

}  // namespace nexus::core
