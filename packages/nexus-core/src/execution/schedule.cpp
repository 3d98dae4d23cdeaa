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

Schedule::Schedule(Device &device)
    : ListedObject(kType), device_(device), number_(nextScheduleNumber()) {
  device.plugin().call(&nxs_functions::CreateSchedule, "make a schedule", device.id(), &id_);
  pieces_.push_back(id_);
}

Schedule::~Schedule() {
  if (ofThisProcess()) {
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

void Schedule::letGo(Released &released) {
  plan_.reset();
  for (nxs_id &piece : pieces_) {
    releaseNative(device_.plugin(), &nxs_functions::ReleaseSchedule, std::exchange(piece, 0),
                  "schedule");
  }
  const auto drop = [&](Ref<Memory> &memory) {
    if (memory) {
      memory->detach(*runs_);
      released.memories.push_back(std::exchange(memory, {}));
    }
  };
  for (const std::unique_ptr<Command> &command : commands_) {
    drop(command->source_);
    drop(command->destination_);
    if (command->nested_) released.nested.push_back(std::exchange(command->nested_, {}));
    if (command->function_) released.functions.push_back(std::exchange(command->function_, {}));
    for (Argument &argument : command->arguments_) {
      drop(argument.memory);
    }
  }
  nested_.clear();
}

std::size_t Schedule::commandCount() {
  const Lock lock(mutex_);
  return commands_.size();
}

Command &Schedule::command(uint64_t index) {
  const Lock lock(mutex_);
  if (index >= commands_.size()) {
    failWith(NXS_InvalidCommand, "index is ", index, ", and the schedule has ", commands_.size(),
             " commands, counted from 0.");
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

// Returns the piece for the next command. A piece becomes a step with its first command. With the
// layer `sync`, each command has its own piece.
std::size_t Schedule::openPiece() {
  if (!steps_.empty() && steps_.back().own_command == nullptr &&
      !device_.plugin().one_command_at_a_time) {
    return steps_.back().piece;
  }
  if (filled_pieces_ == pieces_.size()) {
    nxs_id next = 0;
    device_.plugin().call(&nxs_functions::CreateSchedule, "make a schedule", device_.id(), &next);
    pieces_.push_back(next);
  }
  return pieces_.size() - 1;
}

// Appends a command to a piece or, without one, as a step that libnexus does itself. A copy or fill
// of an empty buffer gets no step, since there is nothing to do.
Command &Schedule::append(std::unique_ptr<Command> command, std::optional<std::size_t> piece) {
  const std::size_t index = commands_.size();
  commands_.push_back(std::move(command));
  Command &added = *commands_.back();
  noteChanged();
  if (!piece) {
    added.finalized_ = true;
    if (added.event_ || added.nested_ || added.function_ || added.to_.size != 0) {
      steps_.push_back({0, &added, index, index});
    }
  } else if (steps_.empty() || steps_.back().own_command != nullptr ||
             steps_.back().piece != *piece) {
    steps_.push_back({*piece, nullptr, index, index});
    ++filled_pieces_;
  } else {
    steps_.back().last = index;
  }
  for (const Ref<Memory> *memory : {&added.source_, &added.destination_}) {
    if (*memory) (*memory)->attach(*runs_);
  }
  return added;
}

Command &Schedule::addKernel(Kernel &kernel) {
  requireSameDevice(kernel.device(), "kernel", device_, "schedule");
  const Lock lock(mutex_);
  requireIdle("adding a command");
  std::erase_if(discarded_, [](const auto &command) { return command->unreferenced(); });
  const std::size_t piece = openPiece();
  nxs_id id = 0;
  device_.plugin().call(
      &nxs_functions::CreateCommand,
      [&] { return "make a command of the kernel '" + kernel.name() + "'"; }, pieces_[piece],
      kernel.id(), &id);
  auto command = std::make_unique<Command>(*this, NXS_CommandType_Dispatch, id);
  command->kernel_ = Ref(kernel);
  ++unfinalized_;
  return append(std::move(command), piece);
}

Command &Schedule::addCopy(Buffer &destination, Buffer &source) {
  checkCopy(source, destination);
  Device *of = source.device();
  Device *onto = destination.device();
  const bool across =
      of != onto && of != nullptr && onto != nullptr && (of == &device_ || onto == &device_);
  const Part to(destination, across ? *onto : device_, "destination", "schedule");
  const Part from(source, across ? *of : device_, "source", "schedule");
  const Lock lock(mutex_);
  requireIdle("adding a command");
  const bool own = across || to.range.size == 0;
  std::optional<std::size_t> piece;
  nxs_id id = 0;
  if (!own) {
    piece = openPiece();
    device_.plugin().call(&nxs_functions::CreateCopyCommand, "make a copy command", pieces_[*piece],
                          &to.range, &from.range, &id);
  }
  auto command = std::make_unique<Command>(*this, NXS_CommandType_Copy, id);
  command->source_ = from.memory;
  command->destination_ = to.memory;
  command->from_ = from.range;
  command->to_ = to.range;
  return append(std::move(command), piece);
}

Command &Schedule::addFill(Buffer &buffer, const void *pattern, uint64_t pattern_size) {
  checkFill(buffer, pattern, pattern_size);
  const Part part(buffer, device_, "buffer", "schedule");
  const Lock lock(mutex_);
  requireIdle("adding a command");
  const bool own = part.range.size == 0;
  std::optional<std::size_t> piece;
  nxs_id id = 0;
  if (!own) {
    piece = openPiece();
    device_.plugin().call(&nxs_functions::CreateFillCommand, "make a fill command", pieces_[*piece],
                          &part.range, pattern, pattern_size, &id);
  }
  auto command = std::make_unique<Command>(*this, NXS_CommandType_Fill, id);
  command->destination_ = part.memory;
  command->to_ = part.range;
  return append(std::move(command), piece);
}

Command &Schedule::addEvent(nxs_command_type type, Event &event, uint64_t value, uint64_t step) {
  checkEventValue(type, event, value);
  const Lock lock(mutex_);
  requireIdle("adding a command");
  auto command = std::make_unique<Command>(*this, type, nxs_id{0});
  command->event_ = Ref(event);
  command->value_ = value;
  command->step_ = event.oneShot() ? 0 : step;
  return append(std::move(command), std::nullopt);
}

Command &Schedule::addHostFunction(const nexus_host_function &function) {
  const auto kept = make<HostFunction>(function);
  const Lock lock(mutex_);
  requireIdle("adding a command");
  auto command = std::make_unique<Command>(*this, NXS_CommandType_Host, nxs_id{0});
  command->function_ = kept;
  command->function_name_ = kept->name();
  return append(std::move(command), std::nullopt);
}

void Schedule::discard(Command &command) {
  Ref<Kernel> kernel;  // released after the lock, as arguments: that may call the user's code
  std::vector<Argument> arguments;
  const Lock lock(mutex_);
  command.requireOpen();
  if (!command.kernel_ || command.finalized_) {
    failWith(NXS_InvalidOperation, "command ",
             (command.kernel_ ? "is finalized" : "runs no kernel"),
             ", and a schedule keeps such commands; record a schedule without it.");
  }
  device_.plugin().call(&nxs_functions::ReleaseCommand, "release a command", command.id_);
  const auto place = std::find_if(commands_.begin(), commands_.end(),
                                  [&](const auto &present) { return present.get() == &command; });
  const auto index = static_cast<std::size_t>(place - commands_.begin());
  kernel = std::exchange(command.kernel_, {});
  arguments = std::exchange(command.arguments_, {});
  for (const Argument &argument : arguments) {
    if (argument.memory) argument.memory->detach(*runs_);
  }
  command.markClosed();
  discarded_.push_back(std::move(*place));
  commands_.erase(place);
  noteChanged();
  --unfinalized_;
  forgetIndex(index);
}

// Updates the steps after the command at index was removed from commands_. A piece that lost its
// last command is used again if it is the newest; otherwise it stays empty and is not run.
void Schedule::forgetIndex(std::size_t index) {
  for (auto step = steps_.begin(); step != steps_.end();) {
    if (step->first == index && step->last == index) {
      if (step->piece + 1 == pieces_.size()) --filled_pieces_;
      step = steps_.erase(step);
      continue;
    }
    if (step->first > index) --step->first;
    if (step->last >= index) --step->last;
    ++step;
  }
}

std::optional<json::Value> Schedule::property(std::string_view, nxs_property number) {
  switch (number) {
    case NP_ID:
      return json::Value(nativeId());
    case NP_Name:
      return json::Value(name());
    case NP_Size:
      return json::Value(static_cast<int64_t>(commandCount()));
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
  std::vector<std::string> keys{"ID", "Keys", "Name", "Size", "Status", "RunCount"};
  {
    const Lock lock(mutex_);
    requireOpen();
    keys = properties().keys(std::move(keys));
  }
  std::erase(keys, "ElapsedTime");  // libnexus measures the times itself
  if (knownElapsed()) keys.insert(keys.begin() + 6, "ElapsedTime");
  return keys;
}

}  // namespace nexus::core
