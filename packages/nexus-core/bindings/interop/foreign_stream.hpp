// SPDX-License-Identifier: Apache-2.0
//
// Streams of other libraries: wrapping them, and ordering our work with theirs.
#pragma once

#include <optional>

#include "arrays/buffer.hpp"
#include "arrays/dlpack.hpp"

namespace nexus::python {

/// Device.create_stream(foreign=...): an int, or an object with __cuda_stream__, which is kept.
Stream adoptStream(const nexus::Device &device, py::handle foreign);

/// Stream.__cuda_stream__().
py::tuple cudaStreamOf(const Stream &stream);

/// Returns a stream's number in DLPack and in __cuda_array_interface__, which is never 0; nothing
/// if its backend has no handle.
std::optional<std::uint64_t> streamNumberOf(const Stream &stream, std::int32_t deviceType);

/// Makes a consumer's later work in its stream wait until all work that uses the buffer is done.
/// consumer is the argument stream of __dlpack__; its values depend on the device type in place. If
/// the backend can't do that, the host waits.
void orderConsumer(const BufferObject &buffer, dlpack::Device place, py::handle consumer);

/// Waits on the host for all submitted work that uses the buffer.
void waitForUses(const BufferObject &buffer);

/// Orders later work after a producer's work in its stream so far: work in stream or, if that is
/// empty, all work, since the host waits. number: as in __cuda_array_interface__.
void orderAfterProducer(const nexus::Device &device, std::uint64_t number, const Stream &stream);

}  // namespace nexus::python
