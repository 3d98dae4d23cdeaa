// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_CUDA_BUFFER_HPP_
#define NEXUS_CUDA_BUFFER_HPP_

#include "stream/stream.hpp"

#include <nexus-plugin/base/handle_table.hpp>
#include <nexus-plugin/gpu/buffer.hpp>

namespace nexus_cuda NXS_HIDDEN {

using Buffer = nexus_plugin::gpu::Buffer<Gpu>;

extern constinit HandleTable<Buffer, NXS_ObjectType_Buffer> buffers;

}  // namespace nexus_cuda

#endif  // NEXUS_CUDA_BUFFER_HPP_
