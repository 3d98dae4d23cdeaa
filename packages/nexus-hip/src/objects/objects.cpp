// SPDX-License-Identifier: Apache-2.0
#include "objects/objects.hpp"

#include <nexus-plugin/base/functions.hpp>
#include <nexus-plugin/gpu/event.hpp>
#include <nexus-plugin/gpu/found_memory.hpp>

namespace nexus_hip NXS_HIDDEN {

constinit HandleTable<Buffer, NXS_ObjectType_Buffer> buffers;
constinit HandleTable<Stream, NXS_ObjectType_Stream> streams;

namespace {

constinit HandleTable<nexus_plugin::gpu::Event<Gpu>, NXS_ObjectType_Event> events;

}  // namespace
}  // namespace nexus_hip

using namespace nexus_hip;

NEXUS_PLUGIN_GPU_STREAMS(Gpu, devices, streams)
NEXUS_PLUGIN_GPU_EVENTS(Gpu, devices, streams, events)
NEXUS_PLUGIN_GPU_MEMORY(Gpu, devices)
NEXUS_PLUGIN_GPU_BUFFERS(Gpu, devices, buffers, streams)
NEXUS_PLUGIN_GPU_FOUND_MEMORY(Gpu, devices, buffers)
