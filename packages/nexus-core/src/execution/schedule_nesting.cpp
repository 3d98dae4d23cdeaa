// SPDX-License-Identifier: Apache-2.0
//
// Schedules within schedules: recording them, locking them, and the plan of a run.

#include <algorithm>
#include <iterator>
#include <utility>

#include "execution/schedule.hpp"

namespace nexus::core {
namespace {

// Far more than programs need; limits the depth of the recursion.
constexpr std::size_t kDeepest = 256;
// About the most memory in bytes for the plan of a run.
constexpr std::size_t kLargestPlan = std::size_t{1} << 29;

// Adds the numbers that numbers lacks; both are in ascending order.
void addNumbers(std::vector<std::size_t> &numbers, const std::vector<std::size_t> &more) {
  std::vector<std::size_t> all;
  std::set_union(numbers.begin(), numbers.end(), more.begin(), more.end(), std::back_inserter(all));
  numbers = std::move(all);
}

}  // namespace

Schedule::FamilyLock::FamilyLock(Schedule &outer, std::span<Schedule *const> others) {
  const auto add = [&](Schedule &found) {
    const auto same = [&](const Ref<Schedule> &each) { return each.get() == &found; };
    if (std::none_of(all_.begin(), all_.end(), same)) all_.emplace_back(found);
  };
  // Finds the schedules under one lock after the other, and then locks all. Starts again if one of
  // them has changed in between.
  for (;;) {
    const uint64_t newest = newest_shape_.load(std::memory_order_relaxed);
    add(outer);
    for (Schedule *other : others) add(*other);
    for (std::size_t i = 0; i < all_.size(); ++i) {
      const std::lock_guard<std::mutex> lock(all_[i]->mutex_);
      for (Schedule *nested : all_[i]->nested_) add(*nested);
    }
    std::sort(all_.begin(), all_.end(), [](const Ref<Schedule> &one, const Ref<Schedule> &next) {
      return one->number_ < next->number_;
    });
    for (const Ref<Schedule> &each : all_) locks_.emplace_back(each->mutex_);
    if (shape() <= newest) return;
    locks_.clear();
  }
}

uint64_t Schedule::FamilyLock::shape() const {
  uint64_t newest = 0;
  for (const Ref<Schedule> &each : all_) newest = std::max(newest, each->shape_);
  return newest;
}

Command &Schedule::addNested(Schedule &inner) {
  requireSameDevice(inner.device(), "nested", device_, "schedule");
  Released released;  // destroyed after the locks
  Schedule *const one = &inner;
  const FamilyLock family(*this, {&one, 1});
  requireIdle("adding a command");
  requireNotAround(inner, "nested");
  auto command = std::make_unique<Command>(*this, NXS_CommandType_Schedule);
  command->nested_ = Ref(inner);
  command->nested_number_ = inner.number_;
  return appendRunning(std::move(command), {&one, 1}, released);
}

// Throws if a schedule was closed, or contains this one.
void Schedule::requireNotAround(const Schedule &inner, const std::string &parameter) const {
  if (inner.closed()) {
    refuseObject(&inner, kType, parameter.c_str());
  }
  if (const std::string path = inner.pathTo(*this); !path.empty()) {
    failWith(NXS_InvalidOperation, parameter, " is ", inner.name(),
             ", and a schedule can't run itself: ", name(), " > ", path,
             "; nest one that does not contain this schedule.");
  }
}

// Appends a command that runs other schedules.
Command &Schedule::appendRunning(std::unique_ptr<Command> command, std::span<Schedule *const> inner,
                                 Released &released) {
  nested_.reserve(nested_.size() + inner.size());
  Command &added = append(std::move(command), released);
  for (Schedule *each : inner) {
    nested_.push_back(each);
    ++each->outers_;
  }
  nests_.store(!nested_.empty(), std::memory_order_relaxed);
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

Schedule::Plan &Schedule::preparePlan(uint64_t shape, Before &before) {
  requireOpen();
  if (plan_ == nullptr || plan_->shape != shape) [[unlikely]] {
    makePlan(shape, before.more().released);
  }
  if (plan_->members.size() == 1 && unfinalized_ == 0) [[likely]] {
    return *plan_;
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

void Schedule::makePlan(uint64_t shape, Released &released) {
  auto plan = std::make_unique<Plan>();
  plan->shape = shape;
  std::vector<std::string> commands;
  (void)addTo(*plan, plan->segments, commands, "", "", {}, released);
  for (const Member &member : plan->members) member.schedule->tellPredecessors();
  std::sort(plan->members.begin(), plan->members.end(), [](const Member &one, const Member &other) {
    return one.schedule->number_ < other.schedule->number_;
  });
  complete(plan->segments, make<Recording>(name(), std::move(commands)));
  released.plans.push_back(std::exchange(plan_, std::move(plan)));
}

// Gives the segments of a plan their names, and joins what the plug-in replays.
void Schedule::complete(std::vector<Segment> &segments, const Ref<Recording> &recording) const {
  for (Segment &segment : segments) {
    segment.name.recording = recording;
    for (std::vector<Segment> &body : segment.bodies) complete(body, recording);
    if (segment.isNative()) {
      std::sort(segment.of.begin(), segment.of.end(), isBefore);
      join(segment);
    } else if (segment.own_command->isCondition() && takes(*segment.own_command)) {
      takeOver(segment);
    }
  }
  if (takesConditions()) mergeNative(segments);
}

bool Schedule::isBefore(const Schedule *one, const Schedule *other) noexcept {
  return one->number_ < other->number_;
}

// Appends a run of this schedule to the segments of a plan, which follows the pieces `begin`.
// commands: descriptions of the plan's commands; before and after: the texts around those of this
// schedule. Returns the numbers of the pieces that stand for the run. A step of libnexus has no
// number: all later pieces are in other segments, which come after it. A command without a step
// stands for what it follows.
Schedule::PieceNumbers Schedule::addTo(Plan &plan, std::vector<Segment> &segments,
                                       std::vector<std::string> &commands,
                                       const std::string &before, const std::string &after,
                                       PieceNumbers begin, Released &released) {
  if (after.size() >= kDeepest) {
    failWith(NXS_InvalidOperation, "The schedule contains schedules that are nested ", kDeepest,
             " deep, the limit; nest fewer.");
  }
  const bool joins = device_.plugin().has(NXS_Capability_NestedSchedule) &&
                     !device_.plugin().one_command_at_a_time;
  // Nested schedules add members.
  const auto self = [&]() -> Member & {
    const auto same = [&](const Member &each) { return each.schedule == this; };
    const auto found = std::find_if(plan.members.begin(), plan.members.end(), same);
    return found == plan.members.end() ? plan.members.emplace_back(Member{this, 0, {}}) : *found;
  };
  const uint64_t runs_before = self().runs++;
  update(released);
  plan.recorded.push_back(recorded_);
  plan.has_older_runs = plan.has_older_runs || !older_runs_.empty();
  addNumbers(begin, self().ends);  // runs of one schedule never overlap
  // What stands for each command, and whether it is followed; without branches for the newest.
  const bool branches = hasBranches();
  std::vector<PieceNumbers> ends(branches ? commands_.size() : 0);
  std::vector<bool> followed(ends.size());
  PieceNumbers newest = begin;
  const std::vector<Step> &steps = recorded_->steps;
  auto step = steps.begin();
  for (std::size_t i = 0; i < commands_.size(); ++i) {
    Command &command = *commands_[i];
    plan.bytes += sizeof(Segment) + before.size() + after.size();
    if (plan.bytes > kLargestPlan) {
      failWith(
          NXS_InvalidOperation,
          "A run of the schedule has too many commands, counting those of nested schedules and "
          "condition bodies at each use; use them less often, or run them separately.");
    }
    const bool begins = step != steps.end() && step->first == i;
    if (branches) {
      newest.clear();
      for (const std::size_t each : predecessorsOf(i)) {
        addNumbers(newest, ends[each]);
        followed[each] = true;
      }
      if (newest.empty()) newest = begin;
    }
    if (command.nested_ && command.enabled_) {
      if (begins) ++step;
      newest = command.nested_->addTo(
          plan, segments, commands,
          before + std::to_string(i) + " (" + command.describe() + ": command ", after + ")",
          std::move(newest), released);
    } else {
      commands.push_back(before + std::to_string(i) + " (" + command.describe() + ")" + after);
      if (begins) beginStep(plan, segments, *step++, joins, runs_before, commands.size() - 1);
      if (begins && command.isCondition()) {
        for (const Ref<Schedule> &body : command.bodies_) {
          body->refuseEventsInBody();
          (void)body->addTo(plan, segments.back().bodies.emplace_back(), commands,
                            before + std::to_string(i) + " (" + command.describe() + ", " +
                                body->name() + ": command ",
                            after + ")", {}, released);
        }
      }
      if (command.runsInPiece()) {
        if (branches || begins) addNumbers(segments.back().follow.back(), newest);
        newest.assign(1, plan.pieces - 1);
      } else if (begins) {
        newest.clear();
      }
    }
    if (branches) ends[i] = newest;
  }
  if (branches) {
    newest.clear();
    for (std::size_t i = 0; i < commands_.size(); ++i) {
      if (!followed[i]) addNumbers(newest, ends[i]);
    }
  }
  return self().ends = newest;
}

// first: the number of the step's first command in the plan.
void Schedule::beginStep(Plan &plan, std::vector<Segment> &segments, const Step &begun, bool joins,
                         uint64_t runs_before, std::size_t first) {
  if (begun.own_command != nullptr || !joins || segments.empty() || !segments.back().isNative()) {
    segments.emplace_back();
    segments.back().own_command = begun.own_command;
    segments.back().earlier = runs_before;
    segments.back().name.first = first;
    segments.back().first_piece = plan.pieces;
  }
  Segment &segment = segments.back();
  segment.name.last = first + (begun.last - begun.first);
  if (begun.own_command != nullptr) return;
  segment.pieces.push_back(recorded_->pieces[begun.piece]->id());
  segment.follow.emplace_back();
  ++plan.pieces;
  if (std::find(segment.of.begin(), segment.of.end(), this) == segment.of.end()) {
    segment.of.push_back(this);
  }
}

// Returns whether the plug-in may take over conditions.
bool Schedule::takesConditions() const noexcept {
  const Plugin &plugin = device_.plugin();
  return plugin.has(NXS_Capability_Conditions) && plugin.has(NXS_Capability_NestedSchedule) &&
         !plugin.one_command_at_a_time;
}

// Returns whether the plug-in may take over a condition, if it replays all of each body.
bool Schedule::takes(const Command &condition) const noexcept {
  const nxs_buffer_range value = condition.arguments_[0].range();
  return takesConditions() && value.offset % value.size == 0;
}

// Makes the segment of a condition a native one, if the plug-in replays all of each body and does
// not refuse.
void Schedule::takeOver(Segment &segment) const {
  const Command &command = *segment.own_command;
  const nxs_buffer_range value = command.arguments_[0].range();
  const auto is_native = [](const std::vector<Segment> &body) {
    return body.empty() || (body.size() == 1 && body[0].isNative());
  };
  if (!std::all_of(segment.bodies.begin(), segment.bodies.end(), is_native)) return;
  Segment made;
  made.name = segment.name;
  made.of.push_back(&command.schedule_);  // keeps the memory of the integer
  made.joined = device_.makeNativeSchedule();
  made.native = made.joined->id();
  std::vector<nxs_id> bodies{0};  // so that it has an address
  bodies.clear();
  for (const std::vector<Segment> &body : segment.bodies) {
    if (body.empty()) made.parts.push_back(device_.makeNativeSchedule());
    bodies.push_back(body.empty() ? made.parts.back()->id() : body[0].native);
  }
  nxs_id id = 0;
  if (!device_.plugin().callIfSupported(&nxs_functions::CreateConditionCommand, "make a condition",
                                        made.native, command.type_, &value, bodies.data(),
                                        uint64_t{bodies.size()}, command.max_count_, &id)) {
    return;
  }
  for (std::vector<Segment> &body : segment.bodies) {
    for (Segment &only : body) addPart(made, only);
  }
  segment = std::move(made);
}

// Makes native segments that follow each other one.
void Schedule::mergeNative(std::vector<Segment> &segments) const {
  std::vector<Segment> merged;
  for (auto first = segments.begin(); first != segments.end();) {
    auto end = first;
    while (end != segments.end() && end->isNative()) ++end;
    if (end - first < 2) {
      merged.push_back(std::move(*first++));
      continue;
    }
    Segment &made = merged.emplace_back();
    made.joined = device_.makeNativeSchedule();
    made.native = made.joined->id();
    made.name = first->name;
    for (; first != end; ++first) {
      nxs_id id = 0;
      device_.plugin().call(&nxs_functions::CreateScheduleCommand, "nest a schedule", made.native,
                            first->native, &id);
      made.name.last = first->name.last;
      addPart(made, *first);
    }
  }
  segments = std::move(merged);
}

// Adds what a native segment runs to one that runs it.
void Schedule::addPart(Segment &to, Segment &from) {
  std::vector<Schedule *> of;
  std::set_union(to.of.begin(), to.of.end(), from.of.begin(), from.of.end(), std::back_inserter(of),
                 isBefore);
  to.of = std::move(of);
  if (from.joined) to.parts.push_back(std::move(from.joined));
  std::move(from.parts.begin(), from.parts.end(), std::back_inserter(to.parts));
}

// Makes a schedule of the plug-in that runs all pieces of a segment, if there are several.
void Schedule::join(Segment &segment) const {
  segment.native = segment.pieces[0];
  if (segment.pieces.size() == 1) return;
  const Plugin &plugin = device_.plugin();
  segment.joined = device_.makeNativeSchedule();
  segment.native = segment.joined->id();
  const bool branches = plugin.has(NXS_Capability_Branches);
  std::vector<nxs_id> commands;
  for (std::size_t i = 0; i < segment.pieces.size(); ++i) {
    plugin.call(&nxs_functions::CreateScheduleCommand, "nest a schedule", segment.native,
                segment.pieces[i], &commands.emplace_back());
    if (!branches || i == 0) continue;
    std::vector<nxs_id> follow;
    for (const std::size_t each : segment.follow[i]) {
      const std::size_t place = each - segment.first_piece;
      if (each >= segment.first_piece && place != i) follow.push_back(commands[place]);
    }
    if (follow.size() == 1 && follow[0] == commands[i - 1]) continue;  // as without the call
    plugin.call(&nxs_functions::SetCommandPredecessors, "set the predecessors of a command",
                commands[i], follow.empty() ? commands.data() : follow.data(),
                uint64_t{follow.size()});
  }
}

}  // namespace nexus::core
