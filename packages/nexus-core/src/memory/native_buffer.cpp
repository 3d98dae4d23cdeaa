// SPDX-License-Identifier: Apache-2.0
#include "memory/native_buffer.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "base/log.hpp"
#include "object/native.hpp"
#include "object/property.hpp"
#include "stream/device_queues.hpp"
#include "stream/stream.hpp"

namespace nexus::core {
namespace {

// Returns whether imported memory is host memory or migrates by itself, according to the plug-in's
// DLPack device.
bool isOfHost(const Plugin &plugin, nxs_id id) noexcept {
  // host memory, page-locked by CUDA or ROCm, or CUDA's managed memory
  constexpr std::array of_host{1, 3, 11, 13};
  try {
    const auto place =
        readNative(plugin, &nxs_functions::GetBufferProperty, id, NP_DLPackDevice, "buffer");
    const json::Value::Array *numbers = place ? place->array() : nullptr;
    const int64_t *type =
        numbers != nullptr && !numbers->empty() ? numbers->front().integer() : nullptr;
    return type != nullptr && std::find(of_host.begin(), of_host.end(), *type) != of_host.end();
  } catch (const std::exception &) {
    return false;  // treat it as device memory, which is copied
  }
}

}  // namespace

NativeBuffer::NativeBuffer(Device &device, uint64_t size, nxs_buffer_settings settings,
                           void *host_data)
    : device_(device), size_(size), on_host_((settings & NXS_BufferSettings_OnHost) != 0) {
  const bool in_place = (settings & NXS_BufferSettings_Maintain) != 0;
  device.plugin().call(
      &nxs_functions::CreateBuffer,
      [&] {
        return (in_place ? "use host memory of " : "make a buffer of ") + std::to_string(size) +
               (in_place ? " bytes where it lies on the device '" : " bytes on the device '") +
               device.selector() + "'";
      },
      device.id(), size, settings, host_data, &id_);
  if (!in_place) {
    counted_ = size;
    device.memoryCount().add(size);
  }
}

NativeBuffer::NativeBuffer(Device &device, uint64_t size, const ForeignMemory &memory)
    : device_(device), size_(size) {
  device.plugin().call(
      &nxs_functions::CreateBufferFromHandle,
      [&] {
        return "use the memory with the handle " + std::to_string(memory.handle) +
               " on the device '" + device.selector() + "'";
      },
      device.id(), memory.handle, memory.offset, size, &id_);
  on_host_ = isOfHost(device.plugin(), id_);
}

NativeBuffer::NativeBuffer(Device &device, std::string_view handle) : device_(device), size_(0) {
  const Plugin &plugin = device.plugin();
  plugin.call(&nxs_functions::ImportBuffer, "import a buffer of another process", device.id(),
              handle.data(), uint64_t{handle.size()}, &id_);
  std::optional<int64_t> size;
  try {
    size = readNativeInt(plugin, &nxs_functions::GetBufferProperty, id_, NP_Size, "buffer");
    if (!size || *size <= 0) {
      throw Failure(
          NXS_InternalError,
          "The backend '" + plugin.name + "' does not tell the size of a buffer that it imported.");
    }
  } catch (...) {
    releaseNative(plugin, &nxs_functions::ReleaseBuffer, id_, "buffer");
    throw;
  }
  size_ = static_cast<uint64_t>(*size);
  on_host_ = isOfHost(plugin, id_);
}

NativeBuffer::~NativeBuffer() {
  device_.memoryCount().remove(counted_);
  if (mapped_ != nullptr && device_.ofThisProcess()) unmap();
  releaseNative(device_.plugin(), &nxs_functions::ReleaseBuffer, id_, "buffer");
}

std::string NativeBuffer::exported() const {
  std::string handle;
  const nxs_sink sink{sizeof(sink), &handle, [](void *context, const void *data, uint64_t size) {
                        static_cast<std::string *>(context)->append(static_cast<const char *>(data),
                                                                    static_cast<std::size_t>(size));
                      }};
  device_.plugin().call(&nxs_functions::ExportBuffer, "export a buffer", id_, &sink);
  return handle;
}

std::unique_ptr<NativeBuffer> NativeBuffer::reachedFrom(Device &device) const {
  if (!device.handlesAreAddresses()) {
    return nullptr;
  }
  const auto handle = readNativeInt(device.plugin(), &nxs_functions::GetBufferProperty, id_,
                                    NP_NativeHandle, "buffer");
  if (!handle) {
    return nullptr;
  }
  const ForeignMemory memory{static_cast<uint64_t>(*handle), 0};
  return std::make_unique<NativeBuffer>(device, size_, memory);
}

void *NativeBuffer::map() {
  if (!mayBeMapped()) {
    throw Failure(NXS_NotSupported, "The memory of the device '" + device_.selector() +
                                        "' is not visible to the host; copy the buffer to host "
                                        "memory instead (nexus_buffer_copy_to_host, or copy() "
                                        "and numpy() in Python).");
  }
  const Mapping mapping = mapIn(device_.queues().defaultStream().queue());
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
    mapped_ = nullptr;  // nobody uses the address of a failed mapping
  }
  if (mapped_ == nullptr) {
    const nxs_buffer_range range{sizeof(range), id_, 0, size_};
    const QueuePosition position = submitTo(queue, [&](Queue &into) {
      nxs_ticket ticket = 0;
      into.device().plugin().call(&nxs_functions::MapBuffer, "map a buffer", into.id(), &range,
                                  NXS_MapAccess_Read | NXS_MapAccess_Write, &mapped_, &ticket);
      return ticket;
    });
    mapping_ = {Ref(queue), position};
  } else if (by != nullptr && mapping_.queue->isCompleted(mapping_.position)) {
    mapping_ = {};  // drop the queue, which is no longer needed
  }
  return {mapped_, mapping_};
}

// If the stream failed before the mapping was done, the next call maps again, in the stream's new
// queue. The plug-in drops the failed mapping with the buffer.
void NativeBuffer::forgetFailedMapping(const QueuedWork &mapping) {
  if (mapping.queue->state(mapping.position) != NXS_CompletionState_Failed) {
    return;  // the wait was interrupted; the mapping goes on
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
    Queue &queue = device_.queues().defaultStream().queue();
    nxs_ticket ticket = 0;
    device_.plugin().call(&nxs_functions::UnmapBuffer, "end the mapping of a buffer", queue.id(),
                          id_, mapped_, &ticket);
    queue.submitted(ticket);
  } catch (const std::exception &failure) {
    logLine(NXS_LogLevel_Warning, device_.plugin().name, failure.what());
  }
}

}  // namespace nexus::core
