// SPDX-License-Identifier: Apache-2.0
//
// Which layers lie between the core and a plug-in.
#pragma once

#include <nexus-api/nxs_functions.h>

#include <string_view>

namespace nexus::core::layers {

/// The table to call for a plug-in whose own is table: through the layers that
/// NEXUS_LAYERS names, the first one outermost, and, for a plug-in that takes one call
/// at a time, through `serialize` below them. Without layers, table itself.
const nxs_functions *stack(uint32_t tag, nxs_thread_model thread_model, const nxs_functions *table);

/// Tells the layer `validate`, where it is named, what a plug-in claims with its capability bits.
/// table: as the plug-in filled it, without stubs.
void noteClaims(uint32_t tag, uint64_t capabilities, const nxs_functions &table);

/// Warns, once in the process, of names in NEXUS_LAYERS that are no layers.
void warnOfUnknownNames();

}  // namespace nexus::core::layers
