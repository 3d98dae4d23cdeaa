// SPDX-License-Identifier: Apache-2.0
#include "memory/buffer.hpp"

#include <nexus-plugin/base/functions.hpp>
#include <nexus-plugin/gpu/found_memory.hpp>

namespace nexus_cuda NXS_HIDDEN {

constinit HandleTable<Buffer, NXS_ObjectType_Buffer> buffers;

}  // namespace nexus_cuda

using namespace nexus_cuda;

NEXUS_PLUGIN_GPU_MEMORY(Gpu, devices)
NEXUS_PLUGIN_GPU_BUFFERS(Gpu, devices, buffers, streams)
NEXUS_PLUGIN_GPU_FOUND_MEMORY(Gpu, devices, buffers)
