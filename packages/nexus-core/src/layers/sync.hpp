// SPDX-License-Identifier: Apache-2.0
//
// The layer `sync` (NEXUS_LAYERS=sync): work that was submitted completes before the call
// returns, so that work of two streams never runs side by side, and a failure is known to be that
// of the newest submission. Beside it libnexus gives the plug-in each command of a schedule on its
// own, and then the error names the command.
//
// The layer changes no result: work that fails still fails later, in its stream. A call waits
// as long as its work runs, without the interrupt check.
#pragma once

#include "host/function_list.hpp"
#include "layers/submissions.hpp"

namespace nexus::core::layers {

struct Sync {
  template <typename Function, typename... Arguments>
  static nxs_status call(uint32_t, const nxs_functions &next, Arguments... arguments) noexcept {
    const nxs_status status = (next.*Function::member)(arguments...);
    if constexpr (submits<Arguments...>) {
      if (status == NXS_Success) {
        finish(next, streamOf(arguments...), *ticketOf(arguments...));
      }
    }
    return status;
  }

 private:
  static void finish(const nxs_functions &next, nxs_id stream, nxs_ticket ticket) noexcept {
    constexpr uint64_t kPart = 1'000'000'000;  // nanoseconds
    nxs_completion completion{};
    do {
      completion.struct_size = sizeof(completion);
      // A stream that can't be asked tells the next one who asks why.
      if (next.WaitStream(stream, ticket, kPart, &completion) != NXS_Success) return;
    } while (completion.state == NXS_CompletionState_Running);
  }
};

}  // namespace nexus::core::layers
