// SPDX-License-Identifier: Apache-2.0
// Common to all mistakes: the functions of the reference plug-in, which they call or replace.
#pragma once

#include <nexus-api/nxs_functions.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <set>
#include <vector>

namespace planted NXS_HIDDEN {

inline nxs_functions right;  // as the reference plug-in filled it
inline const nxs_host *host = nullptr;

using Bytes = std::vector<unsigned char>;

// The size of a buffer, 0 if the id is none.
inline uint64_t size_of(nxs_id buffer) {
  int64_t size = 0;
  nxs_value value{sizeof(nxs_value), NXS_ValueType_None, 0, &size, sizeof(size), 0};
  return right.GetBufferProperty(buffer, NP_Size, &value) == NXS_Success
             ? static_cast<uint64_t>(size)
             : 0;
}

inline nxs_completion completed(nxs_ticket ticket) {
  return {sizeof(nxs_completion), NXS_CompletionState_Completed, NXS_Success, 0, ticket};
}

// Where the mistake is put into the table.
struct Place {
  nxs_functions &table;
  nxs_plugin &plugin;
};

}  // namespace planted
