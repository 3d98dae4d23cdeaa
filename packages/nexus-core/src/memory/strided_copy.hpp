// SPDX-License-Identifier: Apache-2.0
//
// Copies between packed host memory and views with gaps between their elements, or in another order
// than C's. The host moves the elements where it can access the memory. Else the device packs them
// into other memory, or unpacks them, by copies of rows, if its plug-in has such. Else each run of
// elements that lie side by side is a copy of its own; a copy to the host may also stage the whole
// range.
#pragma once

#include "memory/buffer.hpp"

namespace nexus::core {

/// Copies size bytes between host memory and a contiguous buffer, from offset on.
using HostCopy = void (*)(Buffer &buffer, uint64_t offset, void *host, uint64_t size,
                          nexus_stream *stream, bool blocking);

/// Copies a view's elements to host memory, in C order, and waits. read copies parts of it.
void gather(Buffer &view, void *host, nexus_stream *stream, HostCopy read);
/// Copies elements in C order to a view, and waits. write copies parts of it.
void scatter(const void *host, Buffer &view, nexus_stream *stream, HostCopy write);

/// Copies the elements of a view to those of another, on their device, and waits; one of them may
/// be contiguous. Returns false if they are on different devices or the device can't do it.
bool copyOnDevice(Buffer &source, Buffer &destination, nexus_stream *stream);

}  // namespace nexus::core
