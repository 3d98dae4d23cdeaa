// SPDX-License-Identifier: Apache-2.0
#include "native_buffer.hpp"

#include "log.hpp"
#include "native.hpp"
#include "stream.hpp"

namespace nexus::core {

NativeBuffer::NativeBuffer(Device &device, uint64_t size, nxs_buffer_settings settings,
                           void *host_data)
    : device_(device), size_(size) {
  const bool in_place = (settings & NXS_BufferSettings_Maintain) != 0;
  device.plugin().call(
      &nxs_functions::CreateBuffer,
      [&] {
        return (in_place ? "use host memory of " : "make a buffer of ") + std::to_string(size) +
               (in_place ? " bytes where it lies on the device '" : " bytes on the device '") +
               device.selector() + "'";
      },
      device.id(), size, settings, host_data, &id_);
}

NativeBuffer::~NativeBuffer() {
  if (mapped_ != nullptr && device_.ofThisProcess()) unmap();
  releaseNative(device_.plugin(), &nxs_functions::ReleaseBuffer, id_, "buffer");
}

void *NativeBuffer::map() {
  const Plugin &plugin = device_.plugin();
  if (!plugin.has(NXS_Capability_HostVisibleMemory)) {
    throw Failure(NXS_NotSupported, "The memory of the device '" + device_.selector() +
                                        "' is not visible to the host; copy the buffer to host "
                                        "memory instead (nexus_buffer_copy_to_host, or copy() "
                                        "and numpy() in Python).");
  }
  const Mapping mapping = mapIn(device_.defaultStream().queue());
  if (!mapping.use.queue) {
    return mapping.address;
  }
  try {
    mapping.use.queue->wait(mapping.use.position, UINT64_MAX);
  } catch (const Failure &) {
    forgetFailedMapping(mapping.use);
    throw;
  }
  return mapping.address;
}

NativeBuffer::Mapping NativeBuffer::mapIn(Queue &queue) {
  const Lock lock(mutex_);
  const Queue *by = mapping_.queue.get();
  if (by != nullptr && mapping_.queue->state(mapping_.position) == NXS_CompletionState_Failed) {
    mapped_ = nullptr;  // nobody has the address, or was told that it is none
  }
  if (mapped_ == nullptr) {
    const nxs_buffer_range range{sizeof(range), id_, 0, size_};
    const Position position = submitTo(queue, [&](Queue &into) {
      nxs_ticket ticket = 0;
      into.device().plugin().call(&nxs_functions::MapBuffer, "map a buffer", into.id(), &range,
                                  NXS_MapAccess_Read | NXS_MapAccess_Write, &mapped_, &ticket);
      return ticket;
    });
    mapping_ = {Ref(queue), position};
  } else if (by != nullptr && mapping_.queue->isCompleted(mapping_.position)) {
    mapping_ = {};  // the queue is kept no longer than it is needed
  }
  return {mapped_, mapping_};
}

// The stream failed before the mapping was done, so nobody has its address: the next call maps
// anew, in the stream that followed. The plug-in's side of it ends with the buffer.
void NativeBuffer::forgetFailedMapping(const Use &mapping) {
  if (mapping.queue->state(mapping.position) != NXS_CompletionState_Failed) {
    return;  // interrupted: it goes on
  }
  const Lock lock(mutex_);
  if (mapping_.queue == mapping.queue && mapping_.position == mapping.position) {
    mapped_ = nullptr;
    mapping_ = {};
  }
}

void NativeBuffer::unmap() noexcept {
  try {
    // Not in the stream that mapped it, which may have failed since.
    Queue &queue = device_.defaultStream().queue();
    nxs_ticket ticket = 0;
    device_.plugin().call(&nxs_functions::UnmapBuffer, "end the mapping of a buffer", queue.id(),
                          id_, mapped_, &ticket);
    queue.submitted(ticket);
  } catch (const std::exception &failure) {
    logLine(NXS_LogLevel_Warning, device_.plugin().name, failure.what());
  }
}

}  // namespace nexus::core
