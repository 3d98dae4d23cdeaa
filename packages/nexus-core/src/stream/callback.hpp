// SPDX-License-Identifier: Apache-2.0
//
// The user's callbacks in streams, and the one thread that calls them.
#pragma once

#include <cstdint>

namespace nexus::core {

/// For the end of the process: waits at most timeout nanoseconds for the calls of callbacks that
/// are due or cancelled. Callbacks added before and not called by then are never called.
void finishCallbacks(uint64_t timeout);

}  // namespace nexus::core
