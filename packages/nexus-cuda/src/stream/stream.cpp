// SPDX-License-Identifier: Apache-2.0
#include "stream/stream.hpp"

#include <nexus-plugin/base/functions.hpp>

namespace nexus_cuda NXS_HIDDEN {

constinit HandleTable<Stream, NXS_ObjectType_Stream> streams;

}  // namespace nexus_cuda

using namespace nexus_cuda;

NEXUS_PLUGIN_GPU_STREAMS(Gpu, devices, streams)
