// SPDX-License-Identifier: Apache-2.0
//
// Commands of a schedule, and their arguments.

#include <algorithm>
#include <utility>

#include "execution/schedule.hpp"
#include "object/property.hpp"

namespace nexus::core {

Argument Argument::ofBuffer(const Buffer &buffer, Device &device) {
  Argument argument;
  argument.kind = NXS_ArgumentKind_Buffer;
  argument.data_type = buffer.layout().data_type;
  argument.read_only = buffer.readOnly();
  argument.memory = buffer.memory();
  argument.buffer = argument.memory->on(device, "buffer", "command");
  // Plug-ins get no empty range, so an empty buffer is passed as the first byte of its memory.
  const bool empty = buffer.size() == 0;
  argument.offset = empty ? 0 : buffer.offset();
  argument.size = empty ? 1 : buffer.size();
  argument.given = true;
  return argument;
}

Argument Argument::ofScalar(const void *data, uint64_t size, nxs_data_type data_type) {
  Argument argument;
  argument.kind = NXS_ArgumentKind_Scalar;
  argument.data_type = data_type;
  argument.size = size;
  const auto *bytes = static_cast<const unsigned char *>(data);
  argument.data.assign(bytes, bytes + size);
  argument.given = true;
  return argument;
}

Argument Argument::ofLocalMemory(uint64_t size) {
  Argument argument;
  argument.kind = NXS_ArgumentKind_LocalMemory;
  argument.size = size;
  argument.given = true;
  return argument;
}

nxs_argument Argument::native() const noexcept {
  nxs_argument native{};
  native.struct_size = sizeof(native);
  native.kind = kind;
  native.data_type = data_type;
  native.buffer = buffer;
  native.offset = offset;
  native.data = kind == NXS_ArgumentKind_Scalar ? data.data() : nullptr;
  native.size = size;
  return native;
}

namespace {

const char *commandTypeName(nxs_command_type type) {
#define NEXUS_COMMAND_TYPE(name, number) \
  if (type == number) return #name;
  NXS_FOR_EACH_CommandType(NEXUS_COMMAND_TYPE)
#undef NEXUS_COMMAND_TYPE
      return "Unknown";
}

json::Value countsValue(const Counts &counts) {
  std::vector<int64_t> numbers;
  for (const uint64_t count : counts) numbers.push_back(static_cast<int64_t>(count));
  return listOf(numbers);
}

}  // namespace

Command::Command(Schedule &schedule, nxs_command_type type, nxs_id id)
    : Object(kType, &schedule), schedule_(schedule), type_(type), id_(id) {}

std::string Command::describe() const {
  if (kernel_) return "kernel '" + kernel_->name() + "'";
  if (nested_number_ != 0) return "schedule " + std::to_string(nested_number_);
  if (type_ == NXS_CommandType_Host) {
    return function_name_.empty() ? "host function" : "host function '" + function_name_ + "'";
  }
  std::string name = commandTypeName(type_);
  name[0] = static_cast<char>(name[0] - 'A' + 'a');
  return name;
}

void checkEventValue(nxs_command_type type, const Event &event, uint64_t value) {
  event.checkWait(value);
  if (type == NXS_CommandType_Signal && event.oneShot() && value == 0) {
    failWith(NXS_InvalidValue, "value is 0; signal the event with 1.");
  }
}

void Command::requireKept() const {
  if (closed()) {
    refuseObject(this, kType, "command");
  }
}

void Command::requireOpen() const {
  requireKept();
  if (schedule_.closed()) {
    refuseObject(&schedule_, NXS_ObjectType_Schedule, "the command's schedule");
  }
}

Ref<Kernel> Command::kernel() const {
  const Lock lock(schedule_.mutex_);
  requireKept();
  return kernel_;
}

Ref<Schedule> Command::nested() const {
  const Lock lock(schedule_.mutex_);
  requireOpen();
  return nested_;
}

bool Command::isNative() const {
  Ref<Schedule> nested;
  {
    const Lock lock(schedule_.mutex_);
    requireKept();
    if (!nested_) return id_ != 0 || (type_ != NXS_CommandType_Host && !event_ && to_.size == 0);
    nested = nested_;
  }
  return nested->isNative();
}

bool Schedule::isNative() {
  std::vector<Ref<Command>> commands;
  {
    const Lock lock(mutex_);
    for (const std::unique_ptr<Command> &command : commands_) commands.emplace_back(*command);
  }
  return std::all_of(commands.begin(), commands.end(),
                     [](const Ref<Command> &command) { return command->isNative(); });
}

const Kernel &Command::requireKernel(const char *doing) const {
  requireOpen();
  if (type_ != NXS_CommandType_Dispatch) {
    failWith(NXS_InvalidOperation, "command is a ", commandTypeName(type_),
             " command, which runs no kernel; ", doing, " is for kernel commands.");
  }
  return *kernel_;
}

void Command::sendArgument(uint32_t index, const Argument &argument) const {
  const nxs_argument native = argument.native();
  schedule_.device().plugin().call(
      &nxs_functions::SetCommandArgument,
      [&] {
        return "set argument " + std::to_string(index) + " of the kernel '" + kernel_->name() + "'";
      },
      id_, index, &native);
}

void Command::setArgument(uint32_t index, Argument argument) {
  // `argument` releases the former value after the lock, since that may call the user's code.
  const Lock lock(schedule_.mutex_);
  const Kernel &kernel = requireKernel("an argument");
  checkArgument(kernel.info(), index, argument.native(), argument.read_only);
  if (index >= arguments_.size()) {
    // Allocate once instead of for each argument.
    arguments_.reserve(kernel.info().argument_count.value_or(index + 1));
    arguments_.resize(index + 1);
  }
  Argument &present = arguments_[index];
  if (finalized_) {
    ++schedule_.argument_version_;
    if (schedule_.held_pieces_ == 0) {
      sendArgument(index, argument);
      if (schedule_.sent_version_ + 1 == schedule_.argument_version_) ++schedule_.sent_version_;
    }
  }
  if (argument.memory) argument.memory->attach(*schedule_.runs_);
  if (present.memory) present.memory->detach(*schedule_.runs_);
  std::swap(present, argument);
}

void Command::setValue(uint64_t value, uint64_t step) {
  requireOpen();
  if (!event_) {
    failWith(NXS_InvalidOperation, "command is a ", commandTypeName(type_),
             " command, which has no value; set that of a signal or a wait command.");
  }
  checkEventValue(type_, *event_, value);
  const Lock lock(schedule_.mutex_);
  requireOpen();
  value_ = value;
  step_ = event_->oneShot() ? 0 : step;
  first_run_ = schedule_.run_count_ + 1;
}

void Command::finalize(const nexus_launch_desc &desc) {
  const Lock lock(schedule_.mutex_);
  const Kernel &kernel = requireKernel("finalize");
  const nxs_launch launch = completeLaunch(desc, kernel.info());
  schedule_.requireIdle("finalizing a command");
  checkArguments(kernel.info(), arguments_.size(),
                 [&](uint32_t index) { return arguments_[index].given; });
  for (uint32_t i = 0; i < arguments_.size(); ++i) {
    sendArgument(i, arguments_[i]);
  }
  schedule_.device().plugin().call(
      &nxs_functions::FinalizeCommand,
      [&] { return "finalize a command of the kernel '" + kernel.name() + "'"; }, id_, &launch);
  group_size_ = countsOf(launch.group_size);
  grid_size_ = countsOf(launch.grid_size);
  group_count_ = countsOf(launch.group_count);
  schedule_.noteChanged();
  if (!finalized_) {
    finalized_ = true;
    --schedule_.unfinalized_;
  }
}

NativeProperties Command::properties() const {
  return {schedule_.device().plugin(), &nxs_functions::GetCommandProperty, id_, "command"};
}

std::optional<json::Value> Command::property(std::string_view, nxs_property number) {
  if (number == NP_Status) return schedule_.property("Status", NP_Status);
  if (number == NP_Replay) return json::Value(isNative() ? "native" : "host");
  {
    const Lock lock(schedule_.mutex_);
    requireKept();
    switch (number) {
      case NP_ID:
        return json::Value(id_);
      case NP_Type:
        return json::Value(commandTypeName(type_));
      case NP_Name:
        if (kernel_) return json::Value(kernel_->name());
        if (!function_name_.empty()) return json::Value(function_name_);
        return json::Value(nested_number_ != 0 ? describe() : commandTypeName(type_));
      case NP_Value:
        return event_ ? std::optional(json::Value(value_)) : std::nullopt;
      case NP_Step:
        return event_ ? std::optional(json::Value(step_)) : std::nullopt;
      case NP_Arguments: {
        if (!kernel_) return std::nullopt;
        std::vector<int64_t> ids;
        for (const Argument &argument : arguments_) {
          ids.push_back(argument.memory ? argument.memory->id() : 0);
        }
        return listOf(ids);
      }
      case NP_GroupSize:
      case NP_GridSize:
      case NP_GroupCount:
        if (!kernel_ || !finalized_) return std::nullopt;
        // If the backend chose the group size, only the plug-in knows it.
        if (number != NP_GridSize && group_size_[0] == 0) break;
        return countsValue(number == NP_GroupSize  ? group_size_
                           : number == NP_GridSize ? grid_size_
                                                   : group_count_);
      default:
        break;
    }
  }
  const Lock lock(schedule_.mutex_);
  requireOpen();
  return id_ == 0 ? std::nullopt : properties().read(number);
}

std::vector<std::string> Command::propertyKeys() {
  std::vector<std::string> own{"ID", "Keys", "Type", "Name", "Status", "Replay"};
  {
    const Lock lock(schedule_.mutex_);
    requireKept();
    if (event_) own.insert(own.end(), {"Value", "Step"});
    if (kernel_) own.push_back("Arguments");
    if (kernel_ && finalized_) {
      for (const char *name : {"GroupSize", "GridSize", "GroupCount"}) own.push_back(name);
    }
  }
  if (id_ == 0) return own;
  const Lock lock(schedule_.mutex_);
  requireOpen();
  return properties().keys(std::move(own));
}

}  // namespace nexus::core
