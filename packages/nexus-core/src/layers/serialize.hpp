// SPDX-License-Identifier: Apache-2.0
//
// The layer `serialize`: one call at a time, for a plug-in that declared
// NXS_ThreadModel_Serialized.
#pragma once

#include <array>
#include <mutex>
#include <type_traits>

#include "host/function_list.hpp"
#include "layers/paced_wait.hpp"

namespace nexus::core::layers {

struct Serialize {
  /// Holds the plug-in's lock during the call. The two functions that wait become queries with
  /// pauses in between, in which other threads can make calls.
  template <typename Function, typename... Arguments>
  static nxs_status call(uint32_t tag, const nxs_functions &next, Arguments... arguments) noexcept {
    if constexpr (std::is_same_v<Function, functions::WaitStream>) {
      return waitStream(tag, next, arguments...);
    } else if constexpr (std::is_same_v<Function, functions::SynchronizeEvent>) {
      return synchronizeEvent(tag, next, arguments...);
    } else {
      const std::lock_guard<std::mutex> lock(mutexOf(tag));
      return (next.*Function::member)(arguments...);
    }
  }

 private:
  static std::mutex &mutexOf(uint32_t tag) noexcept {
    // Never destroyed: there may be calls while the process exits.
    static auto &mutexes = *new std::array<std::mutex, 1U << NXS_ID_TAG_BITS>;
    return mutexes[tag];
  }

  static nxs_status waitStream(uint32_t tag, const nxs_functions &next, nxs_id stream,
                               nxs_ticket ticket, uint64_t timeout,
                               nxs_completion *out_completion) noexcept {
    return pacedWait(timeout, out_completion, [&] {
      const std::lock_guard<std::mutex> lock(mutexOf(tag));
      return next.QueryStream(stream, ticket, out_completion);
    });
  }

  static nxs_status synchronizeEvent(uint32_t tag, const nxs_functions &next, nxs_id event,
                                     uint64_t timeout, nxs_completion *out_completion) noexcept {
    return pacedWait(timeout, out_completion, [&] {
      const std::lock_guard<std::mutex> lock(mutexOf(tag));
      return next.QueryEvent(event, out_completion);
    });
  }
};

}  // namespace nexus::core::layers
