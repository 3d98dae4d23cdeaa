// SPDX-License-Identifier: Apache-2.0
// Streams that failed by a call that the driver took in part: that call got no ticket, what was
// submitted before it goes on, and the stream takes nothing more.
#ifndef BROKEN_HPP_
#define BROKEN_HPP_

#include <nexus-plugin/plugin.hpp>

#include <map>
#include <mutex>
#include <utility>

namespace faulty NXS_HIDDEN {

using namespace nexus_plugin;

// Any thread.
class BrokenStreams {
 public:
  // The first cause counts.
  void add(nxs_id stream, FailurePtr cause) {
    const std::lock_guard lock(mutex_);
    causes_.emplace(stream, std::move(cause));
  }

  void remove(nxs_id stream) {
    const std::lock_guard lock(mutex_);
    causes_.erase(stream);
  }

  // Throws the cause where the stream is one of them.
  void refuse(nxs_id stream) {
    if (const FailurePtr cause = cause_of(stream)) throw Failed(cause);
  }

  // The stream's state, if all its tickets are complete.
  void answer(nxs_id stream, nxs_completion &out) {
    const FailurePtr cause = cause_of(stream);
    if (cause && out.state == NXS_CompletionState_Completed) {
      write_completion(out, false, cause.get(), out.completed);
    }
  }

 private:
  FailurePtr cause_of(nxs_id stream) {
    const std::lock_guard lock(mutex_);
    const auto found = causes_.find(stream);
    return found == causes_.end() ? FailurePtr() : found->second;
  }

  std::mutex mutex_;
  std::map<nxs_id, FailurePtr> causes_;
};

inline BrokenStreams &broken() {
  static BrokenStreams &all = *new BrokenStreams;  // never destroyed, as faults()
  return all;
}

}  // namespace faulty

#endif  // BROKEN_HPP_
