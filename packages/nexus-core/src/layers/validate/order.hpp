// SPDX-License-Identifier: Apache-2.0
//
// Which work uses which memory, and in which order work is known to run: each stream has a clock,
// with the newest ticket of every other stream that its later work follows. Under the lock of
// Locked (objects.hpp).
#pragma once

#include <nexus-api/nxs.h>

#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "layers/validate/place.hpp"

namespace nexus::core::layers::validation {

/// Tickets by stream.
using Clock = std::unordered_map<nxs_id, nxs_ticket>;

enum class Access { Read, Write, Unknown };

/// The memory that a piece of work uses: bytes of a buffer or, in the space 0, of the host.
struct Use {
  nxs_id space = 0;
  uint64_t begin = 0;
  uint64_t end = 0;
  Access access = Access::Read;
  nxs_id buffer = 0;   // for the message; 0: host memory
  bool early = false;  // may happen before the stream's earlier work, as the reads of a write
};

/// A use by submitted work.
struct Noted {
  Use use;
  nxs_id stream = 0;
  nxs_ticket ticket = 0;
  nxs_id schedule = 0;  // its runs never overlap; 0: none
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
  /// Forgets the stream if its work is done. Otherwise its work counts as running until its memory
  /// is forgotten.
  void releaseStream(nxs_id stream);

  /// The stream's later work is ordered after the clock. ticket: the ticket of the wait.
  void join(nxs_id stream, const Clock &clock, nxs_ticket ticket);
  /// Returns what work follows that follows a ticket of the stream, this ticket included.
  Clock clockAfter(nxs_id stream, nxs_ticket ticket);
  /// Notes that a ticket is done, and so is all that it follows.
  void observe(nxs_id stream, nxs_ticket ticket);
  bool isDone(nxs_id stream, nxs_ticket ticket) const;

  /// Returns the first conflict of the uses by work that is being submitted to the stream.
  std::optional<Conflict> conflict(const std::vector<Use> &uses, nxs_id stream, nxs_id schedule);
  void note(const std::vector<Use> &uses, const Noted &work);
  /// Forgets memory that was freed.
  void forget(nxs_id space) { spaces_.erase(space); }

 private:
  struct Joined {
    nxs_ticket ticket;
    Clock clock;
  };
  struct Stream {
    Clock seen;
    nxs_ticket completed = 0;
    std::vector<Joined> joined;  // by waits that are not known to be done
  };

  bool isOrdered(const Noted &earlier, nxs_id stream) const;

  std::unordered_map<nxs_id, Stream> streams_;
  std::unordered_map<nxs_id, std::vector<Noted>> spaces_;
};

}  // namespace nexus::core::layers::validation
