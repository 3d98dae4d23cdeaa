// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nexus-api/nxs_functions.h>

namespace nexus::core::layers::validation {

/// Notes what a plug-in claims, and checks that its table, before stubs fill it, has the functions.
void noteClaims(uint32_t tag, uint64_t capabilities, const nxs_functions &table);

}  // namespace nexus::core::layers::validation
