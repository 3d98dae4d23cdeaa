// SPDX-License-Identifier: Apache-2.0
// Streams and buffers: the kit's, over HIP.
#ifndef NEXUS_HIP_OBJECTS_HPP_
#define NEXUS_HIP_OBJECTS_HPP_

#include "device/device.hpp"

#include <nexus-plugin/base/handle_table.hpp>
#include <nexus-plugin/gpu/buffer.hpp>
#include <nexus-plugin/gpu/stream.hpp>

namespace nexus_hip NXS_HIDDEN {

using Buffer = nexus_plugin::gpu::Buffer<Gpu>;
using Stream = nexus_plugin::gpu::Stream<Gpu>;

extern constinit HandleTable<Buffer, NXS_ObjectType_Buffer> buffers;
extern constinit HandleTable<Stream, NXS_ObjectType_Stream> streams;

}  // namespace nexus_hip

#endif  // NEXUS_HIP_OBJECTS_HPP_
