// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nexus-api/nxs_functions.h>

namespace nexus::core::layers::validation {

/// nxsEnqueueHostCallback of next with a function that first notes that the stream's work before it
/// is done, since what the callback leads to follows that work.
nxs_status enqueueHostCallback(const nxs_functions &next, nxs_id stream,
                               void (*callback)(void *, nxs_status), void *context,
                               nxs_ticket *out_ticket) noexcept;

}  // namespace nexus::core::layers::validation
