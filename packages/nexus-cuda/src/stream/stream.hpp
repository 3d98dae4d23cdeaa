// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_CUDA_STREAM_HPP_
#define NEXUS_CUDA_STREAM_HPP_

#include "device/device.hpp"

#include <nexus-plugin/base/handle_table.hpp>
#include <nexus-plugin/gpu/stream.hpp>

namespace nexus_cuda NXS_HIDDEN {

using Stream = nexus_plugin::gpu::Stream<Gpu>;

extern constinit HandleTable<Stream, NXS_ObjectType_Stream> streams;

}  // namespace nexus_cuda

#endif  // NEXUS_CUDA_STREAM_HPP_
