// SPDX-License-Identifier: Apache-2.0
//
// Ranges of buffers: their checks, and what they are as memory that work uses.
#pragma once

#include "layers/validate/call.hpp"

namespace nexus::core::layers::validation {

/// Checks that the bytes are within the buffer. name: of the parameter, "" for the call's own.
void checkRange(Call &call, const char *name, nxs_id buffer, uint64_t offset, uint64_t size);
/// Checks both ends of a copy, and adds their uses to the call's.
void checkCopy(Call &call, const nxs_buffer_range &destination, const nxs_buffer_range &source);
/// Checks a fill, and adds its use to the call's.
void checkFill(Call &call, const nxs_buffer_range &range, uint64_t pattern_size);

/// Adds the use of a buffer's bytes to the call's; none where there are no bytes.
void addUse(Call &call, nxs_id buffer, uint64_t offset, uint64_t size, Access access);
/// Adds that of host memory. early: as in Use.
void addHostUse(Call &call, const void *host, uint64_t size, Access access, bool early);

}  // namespace nexus::core::layers::validation
