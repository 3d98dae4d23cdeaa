// SPDX-License-Identifier: Apache-2.0
//
// Recording schedules.
#include "execution/schedule.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

#include "memory/copy_order.hpp"
#include "object/property.hpp"

namespace nexus::core {
namespace {

uint64_t nextScheduleNumber() {
  static std::atomic<uint64_t> number{0};
  return number.fetch_add(1, std::memory_order_relaxed) + 1;
}

}  // namespace

Schedule::Schedule(Device &device, bool of_calls)
    : ListedObject(kType),
      device_(device),
      number_(nextScheduleNumber()),
      self_(of_calls ? std::make_shared<Self>() : nullptr),
      runs_(runsOf(self_)) {
  if (self_) self_->schedule = this;
  recorded_ = make<Recorded>();
  recorded_->pieces.push_back(device_.makeNativeSchedule());
  id_ = recorded_->pieces[0]->id();
}

Ref<InFlightSet> Schedule::runsOf(const std::shared_ptr<Self> &self) {
  if (!self) return make<InFlightSet>();
  return make<InFlightSet>([self] {
    Ref<Object> schedule;  // released after the lock
    {
      const std::lock_guard<std::mutex> lock(self->mutex);
      if (self->schedule != nullptr && self->schedule->retainUnlessEnding()) {
        schedule = Ref<Object>::adopt(self->schedule);
      }
    }
    if (schedule) schedule->close();
  });
}

Schedule::~Schedule() {
  if (ofThisProcess()) {
    if (self_) {
      const std::lock_guard<std::mutex> lock(self_->mutex);
      self_->schedule = nullptr;
    }
    Released released;
    letGo(released);
  }
}

void Schedule::onClose() {
  Released released;  // destroyed after the lock
  const Lock lock(mutex_);
  // Otherwise held work or an outer schedule keeps this one.
  if (held_pieces_ == 0 && outers_ == 0) letGo(released);
}

void Schedule::letGo(Command &command, Released &released) {
  for (Argument &argument : command.arguments_) {
    if (!argument.memory) continue;
    argument.memory->detach(*runs_);
    recorded_->former.push_back(std::exchange(argument.memory, {}));
  }
  if (command.nested_) released.nested.push_back(std::exchange(command.nested_, {}));
  for (Ref<Schedule> &body : std::exchange(command.bodies_, {})) {
    released.nested.push_back(std::move(body));
  }
  if (command.function_) released.functions.push_back(std::exchange(command.function_, {}));
  if (command.captured_) recorded_->captured.push_back(std::exchange(command.captured_, {}));
}

void Schedule::letGo(Released &released) {
  if (!recorded_) return;
  for (const std::unique_ptr<Command> &command : commands_) letGo(*command, released);
  nested_.clear();
  arenas_.clear();
  released.plans.push_back(std::move(plan_));
  released.recorded.push_back(std::exchange(recorded_, {}));
}

std::size_t Schedule::commandCount() {
  const Lock lock(mutex_);
  return commands_.size();
}

Command &Schedule::command(uint64_t index) {
  const Lock lock(mutex_);
  if (index >= commands_.size()) {
    failWith(NXS_InvalidCommand, "index is ", index, ", and the schedule has ",
             counted(commands_.size(), "command"), ", counted from 0.");
  }
  return *commands_[index];
}

void Schedule::requireOpen() const {
  if (closed()) {
    refuseObject(this, kType, "schedule");
  }
}

void Schedule::requireIdle(const char *doing) {
  requireOpen();
  if (!runs_->idle()) {
    failWith(NXS_InvalidOperation, "A run of the schedule",
             outers_ == 0 ? "" : ", or of one that it is nested in,", " is in flight, so ", doing,
             " is not possible; wait for the run first.");
  }
}

// ---- Recording -------------------------------------------------------------------

// Returns the piece for the next command. A piece becomes a step with its first command. With the
// layer `sync`, each command has its own piece.
std::size_t Schedule::openPiece(Recorded &into) const {
  if (!into.steps.empty() && into.steps.back().own_command == nullptr &&
      !device_.plugin().one_command_at_a_time) {
    return into.steps.back().piece;
  }
  if (into.filled_pieces == into.pieces.size()) into.pieces.push_back(device_.makeNativeSchedule());
  return into.pieces.size() - 1;
}

// Makes the plug-in's command in a piece.
nxs_id Schedule::create(const Command &command, Recorded &into, nxs_id piece) const {
  const Plugin &plugin = device_.plugin();
  nxs_id id = 0;
  if (command.kernel_) {
    plugin.call(
        &nxs_functions::CreateCommand,
        [&] { return "make a command of the kernel '" + command.kernel_->name() + "'"; }, piece,
        command.kernel_->id(), &id);
    return id;
  }
  if (command.captured_) {
    into.captured.push_back(command.captured_);
    plugin.call(&nxs_functions::CreateScheduleCommand, "add captured work to a schedule", piece,
                command.captured_->id(), &id);
    return id;
  }
  const nxs_buffer_range to = command.arguments_[0].range();
  const Argument &from = command.arguments_[1];
  if (command.type_ == NXS_CommandType_Copy) {
    const nxs_buffer_range source = from.range();
    plugin.call(&nxs_functions::CreateCopyCommand, "make a copy command", piece, &to, &source, &id);
  } else {
    plugin.call(&nxs_functions::CreateFillCommand, "make a fill command", piece, &to,
                from.data.data(), from.size, &id);
  }
  return id;
}

// Records a command after those of `into`: in a piece or, if libnexus performs it, as a separate
// step. A copy or fill of an empty buffer, and a disabled command, get no step.
void Schedule::record(Recorded &into, Command &command) const {
  const std::size_t index = into.ids.size();
  std::size_t piece = 0;
  nxs_id id = 0;
  if (!command.inPiece()) {
    if (command.enabled_ && !command.isEmpty()) into.steps.push_back({0, &command, index, index});
  } else if (!command.enabled_) {
    if (!into.disabled) into.disabled = device_.makeNativeSchedule();
    id = create(command, into, into.disabled->id());
  } else {
    piece = openPiece(into);
    id = create(command, into, into.pieces[piece]->id());
    if (into.steps.empty() || into.steps.back().own_command != nullptr ||
        into.steps.back().piece != piece) {
      into.steps.push_back({piece, nullptr, index, index});
      ++into.filled_pieces;
    } else {
      into.steps.back().last = index;
    }
  }
  into.ids.push_back(id);
}

void Schedule::update(Released &released) {
  if (!outdated_) return;
  placeScratch();
  const auto fresh = make<Recorded>();
  for (const Arena &each : arenas_) fresh->former.push_back(each.memory);
  fresh->pieces.push_back(device_.makeNativeSchedule());
  for (std::size_t i = 0; i < commands_.size(); ++i) {
    Command &command = *commands_[i];
    try {
      record(*fresh, command);
      if (command.kernel_ && command.finalized_) command.sendAll(fresh->ids[i], command.launch_);
    } catch (const Failure &failure) {
      throw failure.with("The failed command is number " + std::to_string(i) + " (" +
                         command.describe() + ") of " + name() +
                         (unplaced_ ? ", which is recorded only now, since it uses scratch memory."
                                    : ", which is recorded again, since it was changed."));
    }
  }
  fresh->argument_version = argument_version_;
  for (std::size_t i = 0; i < commands_.size(); ++i) commands_[i]->id_ = fresh->ids[i];
  id_ = fresh->pieces[0]->id();
  released.recorded.push_back(std::exchange(recorded_, fresh));
  outdated_ = false;
  unplaced_ = false;
  released.runs = std::exchange(older_runs_, {});
  runs_->collectRunning(older_runs_);
}

Command &Schedule::append(std::unique_ptr<Command> command, Released &released) {
  std::erase_if(removed_, [](const auto &each) { return each->unreferenced(); });
  if (unplaced_ || command->usesScratch()) {
    noteScratch();
  } else {
    update(released);
    record(*recorded_, *command);
    command->id_ = recorded_->ids.back();
  }
  command->index_ = commands_.size();
  command->predecessors_ = predecessorsOfNext();
  next_predecessors_.reset();
  command->finalized_ = !command->kernel_;
  for (const Argument &argument : command->arguments_) {
    if (argument.memory) argument.memory->attach(*runs_);
  }
  noteChanged();
  commands_.push_back(std::move(command));
  return *commands_.back();
}

Command &Schedule::addKernel(Kernel &kernel) {
  requireSameDevice(kernel.device(), "kernel", device_, "schedule");
  Released released;  // destroyed after the lock
  const Lock lock(mutex_);
  requireIdle("adding a command");
  auto command = std::make_unique<Command>(*this, NXS_CommandType_Dispatch);
  command->kernel_ = Ref(kernel);
  Command &added = append(std::move(command), released);
  ++unfinalized_;
  return added;
}

// Returns a buffer as an argument of a copy or a fill. other: the device of a copy's other buffer.
// libnexus copies between its device and another one, or host memory that it can't use in place.
Argument Schedule::operand(const Buffer &buffer, const char *name, const Device *other) const {
  Argument argument = Argument::ofRange(buffer);
  requireOwn(argument, name);
  Device *of = buffer.device();
  if (of != nullptr && of != &device_ && other == &device_) {
    argument.buffer = argument.memory->on(*of, name, "copy");
    return argument;
  }
  try {
    argument.buffer = argument.memory->on(device_, name, "schedule");
  } catch (const Failure &failure) {
    const bool unusable =
        failure.status() == NXS_InvalidHostPtr || failure.status() == NXS_NotSupported;
    if (!unusable || of != nullptr || other != &device_) throw;
  }
  return argument;
}

Command &Schedule::addCopy(Buffer &destination, Buffer &source) {
  checkCopy(source, destination);
  auto command = std::make_unique<Command>(*this, NXS_CommandType_Copy);
  command->arguments_.push_back(operand(destination, "destination", source.device()));
  command->arguments_.push_back(operand(source, "source", destination.device()));
  checkApart(command->arguments_[0], command->arguments_[1], "source");
  Released released;  // destroyed after the lock
  const Lock lock(mutex_);
  requireIdle("adding a command");
  return append(std::move(command), released);
}

Command &Schedule::addFill(Buffer &buffer, const void *pattern, uint64_t pattern_size) {
  checkFill(buffer, pattern, pattern_size);
  auto command = std::make_unique<Command>(*this, NXS_CommandType_Fill);
  command->arguments_.push_back(operand(buffer, "buffer", nullptr));
  command->arguments_.push_back(
      Argument::ofScalar(pattern, pattern_size, buffer.layout().data_type));
  Released released;  // destroyed after the lock
  const Lock lock(mutex_);
  requireIdle("adding a command");
  return append(std::move(command), released);
}

Command &Schedule::addEvent(nxs_command_type type, Event &event, uint64_t value, uint64_t step) {
  checkEventValue(type, event, value);
  Released released;  // destroyed after the lock
  const Lock lock(mutex_);
  requireIdle("adding a command");
  auto command = std::make_unique<Command>(*this, type);
  command->event_ = Ref(event);
  command->value_ = value;
  command->step_ = event.oneShot() ? 0 : step;
  return append(std::move(command), released);
}

// ---- Removing --------------------------------------------------------------------

void Schedule::take(std::size_t index, Released &released) {
  Command &command = *commands_[index];
  if (!command.finalized_) --unfinalized_;
  std::vector<Ref<Schedule>> inner = command.bodies_;
  if (command.nested_) inner.push_back(command.nested_);
  for (const Ref<Schedule> &each : inner) {
    nested_.erase(std::find(nested_.begin(), nested_.end(), each.get()));
  }
  nests_.store(!nested_.empty(), std::memory_order_relaxed);
  forgetPredecessor(index);
  if (command.usesScratch()) noteScratch();
  letGo(command, released);
  if (plan_) released.plans.push_back(std::move(plan_));
  if (command.kernel_) released.kernels.push_back(std::exchange(command.kernel_, {}));
  command.markClosed();
  removed_.push_back(std::move(commands_[index]));
  commands_.erase(commands_.begin() + static_cast<std::ptrdiff_t>(index));
  for (std::size_t i = index; i < commands_.size(); ++i) commands_[i]->index_ = i;
  noteOutdated();
}

void Schedule::remove(Command &command) {
  Released released;  // destroyed after the lock
  const Lock lock(mutex_);
  command.requireOpen();
  requireIdle("removing a command");
  const auto place = std::find_if(commands_.begin(), commands_.end(),
                                  [&](const auto &present) { return present.get() == &command; });
  take(static_cast<std::size_t>(place - commands_.begin()), released);
}

Command &Schedule::addHostFunction(const nexus_host_function &function) {
  const auto kept = make<HostFunction>(function);
  auto command = std::make_unique<Command>(*this, NXS_CommandType_Host);
  for (uint64_t i = 0; i < function.buffer_count; ++i) {
    requirePointer(function.buffers, "function->buffers");
    const std::string name = "function->buffers[" + std::to_string(i) + "]";
    Argument argument = Argument::ofRange(given<Buffer>(function.buffers[i], name.c_str()));
    if (!argument.isScratch()) continue;
    requireOwn(argument, name.c_str());
    command->arguments_.push_back(std::move(argument));
  }
  Released released;  // destroyed after the lock
  const Lock lock(mutex_);
  requireIdle("adding a command");
  command->function_ = kept;
  command->function_name_ = kept->name();
  Command &added = append(std::move(command), released);
  kept->takeOver();
  return added;
}

void Schedule::clear() {
  Released released;  // destroyed after the lock
  const Lock lock(mutex_);
  requireIdle("removing its commands");
  while (!commands_.empty()) take(commands_.size() - 1, released);
}

std::optional<json::Value> Schedule::property(std::string_view, nxs_property number) {
  switch (number) {
    case NP_ID:
      return json::Value(nativeId());
    case NP_Name:
      return json::Value(name());
    case NP_Size:
      return json::Value(static_cast<int64_t>(commandCount()));
    case NP_ScratchSize: {
      const Lock lock(mutex_);
      requireOpen();
      return json::Value(scratchSize());
    }
    case NP_RunCount: {
      const Lock lock(mutex_);
      return json::Value(static_cast<int64_t>(run_count_));
    }
    case NP_Status: {
      QueuedWork last;
      {
        const Lock lock(mutex_);
        last = last_run_;
      }
      return last.queue ? statusOf(last.queue->state(last.position)) : json::Value("Submitted");
    }
    case NP_ElapsedTime: {
      const std::optional<double> nanoseconds = knownElapsed();
      return nanoseconds ? std::optional(json::Value(*nanoseconds / 1e6)) : std::nullopt;
    }
    default: {
      const Lock lock(mutex_);
      requireOpen();
      return properties().read(number);
    }
  }
}

std::vector<std::string> Schedule::propertyKeys() {
  std::vector<std::string> keys{"ID", "Keys", "Name", "Size", "Status", "RunCount", "ScratchSize"};
  {
    const Lock lock(mutex_);
    requireOpen();
    keys = properties().keys(std::move(keys));
  }
  std::erase(keys, "ElapsedTime");  // libnexus measures the times itself
  if (knownElapsed()) keys.insert(keys.begin() + 7, "ElapsedTime");
  return keys;
}

}  // namespace nexus::core
