// SPDX-License-Identifier: Apache-2.0
//
// Schedules within schedules: recording them, locking them, and the plan of a run.

#include <algorithm>
#include <utility>

#include "execution/schedule.hpp"

namespace nexus::core {
namespace {

// Far more than programs need; limits the depth of the recursion.
constexpr std::size_t kDeepest = 256;

}  // namespace

Schedule::FamilyLock::FamilyLock(Schedule &outer, Schedule *other) {
  const auto add = [&](Schedule &found) {
    const auto same = [&](const Ref<Schedule> &each) { return each.get() == &found; };
    if (std::none_of(all_.begin(), all_.end(), same)) all_.emplace_back(found);
  };
  // Finds the schedules under one lock after the other, and then locks all. Starts again if one of
  // them has changed in between.
  for (;;) {
    uint64_t found_shape = 0;
    add(outer);
    if (other != nullptr) add(*other);
    for (std::size_t i = 0; i < all_.size(); ++i) {
      const std::lock_guard<std::mutex> lock(all_[i]->mutex_);
      found_shape += all_[i]->shape_;
      for (Schedule *nested : all_[i]->nested_) add(*nested);
    }
    std::sort(all_.begin(), all_.end(), [](const Ref<Schedule> &one, const Ref<Schedule> &next) {
      return one->number_ < next->number_;
    });
    for (const Ref<Schedule> &each : all_) locks_.emplace_back(each->mutex_);
    if (shape() == found_shape) return;
    locks_.clear();
  }
}

uint64_t Schedule::FamilyLock::shape() const {
  uint64_t sum = 0;
  for (const Ref<Schedule> &each : all_) sum += each->shape_;
  return sum;
}

Command &Schedule::addNested(Schedule &inner) {
  requireSameDevice(inner.device(), "nested", device_, "schedule");
  const FamilyLock family(*this, &inner);
  requireIdle("adding a command");
  if (inner.closed()) {
    refuseObject(&inner, kType, "nested");
  }
  if (const std::string path = inner.pathTo(*this); !path.empty()) {
    failWith(NXS_InvalidOperation, "nested is ", inner.name(),
             ", and a schedule can't run itself: ", name(), " > ", path,
             "; nest one that does not contain this schedule.");
  }
  nested_.reserve(nested_.size() + 1);
  auto command = std::make_unique<Command>(*this, NXS_CommandType_Schedule, nxs_id{0});
  command->nested_ = Ref(inner);
  command->nested_number_ = inner.number_;
  Command &added = append(std::move(command), std::nullopt);
  nested_.push_back(&inner);
  ++inner.outers_;
  nests_.store(true, std::memory_order_relaxed);
  return added;
}

// Returns "schedule 3 > schedule 1", the shortest way from this schedule to one that it contains;
// empty if it does not contain it.
std::string Schedule::pathTo(const Schedule &nested) const {
  struct Visited {
    const Schedule *schedule;
    std::size_t outer;  // its index
  };
  std::vector<Visited> all{{this, 0}};
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].schedule == &nested) {
      std::string path = nested.name();
      for (std::size_t k = i; k != 0;) {
        k = all[k].outer;
        path = all[k].schedule->name() + " > " + path;
      }
      return path;
    }
    for (const Schedule *each : all[i].schedule->nested_) {
      const auto same = [&](const Visited &found) { return found.schedule == each; };
      if (std::none_of(all.begin(), all.end(), same)) all.push_back({each, i});
    }
  }
  return {};
}

Schedule::Released::~Released() {
  for (const Ref<Schedule> &each : nested) each->leave();
}

void Schedule::leave() {
  if (!ofThisProcess()) return;
  Released released;  // destroyed after the lock
  const Lock lock(mutex_);
  --outers_;
  if (closed() && outers_ == 0 && held_pieces_ == 0) letGo(released);
}

// ---- Plans ------------------------------------------------------------------

Schedule::Plan &Schedule::preparePlan(uint64_t shape) {
  requireOpen();
  if (plan_ == nullptr || plan_->shape != shape) [[unlikely]] {
    makePlan(shape);
  }
  for (const Member &member : plan_->members) {
    const Schedule &each = *member.schedule;
    if (each.unfinalized_ == 0) [[likely]] {
      continue;
    }
    for (std::size_t i = 0; i < each.commands_.size(); ++i) {
      const Command &command = *each.commands_[i];
      if (command.finalized_) continue;
      failWith(NXS_InvalidCommand, "Command ", i, " of ",
               &each == this ? "the schedule" : pathTo(each), ", of the kernel '",
               command.kernel_->name(), "', is not finalized; call finalize before run.");
    }
  }
  return *plan_;
}

void Schedule::makePlan(uint64_t shape) {
  auto plan = std::make_unique<Plan>();
  plan->shape = shape;
  std::vector<std::string> commands;
  addTo(*plan, commands, "", "");
  const auto earlier = [](const Schedule *one, const Schedule *other) {
    return one->number_ < other->number_;
  };
  std::sort(plan->members.begin(), plan->members.end(),
            [&](const Member &one, const Member &other) {
              return earlier(one.schedule, other.schedule);
            });
  const auto recording = make<Recording>(name(), std::move(commands));
  for (Segment &segment : plan->segments) {
    segment.name.recording = recording;
    if (segment.own_command != nullptr) continue;
    std::sort(segment.of.begin(), segment.of.end(), earlier);
    join(segment);
  }
  plan_ = std::move(plan);
}

// Appends a run of this schedule to a plan. commands: descriptions of the plan's commands; before
// and after: the texts around those of this schedule.
void Schedule::addTo(Plan &plan, std::vector<std::string> &commands, const std::string &before,
                     const std::string &after) {
  if (after.size() >= kDeepest) {
    failWith(NXS_InvalidOperation, "The schedule contains schedules that are nested ", kDeepest,
             " deep, and runs can't be nested deeper; nest fewer.");
  }
  const bool joins = device_.plugin().has(NXS_Capability_NestedSchedule) &&
                     !device_.plugin().one_command_at_a_time;
  const auto same = [&](const Member &each) { return each.schedule == this; };
  auto self = std::find_if(plan.members.begin(), plan.members.end(), same);
  if (self == plan.members.end()) self = plan.members.insert(self, {this, 0});
  const uint64_t runs_before = self->runs++;
  auto step = steps_.begin();
  for (std::size_t i = 0; i < commands_.size(); ++i) {
    Command &command = *commands_[i];
    const bool begins = step != steps_.end() && step->first == i;
    if (command.nested_) {
      command.nested_->addTo(plan, commands,
                             before + std::to_string(i) + " (" + command.describe() + ": command ",
                             after + ")");
    } else {
      commands.push_back(before + std::to_string(i) + " (" + command.describe() + ")" + after);
    }
    if (!begins) continue;
    const Step &begun = *step++;
    if (command.nested_) continue;
    const std::size_t first = commands.size() - 1;
    std::vector<Segment> &segments = plan.segments;
    if (begun.own_command != nullptr || !joins || segments.empty() ||
        segments.back().own_command != nullptr) {
      segments.emplace_back();
      segments.back().own_command = begun.own_command;
      segments.back().earlier = runs_before;
      segments.back().name.first = first;
    }
    Segment &segment = segments.back();
    segment.name.last = first + (begun.last - begun.first);
    if (begun.own_command != nullptr) continue;
    segment.pieces.push_back(pieces_[begun.piece]);
    if (std::find(segment.of.begin(), segment.of.end(), this) == segment.of.end()) {
      segment.of.push_back(this);
    }
  }
}

// Makes a schedule of the plug-in that runs all pieces of a segment, if there are several.
void Schedule::join(Segment &segment) const {
  segment.native = segment.pieces[0];
  if (segment.pieces.size() == 1) return;
  const Plugin &plugin = device_.plugin();
  plugin.call(&nxs_functions::CreateSchedule, "make a schedule", device_.id(), &segment.native);
  segment.joined =
      make<Native>(plugin, &nxs_functions::ReleaseSchedule, segment.native, "schedule");
  for (const nxs_id piece : segment.pieces) {
    nxs_id command = 0;
    plugin.call(&nxs_functions::CreateScheduleCommand, "nest a schedule", segment.native, piece,
                &command);
  }
}

}  // namespace nexus::core
