// SPDX-License-Identifier: Apache-2.0
//
// Branches: which commands of a schedule each command follows.

#include <algorithm>
#include <iterator>
#include <utility>

#include "execution/schedule.hpp"

namespace nexus::core {

void Schedule::setNextPredecessors(Predecessors predecessors) {
  const Lock lock(mutex_);
  requireOpen();
  if (predecessors) {
    for (std::size_t i = 0; i < predecessors->size(); ++i) {
      const Command &command = *(*predecessors)[i];
      const std::string entry = "after[" + std::to_string(i) + "]";
      requireSameDevice(command.schedule_.device(), entry.c_str(), device_, "schedule");
      if (&command.schedule_ != this) {
        failWith(NXS_InvalidCommand, entry, " is a command of ", command.schedule_.name(),
                 ", and the next command is one of ", name(), "; give commands of ", name(), ".");
      }
      command.requireKept();
    }
  }
  next_predecessors_ = std::move(predecessors);
}

void Schedule::beginParallel() {
  const Lock lock(mutex_);
  requireOpen();
  if (block_begin_) {
    failWith(
        NXS_InvalidOperation,
        "A parallel block of the schedule is open, and blocks can't nest; within it pass after= "
        "(in C nexus_schedule_set_after()), or nest a schedule.");
  }
  const Predecessors first = predecessorsOfNext();
  block_follows_ = first               ? *first
                   : commands_.empty() ? std::vector<Command *>()
                                       : std::vector<Command *>{commands_.back().get()};
  next_predecessors_.reset();
  block_begin_ = commands_.size();
}

void Schedule::endParallel() {
  const Lock lock(mutex_);
  if (!block_begin_) {
    failWith(NXS_InvalidOperation, "The schedule has no open parallel block; begin one first.");
  }
  const std::size_t begin = *std::exchange(block_begin_, std::nullopt);
  next_predecessors_.reset();
  if (begin == commands_.size()) return;
  joined_.emplace();
  for (std::size_t i = begin; i < commands_.size(); ++i) joined_->push_back(commands_[i].get());
  joined_at_ = commands_.size();
}

Predecessors Schedule::predecessorsOfNext() const {
  if (next_predecessors_) return next_predecessors_;
  if (block_begin_) return block_follows_;
  return joined_at_ == commands_.size() ? joined_ : std::nullopt;
}

void Schedule::forgetPredecessor(std::size_t index) {
  Command &removed = *commands_[index];
  std::vector<Command *> before;
  for (const std::size_t each : predecessorsOf(index)) before.push_back(commands_[each].get());
  const auto replace = [&](std::vector<Command *> &list) {
    if (std::erase(list, &removed) != 0) list.insert(list.end(), before.begin(), before.end());
  };
  for (std::size_t i = index + 1; i < commands_.size(); ++i) {
    Predecessors &list = commands_[i]->predecessors_;
    if (list) {
      replace(*list);
    } else if (i == index + 1) {
      list = removed.predecessors_;
    }
  }
  if (next_predecessors_) replace(*next_predecessors_);
  if (joined_) replace(*joined_);
  replace(block_follows_);
  if (index < joined_at_) --joined_at_;
  if (block_begin_ && index < *block_begin_) --*block_begin_;
}

std::vector<std::size_t> Schedule::predecessorsOf(std::size_t index) const {
  const Predecessors &given = commands_[index]->predecessors_;
  std::vector<std::size_t> indices;
  if (!given) {
    if (index != 0) indices.push_back(index - 1);
    return indices;
  }
  for (const Command *each : *given) indices.push_back(each->index_);
  std::sort(indices.begin(), indices.end());
  indices.erase(std::unique(indices.begin(), indices.end()), indices.end());
  return indices;
}

// Returns the step that a command belongs to; NULL if it has none, since there is nothing to do.
const Schedule::Step *Schedule::stepOf(std::size_t index) const {
  const std::vector<Step> &steps = recorded_->steps;
  const auto after =
      std::upper_bound(steps.begin(), steps.end(), index,
                       [](std::size_t number, const Step &step) { return number < step.first; });
  if (after == steps.begin()) return nullptr;
  const Step &step = *std::prev(after);
  const bool is_native = step.own_command == nullptr && commands_[index]->runsInPiece();
  return step.own_command == commands_[index].get() || is_native ? &step : nullptr;
}

// Returns the indices of the commands in its own piece that a command follows. Commands without a
// step stand for what they follow.
std::vector<std::size_t> Schedule::predecessorsInPiece(std::size_t index) const {
  const Step *own = stepOf(index);
  std::vector<std::size_t> found;
  std::vector<std::size_t> open = predecessorsOf(index);
  std::vector<bool> seen(index);
  while (!open.empty()) {
    const std::size_t each = open.back();
    open.pop_back();
    if (each < own->first || seen[each]) continue;
    seen[each] = true;
    if (stepOf(each) == own) {
      found.push_back(each);
    } else {
      const std::vector<std::size_t> more = predecessorsOf(each);
      open.insert(open.end(), more.begin(), more.end());
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

bool Schedule::hasBranches() const {
  return std::any_of(commands_.begin(), commands_.end(),
                     [](const auto &command) { return command->predecessors_.has_value(); });
}

// Passes the predecessors of each piece's commands to the plug-in, unless they are just the command
// before.
void Schedule::tellPredecessors() {
  Recorded &recorded = *recorded_;
  if (recorded.told_shape == shape_) return;
  const Plugin &plugin = device_.plugin();
  recorded.told.resize(commands_.size());
  if (hasBranches() && plugin.has(NXS_Capability_Branches)) {
    std::size_t before = 0;
    const Step *step_before = nullptr;
    for (std::size_t i = 0; i < commands_.size(); ++i) {
      if (!commands_[i]->runsInPiece()) continue;
      const Step *step = stepOf(i);
      const std::vector<std::size_t> list = predecessorsInPiece(i);
      const bool is_list =
          list.empty() ? step != step_before : list.size() == 1 && list[0] == before;
      step_before = step;
      before = i;
      if (is_list && !recorded.told[i]) continue;
      std::vector<nxs_id> ids;
      for (const std::size_t each : list) ids.push_back(recorded.ids[each]);
      const nxs_id none = 0;  // count 0 has an address too
      plugin.call(&nxs_functions::SetCommandPredecessors, "set the predecessors of a command",
                  recorded.ids[i], ids.empty() ? &none : ids.data(), uint64_t{ids.size()});
      recorded.told[i] = true;
    }
  }
  recorded.told_shape = shape_;
}

}  // namespace nexus::core
