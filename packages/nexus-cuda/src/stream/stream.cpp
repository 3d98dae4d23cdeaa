// SPDX-License-Identifier: Apache-2.0
#include "stream/stream.hpp"

#include <nexus-plugin/gpu/event.hpp>

namespace nexus_cuda NXS_HIDDEN {

constinit HandleTable<Stream, NXS_ObjectType_Stream> streams;

namespace {

constinit HandleTable<nexus_plugin::gpu::Event<Gpu>, NXS_ObjectType_Event> events;

void stop_loops(Stream &stream) {
  if (!Gpu::has_conditions()) throw Error(NXS_NotSupported, "the driver has no loops");
  stream.stop_loops();
}

}  // namespace
}  // namespace nexus_cuda

using namespace nexus_cuda;

NEXUS_PLUGIN_GPU_STREAMS(Gpu, devices, streams)
NEXUS_PLUGIN_FUNCTION(StopLoops, (nxs_id stream), stop_loops(*streams.pin(stream)))
NEXUS_PLUGIN_GPU_EVENTS(Gpu, devices, streams, events)
