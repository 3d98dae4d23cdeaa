// SPDX-License-Identifier: Apache-2.0
//
// Commands of a schedule, and their arguments.

#include <algorithm>
#include <utility>

#include "base/data_type.hpp"
#include "base/log.hpp"
#include "execution/schedule.hpp"
#include "object/property.hpp"

namespace nexus::core {

Argument Argument::ofRange(const Buffer &buffer) {
  requireContiguous(buffer, "buffer");
  Argument argument;
  argument.kind = NXS_ArgumentKind_Buffer;
  argument.data_type = buffer.layout().data_type;
  argument.layout = buffer.sharedLayout();
  argument.memory = buffer.memory();
  argument.offset = buffer.offset();
  argument.size = buffer.size();
  argument.given = true;
  return argument;
}

Argument Argument::ofBuffer(const Buffer &buffer, Device &device) {
  Argument argument = ofRange(buffer);
  argument.buffer = argument.memory->on(device, "buffer", "command");
  if (argument.size == 0) {
    // Plug-ins get no empty range, so an empty buffer is passed as the first byte of its memory.
    argument.offset = 0;
    argument.size = 1;
  }
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

bool Argument::isLike(const Argument &other) const noexcept {
  return given && other.given && kind == other.kind && data_type == other.data_type &&
         memory == other.memory && offset == other.offset && size == other.size &&
         data == other.data;
}

void checkApart(const Argument &destination, const Argument &source, const char *name) {
  if (destination.memory == source.memory && destination.offset < source.offset + source.size &&
      source.offset < destination.offset + destination.size) {
    failWith(NXS_MemCopyOverlap, name,
             " overlaps the other buffer of the copy; copy through "
             "another one.");
  }
}

nxs_argument Argument::native() const noexcept {
  nxs_argument native{};
  native.struct_size = sizeof(native);
  native.kind = kind;
  native.data_type = NEXUS_RECORD_SIZE(data_type) != 0 ? NXS_DataType_Undefined : data_type;
  native.buffer = buffer;
  native.offset = base + offset;
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

json::Value countsValue(const uint64_t (&counts)[3]) {
  std::vector<int64_t> numbers;
  for (const uint64_t count : counts) numbers.push_back(static_cast<int64_t>(count));
  return listOf(numbers);
}

// Returns two digits for each byte.
json::Value hexOf(const std::vector<unsigned char> &bytes) {
  constexpr const char *digits = "0123456789abcdef";
  std::string text;
  for (const unsigned char byte : bytes) text += {digits[byte >> 4U], digits[byte & 15U]};
  return json::Value(std::move(text));
}

json::Value bufferValue(const Memory &memory, uint64_t offset, const Layout &layout) {
  json::Value value;
  value.set("device", memory.device() == nullptr ? json::Value("")
                                                 : json::Value(memory.device()->selector()));
  value.set("memory", json::Value(memory.id()));
  value.set("memory_size", json::Value(memory.size()));
  value.set("scratch", json::Value(memory.scratchOf() != 0));
  value.set("offset", json::Value(offset));
  value.set("size", json::Value(layout.size));
  value.set("data_type", json::Value(dataTypeName(layout.data_type)));
  json::Value::Array shape;
  for (const uint64_t length : layout.shape) shape.emplace_back(length);
  value.set("shape", json::Value(std::move(shape)));
  return value;
}

json::Value argumentValue(const Argument &argument) {
  json::Value value;
  if (!argument.given) return value;
  if (argument.kind == NXS_ArgumentKind_Scalar) {
    value.set("data_type", json::Value(dataTypeName(argument.data_type)));
    value.set("data", hexOf(argument.data));
  } else {
    value.set("local_memory", json::Value(argument.size));
  }
  return value;
}

}  // namespace

Command::Command(Schedule &schedule, nxs_command_type type)
    : Object(kType, &schedule), schedule_(schedule), type_(type) {}

bool Command::inPiece() const noexcept {
  if (!isTransfer()) return kernel_.get() != nullptr || captured_.get() != nullptr;
  const Device &device = schedule_.device_;
  return !isEmpty() && std::all_of(arguments_.begin(), arguments_.end(), [&](const Argument &each) {
    if (!each.memory) return true;
    // Host memory that the device can't use has no buffer there.
    return each.memory->device() == nullptr ? each.buffer != 0 : each.memory->device() == &device;
  });
}

std::string Command::describe() const {
  if (kernel_) return "kernel '" + kernel_->name() + "'";
  if (nested_number_ != 0) return "schedule " + std::to_string(nested_number_);
  if (type_ == NXS_CommandType_Host) {
    return function_name_.empty() ? "host function" : "host function '" + function_name_ + "'";
  }
  if (type_ == NXS_CommandType_Captured) return "captured work";
  std::string name = commandTypeName(type_);
  name[0] = static_cast<char>(name[0] - 'A' + 'a');
  return name;
}

void checkEventValue(nxs_command_type type, const Event &event, uint64_t value) {
  event.checkWait(value);
  if (type == NXS_CommandType_Signal && event.oneShot() && value == 0) {
    failWith(NXS_InvalidValue,
             "value is 0, and Signal and Fence events are signalled only with 1; give 1, or use a "
             "Shared event.");
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

bool Command::isReplayedNatively() const {
  std::vector<Ref<Schedule>> run;
  if (!isReplayedWith(run)) return false;
  for (std::size_t i = 0; i < run.size(); ++i) {
    std::vector<Ref<Command>> commands;
    {
      const Lock lock(run[i]->mutex_);
      for (const auto &command : run[i]->commands_) commands.emplace_back(*command);
    }
    for (const Ref<Command> &command : commands) {
      if (!command->isReplayedWith(run)) return false;
    }
  }
  return true;
}

// Returns whether the plug-in replays the command, provided that it replays all commands of the
// added schedules.
bool Command::isReplayedWith(std::vector<Ref<Schedule>> &run) const {
  const Lock lock(schedule_.mutex_);
  requireKept();
  const auto add = [&](const Ref<Schedule> &inner) {
    const auto same = [&](const Ref<Schedule> &each) { return each.get() == inner.get(); };
    if (std::none_of(run.begin(), run.end(), same)) run.push_back(inner);
  };
  if (isCondition()) {
    if (!schedule_.takes(*this)) return false;
    for (const Ref<Schedule> &each : bodies_) add(each);
    return true;
  }
  if (nested_) add(nested_);
  return nested_ || inPiece() || isEmpty();
}

const Kernel &Command::requireKernel(const char *doing) const {
  requireOpen();
  if (type_ != NXS_CommandType_Dispatch) {
    failWith(NXS_InvalidOperation, "command is a ", commandTypeName(type_),
             " command, which has no kernel; ", doing, " needs a kernel command.");
  }
  return *kernel_;
}

void Command::sendArgument(nxs_id id, uint32_t index, const Argument &argument) const {
  const nxs_argument native = argument.native();
  schedule_.device().plugin().call(
      &nxs_functions::SetCommandArgument,
      [&] {
        return "set argument " + std::to_string(index) + " of the kernel '" + kernel_->name() + "'";
      },
      id, index, &native);
}

void Command::sendAll(nxs_id id, const nxs_launch &launch) const {
  for (uint32_t i = 0; i < arguments_.size(); ++i) sendArgument(id, i, arguments_[i]);
  schedule_.device().plugin().call(
      &nxs_functions::FinalizeCommand,
      [&] { return "finalize a command of the kernel '" + kernel_->name() + "'"; }, id, &launch);
}

// ---- Arguments -------------------------------------------------------------------

void Command::setBuffer(uint32_t index, const Buffer &buffer) {
  if (isTransfer()) {
    rebind(index, buffer);
    return;
  }
  if (hasNow(index, buffer)) return;
  Device &device = schedule_.device();
  Argument argument = Argument::ofBuffer(buffer, device);
  schedule_.requireOwn(argument, "buffer");
  if (buffer.offset() % device.offsetAlignment() != 0) {
    failWith(NXS_MisalignedSubBufferOffset, "buffer is a slice that begins at byte ",
             buffer.offset(), ", and '", device.selector(), "' needs a multiple of its ",
             "BufferOffsetAlignment, ", device.offsetAlignment(),
             " bytes; move the slice, or copy it to a new buffer.");
  }
  setArgument(index, std::move(argument));
}

void Command::setScalar(uint32_t index, const void *data, uint64_t size, nxs_data_type data_type) {
  requirePointer(data, "data");
  if (size == 0) {
    failWith(NXS_InvalidArgSize, "size is 0; give the bytes of the scalar.");
  }
  Argument argument = Argument::ofScalar(data, size, data_type);
  if (type_ == NXS_CommandType_Fill) {
    setPattern(index, std::move(argument));
  } else {
    setArgument(index, std::move(argument));
  }
}

void Command::setLocalMemory(uint32_t index, uint64_t size) {
  if (size == 0) {
    failWith(NXS_InvalidArgSize, "size is 0; give the bytes of one group's local memory.");
  }
  setArgument(index, Argument::ofLocalMemory(size));
}

void Command::rebind(uint32_t index, const Buffer &buffer) {
  const bool copy = type_ == NXS_CommandType_Copy;
  if (index > (copy ? 1 : 0)) {
    failWith(NXS_InvalidArgIndex, "index is ", index, "; a ",
             copy ? "copy command has its destination at 0 and its source at 1."
                  : "fill command has its buffer at 0; its value is at 1.");
  }
  const char *name = !copy ? "buffer" : index == 0 ? "destination" : "source";
  if (index == 0) checkWritable(buffer, name);
  const Lock lock(schedule_.mutex_);
  requireOpen();
  const Argument &other = arguments_[1 - index];
  if (copy && buffer.size() != other.size) {
    failWith(NXS_InvalidValue, "buffer has ", buffer.size(), " bytes, and the copy's ",
             index == 0 ? "source" : "destination", " has ", other.size,
             "; give a buffer or slice of equal size.");
  }
  Argument argument = schedule_.operand(buffer, name, copy ? other.memory->device() : nullptr);
  if (copy && other.buffer == 0 && other.memory->device() == nullptr &&
      buffer.device() == nullptr) {
    failWith(NXS_NotSupported, "buffer is host memory, and so is the copy's ",
             index == 0 ? "source" : "destination", ", which the device '",
             schedule_.device().selector(), "' can't use in place; give a buffer of the device.");
  }
  if (!copy) {
    checkPattern(buffer.offset(), buffer.size(), other.data.data(), other.size);
  } else {
    checkApart(argument, other, "buffer");
  }
  replace(index, std::move(argument));
}

void Command::setPattern(uint32_t index, Argument pattern) {
  if (index != 1) {
    failWith(NXS_InvalidArgIndex, "index is ", index,
             ", and the pattern of a fill command is its argument 1.");
  }
  const Lock lock(schedule_.mutex_);
  requireOpen();
  checkPattern(arguments_[0].offset, arguments_[0].size, pattern.data.data(), pattern.size);
  replace(index, std::move(pattern));
}

void Command::replace(uint32_t index, Argument argument) {
  std::swap(arguments_[index], argument);
  if (argument.isScratch() || arguments_[index].isScratch()) schedule_.noteScratch();
  if (argument.memory) {
    arguments_[index].memory->attach(*schedule_.runs_);
    argument.memory->detach(*schedule_.runs_);
    schedule_.recorded_->former.push_back(std::move(argument.memory));
  }
  schedule_.noteOutdated();
}

// Returns whether the argument of a finalized command already is this buffer; false if the command
// is closed.
bool Command::hasNow(uint32_t index, const Buffer &buffer) const {
  const Lock lock(schedule_.mutex_);
  if (!finalized_ || closed() || schedule_.closed() || index >= arguments_.size()) return false;
  const Argument &present = arguments_[index];
  return present.layout == buffer.sharedLayout() && present.offset == buffer.offset() &&
         buffer.isOver(present.memory);
}

void Command::setArgument(uint32_t index, Argument argument) {
  // `argument` releases the former value after the lock, since that may call the user's code.
  const Lock lock(schedule_.mutex_);
  const Kernel &kernel = requireKernel("an argument");
  checkArgument(kernel.info(), index, argument.native(),
                {.read_only = argument.layout != nullptr && argument.layout->read_only,
                 .host_memory = argument.memory && argument.memory->device() == nullptr});
  if (index >= arguments_.size()) {
    // Allocate once instead of for each argument.
    arguments_.reserve(kernel.info().argument_count.value_or(index + 1));
    arguments_.resize(index + 1);
  }
  Argument &present = arguments_[index];
  if (finalized_ && present.isLike(argument)) {  // the plug-in has it
    std::swap(present.layout, argument.layout);
    return;
  }
  if (argument.isScratch() || present.isScratch()) schedule_.noteScratch();
  if (finalized_) {
    ++schedule_.argument_version_;
    if (schedule_.held_pieces_ == 0 && !schedule_.outdated_) {
      sendArgument(id_, index, argument);
      uint64_t &sent = schedule_.recorded_->argument_version;
      if (sent + 1 == schedule_.argument_version_) ++sent;
    }
  }
  if (argument.memory) argument.memory->attach(*schedule_.runs_);
  if (present.memory) {
    present.memory->detach(*schedule_.runs_);
    if (schedule_.outdated_) schedule_.recorded_->former.push_back(present.memory);
  }
  std::swap(present, argument);
}

void Command::setValue(uint64_t value, uint64_t step) {
  requireOpen();
  if (!event_) {
    failWith(NXS_InvalidOperation, "command is a ", commandTypeName(type_),
             " command, which has no value; give a signal or a wait command.");
  }
  checkEventValue(type_, *event_, value);
  const Lock lock(schedule_.mutex_);
  requireOpen();
  value_ = value;
  step_ = event_->oneShot() ? 0 : step;
  first_run_ = schedule_.run_count_ + 1;
}

void Command::finalize(const nexus_launch_desc &desc) {
  Schedule::Released released;  // destroyed after the lock
  const Lock lock(schedule_.mutex_);
  const Kernel &kernel = requireKernel("finalize");
  const nxs_launch launch = completeLaunch(desc, kernel.info());
  schedule_.requireIdle("finalizing a command");
  checkArguments(kernel.info(), arguments_.size(),
                 [&](uint32_t index) { return arguments_[index].given; });
  if (schedule_.unplaced_) {
    id_ = 0;
  } else {
    schedule_.update(released);
    sendAll(id_, launch);
  }
  launch_ = launch;
  schedule_.noteChanged();
  if (!finalized_) {
    finalized_ = true;
    --schedule_.unfinalized_;
  }
  // A kernel that requires a group size leaves no choice.
  if (kernel.info().required_group_size[0] == 0 && looksExchanged(desc)) {
    logLine(NXS_LogLevel_Warning, "",
            join("group_size is ", countsText(countsOf(desc.group_size)),
                 " and grid_size, in work items, is ", countsText(countsOf(desc.grid_size)),
                 ": a group larger than the grid. If they are exchanged, give the group first; if "
                 "grid_size is meant in groups, give group_count."));
  }
}

void Command::setEnabled(bool enabled) {
  const Lock lock(schedule_.mutex_);
  requireOpen();
  if (std::exchange(enabled_, enabled) != enabled) schedule_.noteOutdated();
}

bool Command::enabled() const {
  const Lock lock(schedule_.mutex_);
  requireOpen();
  return enabled_;
}

const Argument *Command::bufferAt(uint32_t index) const noexcept {
  return index < arguments_.size() && arguments_[index].memory ? &arguments_[index] : nullptr;
}

Ref<Buffer> Command::buffer(uint32_t index) const {
  const Lock lock(schedule_.mutex_);
  requireOpen();
  const Argument *found = bufferAt(index);
  if (found == nullptr) {
    const bool other = index < arguments_.size() && arguments_[index].given;
    failWith(other ? NXS_InvalidArgValue : NXS_InvalidArgIndex, "index is ", index,
             ", and the command (", describe(), ") has ",
             other ? "another kind of argument there" : "no argument there",
             "; give the index of a buffer, counted from 0.");
  }
  return make<Buffer>(found->memory, found->offset, found->layout);
}

json::Value Command::recording() const {
  const Lock lock(schedule_.mutex_);
  requireOpen();
  json::Value value;
  value.set("type", json::Value(commandTypeName(type_)));
  value.set("enabled", json::Value(enabled_));
  if (kernel_) value.set("kernel", json::Value(kernel_->name()));
  const bool fills = type_ == NXS_CommandType_Fill;
  const std::size_t count = fills ? 1 : arguments_.size();
  json::Value::Array arguments;
  for (uint32_t i = 0; i < count; ++i) {
    const Argument *found = bufferAt(i);
    arguments.push_back(found != nullptr
                            ? bufferValue(*found->memory, found->offset, *found->layout)
                            : argumentValue(arguments_[i]));
  }
  if (kernel_ || count != 0) value.set("arguments", json::Value(std::move(arguments)));
  if (kernel_ && finalized_) {
    json::Value launch;
    launch.set("group_size", countsValue(launch_.group_size));
    launch.set("grid_size", countsValue(launch_.grid_size));
    launch.set("group_count", countsValue(launch_.group_count));
    launch.set("cluster_size", countsValue(launch_.cluster_size));
    launch.set("local_memory", json::Value(launch_.local_memory));
    launch.set("flags", json::Value(static_cast<uint64_t>(launch_.flags)));
    value.set("launch", std::move(launch));
  }
  if (fills) value.set("pattern", hexOf(arguments_[1].data));
  if (type_ == NXS_CommandType_While && max_count_ != UINT64_MAX) {
    value.set("max_count", json::Value(max_count_));
  }
  if (event_) {
    value.set("value", json::Value(value_));
    value.set("step", json::Value(step_));
  }
  return value;
}

NativeProperties Command::properties() const {
  return {schedule_.device().plugin(), &nxs_functions::GetCommandProperty, id_, "command"};
}

std::optional<json::Value> Command::property(std::string_view, nxs_property number) {
  if (number == NP_Status) return schedule_.property("Status", NP_Status);
  if (number == NP_Replay) return json::Value(isReplayedNatively() ? "native" : "host");
  {
    const Lock lock(schedule_.mutex_);
    requireKept();
    switch (number) {
      case NP_ID:
        return json::Value(nativeId());
      case NP_Type:
        return json::Value(commandTypeName(type_));
      case NP_Name:
        if (kernel_) return json::Value(kernel_->name());
        if (!function_name_.empty()) return json::Value(function_name_);
        return json::Value(nested_number_ != 0 ? describe() : commandTypeName(type_));
      case NP_Predecessors: {
        const std::vector<std::size_t> indices = schedule_.predecessorsOf(index_);
        return listOf(std::vector<int64_t>(indices.begin(), indices.end()));
      }
      case NP_Value:
        return event_ ? std::optional(json::Value(value_)) : std::nullopt;
      case NP_Step:
        return event_ ? std::optional(json::Value(step_)) : std::nullopt;
      case NP_Arguments: {
        if (arguments_.empty() && !kernel_) return std::nullopt;
        std::vector<int64_t> ids;
        for (const Argument &argument : arguments_) {
          ids.push_back(argument.memory ? argument.memory->id() : 0);
        }
        return listOf(ids);
      }
      case NP_DataType:
        if (type_ != NXS_CommandType_Fill) return std::nullopt;
        return json::Value(dataTypeName(arguments_[1].data_type));
      case NP_GroupSize:
      case NP_GridSize:
      case NP_GroupCount:
        if (!kernel_ || !finalized_) return std::nullopt;
        // If the backend chose the group size, only the plug-in knows it.
        if (number != NP_GridSize && launch_.group_size[0] == 0) break;
        return countsValue(number == NP_GroupSize  ? launch_.group_size
                           : number == NP_GridSize ? launch_.grid_size
                                                   : launch_.group_count);
      default:
        break;
    }
  }
  const Lock lock(schedule_.mutex_);
  requireOpen();
  return id_ == 0 ? std::nullopt : properties().read(number);
}

std::vector<std::string> Command::propertyKeys() {
  std::vector<std::string> own{"ID", "Keys", "Type", "Name", "Status", "Replay", "Predecessors"};
  {
    const Lock lock(schedule_.mutex_);
    requireKept();
    if (event_) own.insert(own.end(), {"Value", "Step"});
    if (kernel_ || !arguments_.empty()) own.push_back("Arguments");
    if (type_ == NXS_CommandType_Fill) own.push_back("DataType");
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
