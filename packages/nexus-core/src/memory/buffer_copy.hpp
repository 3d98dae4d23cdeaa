// SPDX-License-Identifier: Apache-2.0
//
// Copies between buffers and the host.
#pragma once

#include "memory/buffer.hpp"

namespace nexus::core {

/// Throws NXS_InvalidValue for a non-blocking copy that the host would do itself.
void requireBlocking(bool blocking);

/// Copies size bytes of the buffer, from offset on, to host memory.
void copyToHost(Buffer &buffer, uint64_t offset, void *host, uint64_t size, nexus_stream *stream,
                bool blocking);

/// Copies size bytes of host memory to the buffer, from offset on.
void copyFromHost(Buffer &buffer, uint64_t offset, const void *host, uint64_t size,
                  nexus_stream *stream, bool blocking);

}  // namespace nexus::core
