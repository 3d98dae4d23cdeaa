// SPDX-License-Identifier: Apache-2.0
#include "layers/validate/order.hpp"

#include <algorithm>
#include <utility>

namespace nexus::core::layers::validation {
namespace {

constexpr std::size_t kMaxJoined = 64;

void merge(Clock &into, const Clock &from) {
  for (const auto &[stream, ticket] : from) {
    nxs_ticket &known = into[stream];
    known = std::max(known, ticket);
  }
}

// Returns whether it is certain that two uses of the same bytes disturb each other; nothing if they
// do not.
std::optional<bool> disturbs(Access one, Access other) {
  if (one == Access::Write || other == Access::Write) return true;
  return one == Access::Unknown || other == Access::Unknown ? std::optional(false) : std::nullopt;
}

bool sameBytes(const Use &one, const Use &other) {
  return one.begin == other.begin && one.end == other.end && one.access == other.access &&
         one.early == other.early;
}

}  // namespace

void Order::addStream(nxs_id stream) {
  streams_[stream] = {};
}

void Order::releaseStream(nxs_id stream) {
  const auto found = streams_.find(stream);
  if (found == streams_.end()) return;
  bool running = false;
  for (auto &[space, all] : spaces_) {
    // The caller may free host memory at any time, and its use can't be queried any more.
    std::erase_if(all, [&, host = space == 0](const Noted &noted) {
      return noted.stream == stream && (host || isDone(stream, noted.ticket));
    });
    running = running || std::any_of(all.begin(), all.end(),
                                     [&](const Noted &noted) { return noted.stream == stream; });
  }
  if (!running) streams_.erase(found);
}

void Order::join(nxs_id stream, const Clock &clock, nxs_ticket ticket) {
  Stream &waiting = streams_[stream];
  merge(waiting.seen, clock);
  if (waiting.joined.size() >= kMaxJoined) {  // the later wait stands for both
    merge(waiting.joined[1].clock, waiting.joined[0].clock);
    waiting.joined.erase(waiting.joined.begin());
  }
  waiting.joined.push_back({ticket, clock});
}

Clock Order::clockAfter(nxs_id stream, nxs_ticket ticket) {
  Stream &of = streams_[stream];
  std::erase_if(of.seen, [&](const auto &entry) { return isDone(entry.first, entry.second); });
  Clock clock = of.seen;
  clock[stream] = std::max(clock[stream], ticket);
  return clock;
}

void Order::observe(nxs_id stream, nxs_ticket ticket) {
  std::vector<std::pair<nxs_id, nxs_ticket>> done{{stream, ticket}};
  while (!done.empty()) {
    const auto [id, newest] = done.back();
    done.pop_back();
    const auto found = streams_.find(id);
    if (found == streams_.end() || found->second.completed >= newest) continue;
    found->second.completed = newest;
    std::erase_if(found->second.joined, [&, last = newest](const Joined &wait) {
      if (wait.ticket > last) return false;
      done.insert(done.end(), wait.clock.begin(), wait.clock.end());
      return true;
    });
  }
}

bool Order::isDone(nxs_id stream, nxs_ticket ticket) const {
  const auto found = streams_.find(stream);
  return found == streams_.end() || ticket <= found->second.completed;
}

bool Order::isOrdered(const Noted &earlier, nxs_id stream) const {
  if (earlier.stream == stream) return true;
  const auto found = streams_.find(stream);
  if (found == streams_.end()) return false;
  const auto seen = found->second.seen.find(earlier.stream);
  return seen != found->second.seen.end() && seen->second >= earlier.ticket;
}

std::optional<Conflict> Order::conflict(const std::vector<Use> &uses, nxs_id stream,
                                        nxs_id schedule) {
  std::optional<Conflict> possible;
  for (const Use &use : uses) {
    const auto found = spaces_.find(use.space);
    if (found == spaces_.end()) continue;
    std::vector<Noted> &all = found->second;
    std::erase_if(all, [&](const Noted &noted) { return isDone(noted.stream, noted.ticket); });
    for (const Noted &earlier : all) {
      const bool apart = use.end <= earlier.use.begin || earlier.use.end <= use.begin;
      const std::optional<bool> certain = disturbs(use.access, earlier.use.access);
      const bool same_runs = schedule != 0 && schedule == earlier.schedule;
      if (apart || !certain || same_runs || (!use.early && isOrdered(earlier, stream))) {
        continue;
      }
      possible = Conflict{use, earlier, *certain};
      if (*certain) return possible;
    }
  }
  return possible;
}

void Order::note(const std::vector<Use> &uses, const Noted &work) {
  for (const Use &use : uses) {
    std::vector<Noted> &all = spaces_[use.space];
    const auto same = std::find_if(all.begin(), all.end(), [&](const Noted &noted) {
      return noted.stream == work.stream && noted.schedule == work.schedule &&
             sameBytes(noted.use, use);
    });
    Noted noted = work;
    noted.use = use;
    if (same != all.end()) {
      noted.ticket = std::max(noted.ticket, same->ticket);
      *same = noted;
    } else {
      all.push_back(noted);
    }
  }
}

}  // namespace nexus::core::layers::validation
