// SPDX-License-Identifier: Apache-2.0
//
// The layer `sync` (NEXUS_LAYERS=sync): each call that submits work returns when the work is done,
// so that work of two streams never runs concurrently, and a failure belongs to the newest
// submission. With it, libnexus also submits each command of a schedule on its own, so that the
// error names the command.
//
// The layer changes no result: work that fails still fails later, in its stream. A call waits as
// long as its work runs, without the interrupt check.
#pragma once

#include "host/function_list.hpp"
#include "layers/layer.hpp"

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
      // If the stream can't be asked, the next query reports why.
      if (next.WaitStream(stream, ticket, kPart, &completion) != NXS_Success) return;
    } while (completion.state == NXS_CompletionState_Running);
  }
};

}  // namespace nexus::core::layers
