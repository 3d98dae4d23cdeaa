// SPDX-License-Identifier: Apache-2.0
//
// Streams of other libraries: over which ours are made, and that ours are ordered with.
#pragma once

#include <optional>

#include "buffer.hpp"
#include "dlpack.hpp"

namespace nexus::python {

/// Device.create_stream(foreign=...): an int, or an object with __cuda_stream__, which is kept.
Stream adoptStream(const nexus::Device &device, py::handle foreign);

/// Stream.__cuda_stream__().
py::tuple cudaStreamOf(const Stream &stream);

/// The number that a stream goes by in DLPack and in __cuda_array_interface__, whose 0 is nobody's;
/// nothing where its backend tells no handle.
std::optional<std::uint64_t> streamNumberOf(const Stream &stream, std::int32_t deviceType);

/// Holds what a consumer gives to its stream from now on until all work that uses the buffer is
/// done. consumer is what __dlpack__ was given as stream; its values are those of the device type
/// that place names. Where the backend can't, the host waits.
void orderConsumer(const BufferObject &buffer, dlpack::Device place, py::handle consumer);

/// Waits on the host for all submitted work that uses the buffer.
void waitForUses(const BufferObject &buffer);

/// Work from now on comes after what a producer gave to its stream so far: in stream, or, where
/// that is empty, everywhere, since the host waits. number: as in __cuda_array_interface__.
void orderAfterProducer(const nexus::Device &device, std::uint64_t number, const Stream &stream);

}  // namespace nexus::python
