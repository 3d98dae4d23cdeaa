// SPDX-License-Identifier: Apache-2.0
//
// Which work uses which memory, and what is known to come before what: a clock for each stream,
// which tells the newest ticket of every other stream whose work its own later work follows.
// The state's lock guards all of it.
#pragma once

#include <nexus-api/nxs.h>

#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "layers/validate/place.hpp"

namespace nexus::core::layers::validation {

/// Streams and their tickets.
using Clock = std::unordered_map<nxs_id, nxs_ticket>;

enum class Access { Read, Write, Unknown };

/// Memory that a piece of work uses: bytes of a buffer or, in the space 0, of the host.
struct Use {
  nxs_id space = 0;
  uint64_t begin = 0;
  uint64_t end = 0;
  Access access = Access::Read;
  nxs_id buffer = 0;   // for the message; 0: the host's memory alone
  bool early = false;  // may happen before the stream's earlier work: the source of a write
};

/// A use by work that was submitted.
struct Noted {
  Use use;
  nxs_id stream = 0;
  nxs_ticket ticket = 0;
  nxs_id schedule = 0;  // whose runs never overlap; 0: none
  std::string_view function;
  Place place;
};

struct Conflict {
  Use use;
  Noted earlier;
  bool certain = true;  // false: both only may write
};

class Order {
 public:
  void addStream(nxs_id stream);
  /// Forgets it where its work is done; else its work counts as running until the memory goes.
  void releaseStream(nxs_id stream);

  /// Work of the stream from now on follows what the clock tells. ticket: that of the wait.
  void join(nxs_id stream, const Clock &clock, nxs_ticket ticket);
  /// What work follows that follows a ticket of the stream, the ticket itself included.
  Clock clockAfter(nxs_id stream, nxs_ticket ticket);
  /// A ticket is done, and so is all that it follows.
  void observe(nxs_id stream, nxs_ticket ticket);
  bool isDone(nxs_id stream, nxs_ticket ticket) const;

  /// The first conflict of the uses, by work that is given to the stream now.
  std::optional<Conflict> conflict(const std::vector<Use> &uses, nxs_id stream, nxs_id schedule);
  void note(const std::vector<Use> &uses, const Noted &work);
  /// The memory is gone.
  void forget(nxs_id space) { spaces_.erase(space); }

 private:
  struct Joined {
    nxs_ticket ticket;
    Clock clock;
  };
  struct Stream {
    Clock seen;
    nxs_ticket completed = 0;
    std::vector<Joined> joined;  // by waits that are not known complete
  };

  bool isOrdered(const Noted &earlier, nxs_id stream) const;
  void prune(std::vector<Noted> &all) const;

  std::unordered_map<nxs_id, Stream> streams_;
  std::unordered_map<nxs_id, std::vector<Noted>> spaces_;
};

}  // namespace nexus::core::layers::validation
