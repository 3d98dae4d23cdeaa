// SPDX-License-Identifier: Apache-2.0
//
// Selection of the layers between the core and a plug-in.
#pragma once

#include <nexus-api/nxs_functions.h>

#include <string_view>

namespace nexus::core::layers {

/// Returns the table to call for a plug-in with its own table: through the layers of NEXUS_LAYERS,
/// the first one outermost, and below them `serialize` for a plug-in that takes one call at a time.
/// Without layers, returns table itself.
const nxs_functions *stack(uint32_t tag, nxs_thread_model thread_model, const nxs_functions *table);

/// Passes a plug-in's capability bits to the layer `validate`, if it is used. table: as the plug-in
/// filled it, without stubs.
void noteClaims(uint32_t tag, uint64_t capabilities, const nxs_functions &table);

/// Warns once of unknown names in NEXUS_LAYERS.
void warnOfUnknownNames();

}  // namespace nexus::core::layers
