// SPDX-License-Identifier: Apache-2.0
//
// Scratch memory: which commands use it, and where it lies.

#include <algorithm>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "execution/schedule.hpp"

namespace nexus::core {
namespace {

// At least the alignment of drivers' own memory, so that kernels see no difference.
constexpr uint64_t kAlignment = 256;

}  // namespace

Ref<Buffer> Schedule::createBuffer(Layout layout) {
  const Lock lock(mutex_);
  requireOpen();
  Ref<Memory> memory = make<Memory>(device_, layout.size, ScratchOwner{number_});
  return make<Buffer>(std::move(memory), uint64_t{0}, std::move(layout));
}

void Schedule::requireOwn(const Argument &argument, const char *name) const {
  const uint64_t owner = argument.memory->scratchOf();
  if (owner == 0 || owner == number_) return;
  failWith(NXS_InvalidOperation, name, " is scratch memory of schedule ", owner,
           ", and the command is one of ", this->name(), "; give scratch memory of ", this->name(),
           ", or a buffer of the device.");
}

/// Tells whether all uses of one memory come before all uses of another.
class Schedule::Lives {
 public:
  Lives(const Schedule &schedule, const std::vector<Scratch> &all) {
    if (!schedule.hasBranches()) return;
    const std::size_t count = schedule.commands_.size();
    bits_.assign(count, SIZE_MAX);
    std::size_t bits = 0;
    for (const Scratch &each : all) {
      for (const std::size_t use : each.uses) {
        if (bits_[use] == SIZE_MAX) bits_[use] = bits++;
      }
    }
    follows_.assign(count, std::vector<bool>(bits));
    for (std::size_t i = 0; i < count; ++i) {
      for (const std::size_t before : schedule.predecessorsOf(i)) {
        std::transform(follows_[i].begin(), follows_[i].end(), follows_[before].begin(),
                       follows_[i].begin(), std::logical_or<>());
        if (bits_[before] != SIZE_MAX) follows_[i][bits_[before]] = true;
      }
    }
  }

  bool meet(const Scratch &one, const Scratch &other) const {
    return !isBefore(one, other) && !isBefore(other, one);
  }

 private:
  bool isBefore(const Scratch &one, const Scratch &other) const {
    if (one.uses.back() >= other.uses.front()) return false;
    if (follows_.empty()) return true;
    return std::all_of(other.uses.begin(), other.uses.end(), [&](std::size_t later) {
      return std::all_of(one.uses.begin(), one.uses.end(),
                         [&](std::size_t earlier) { return follows_[later][bits_[earlier]]; });
    });
  }

  std::vector<std::size_t> bits_;           // by command that uses scratch memory
  std::vector<std::vector<bool>> follows_;  // by command: those that it follows, by their bits
};

std::vector<Schedule::Scratch> Schedule::scratchUses() const {
  const uint64_t alignment = std::lcm(kAlignment, device_.offsetAlignment());
  std::vector<Scratch> all;
  std::unordered_map<const Memory *, std::size_t> numbers;
  for (std::size_t i = 0; i < commands_.size(); ++i) {
    for (const Argument &argument : commands_[i]->arguments_) {
      if (!argument.isScratch()) continue;
      Memory &memory = *argument.memory;
      const auto [found, added] = numbers.emplace(&memory, all.size());
      if (added) {
        int64_t size = 0;  // a property is signed
        if (__builtin_add_overflow(memory.size(), alignment - 1, &size)) {
          failWith(NXS_InvalidBufferSize, "A scratch buffer of ", name(), " has ", memory.size(),
                   " bytes, too many for any device; make it smaller.");
        }
        all.push_back(
            {&memory, {}, static_cast<uint64_t>(size) / alignment * alignment, memory.place});
      }
      std::vector<std::size_t> &uses = all[found->second].uses;
      if (uses.empty() || uses.back() != i) uses.push_back(i);
    }
  }
  return all;
}

// Memory keeps its place, unless it would overlap other memory there after a change of the
// commands. The rest is placed largest first, each in the first gap that fits.
Schedule::ScratchLayout Schedule::layOutScratch() const {
  ScratchLayout layout{scratchUses(), 0};
  const Lives lives(*this, layout.all);
  std::vector<const Scratch *> placed;
  const auto overlap = [](const Scratch &one, const Scratch &other) {
    return one.place.arena == other.place.arena &&
           one.place.offset < other.place.offset + other.size &&
           other.place.offset < one.place.offset + one.size;
  };
  std::vector<Scratch *> rest;
  for (Scratch &each : layout.all) {
    const bool kept =
        std::any_of(arenas_.begin(), arenas_.end(),
                    [&](const Arena &arena) { return arena.number == each.place.arena; }) &&
        std::none_of(placed.begin(), placed.end(), [&](const Scratch *other) {
          return overlap(each, *other) && lives.meet(each, *other);
        });
    if (kept) {
      placed.push_back(&each);
    } else {
      rest.push_back(&each);
    }
  }
  std::stable_sort(rest.begin(), rest.end(), [](const Scratch *one, const Scratch *other) {
    return one->size > other->size;
  });
  for (Scratch *each : rest) {
    std::vector<const Scratch *> met;
    std::copy_if(placed.begin(), placed.end(), std::back_inserter(met),
                 [&](const Scratch *other) { return lives.meet(*each, *other); });
    std::sort(met.begin(), met.end(), [](const Scratch *one, const Scratch *other) {
      return one->place.offset < other->place.offset;
    });
    // Returns the end of the memory at the first gap in an arena.
    const auto place = [&](uint64_t arena) {
      each->place = {arena, 0};
      for (const Scratch *other : met) {
        if (overlap(*each, *other)) each->place.offset = other->place.offset + other->size;
      }
      int64_t end = 0;
      if (__builtin_add_overflow(each->place.offset, each->size, &end)) {
        failWith(NXS_InvalidBufferSize, "The scratch buffers of ", name(),
                 " need too many bytes for any device; make them smaller.");
      }
      return static_cast<uint64_t>(end);
    };
    const bool fits = std::any_of(arenas_.begin(), arenas_.end(), [&](const Arena &arena) {
      return place(arena.number) <= arena.memory->size();
    });
    if (!fits) layout.more = std::max(layout.more, place(newest_arena_ + 1));
    placed.push_back(each);
  }
  return layout;
}

void Schedule::placeScratch() {
  if (!unplaced_) return;
  const ScratchLayout layout = layOutScratch();
  if (layout.more != 0) {
    try {
      arenas_.push_back(
          {newest_arena_ + 1,
           make<Memory>(device_, layout.more, nxs_buffer_settings{0}, nullptr, ForeignOwner{})});
    } catch (const Failure &failure) {
      throw failure.with("It is for the scratch buffers of " + name() +
                         "; release other memory and run the schedule again, or make them "
                         "smaller.");
    }
    ++newest_arena_;
  }
  for (const Scratch &each : layout.all) each.memory->place = each.place;
  std::vector<Arena> used;
  for (Arena &arena : arenas_) {
    if (std::any_of(layout.all.begin(), layout.all.end(),
                    [&](const Scratch &each) { return each.place.arena == arena.number; })) {
      used.push_back(std::move(arena));
    }
  }
  arenas_ = std::move(used);
  for (const std::unique_ptr<Command> &command : commands_) {
    for (Argument &argument : command->arguments_) {
      if (!argument.isScratch()) continue;
      const ScratchPlace place = argument.memory->place;
      const auto arena = std::find_if(arenas_.begin(), arenas_.end(), [&](const Arena &each) {
        return each.number == place.arena;
      });
      argument.arena = arena->memory;
      argument.base = place.offset;
      argument.buffer = arena->memory->id();
    }
  }
}

uint64_t Schedule::scratchSize() const {
  const ScratchLayout layout = layOutScratch();
  uint64_t size = layout.more;
  for (const Arena &arena : arenas_) {
    if (std::any_of(layout.all.begin(), layout.all.end(),
                    [&](const Scratch &each) { return each.place.arena == arena.number; })) {
      size += arena.memory->size();
    }
  }
  return size;
}

}  // namespace nexus::core
