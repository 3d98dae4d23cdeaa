// SPDX-License-Identifier: Apache-2.0
#include "memory/memory.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>

#include "base/log.hpp"
#include "base/sink.hpp"
#include "base/text.hpp"
#include "object/object.hpp"
#include "stream/running_call.hpp"
#include "stream/stream.hpp"

namespace nexus::core {

// Returns whether imported memory is host memory or migrates by itself, according to the plug-in's
// DLPack device.
bool NativeBuffer::isOfHost() const noexcept {
  // host memory, page-locked by CUDA or ROCm, or CUDA's managed memory
  constexpr std::array of_host{1, 3, 11, 13};
  if (device_.plugin().has(NXS_Capability_HostVisibleMemory)) return true;
  try {
    const auto type = properties().readDLPackType();
    return type && contains(of_host, *type);
  } catch (const std::exception &) {
    return false;  // treat it as device memory, which is copied
  }
}

NativeBuffer::NativeBuffer(Device &device, uint64_t size, nxs_buffer_settings settings,
                           void *host_data)
    : device_(device), size_(size), on_host_((settings & NXS_BufferSettings_OnHost) != 0) {
  const bool in_place = (settings & NXS_BufferSettings_Maintain) != 0;
  device.plugin().call(
      &nxs_functions::CreateBuffer,
      [&] {
        return (in_place ? "use " : "make a buffer of ") + std::to_string(size) +
               (in_place ? " bytes of host memory in place on the device '"
                         : " bytes on the device '") +
               device.selector() + "'";
      },
      device.id(), size, settings, host_data, &id_);
  if (!in_place) {
    counted_ = size;
    device.memoryCount().add(size);
  }
}

NativeBuffer::NativeBuffer(Device &device, uint64_t size, const ForeignMemory &memory)
    : device_(device),
      size_(size),
      handle_offset_(device.handlesAreAddresses() ? 0 : memory.offset) {
  device.plugin().call(
      &nxs_functions::CreateBufferFromHandle,
      [&] {
        return "use the memory with the handle " + std::to_string(memory.handle) +
               " on the device '" + device.selector() + "'";
      },
      device.id(), memory.handle, memory.offset, size, &id_);
  on_host_ = isOfHost();
}

NativeBuffer::NativeBuffer(Device &device, nxs_id made) : device_(device), size_(0), id_(made) {
  const Plugin &plugin = device.plugin();
  std::optional<int64_t> size;
  try {
    size = properties().readInt(NP_Size);
    if (!size || *size <= 0) {
      failWith(NXS_InternalError, "The backend '", plugin.name,
               "' does not report the size of a buffer that it created from existing memory.");
    }
  } catch (...) {
    releaseNative(plugin, &nxs_functions::ReleaseBuffer, id_, "buffer");
    throw;
  }
  size_ = static_cast<uint64_t>(*size);
  on_host_ = isOfHost();
}

NativeBuffer::~NativeBuffer() {
  device_.memoryCount().remove(counted_);
  if (mapped_ != nullptr && device_.ofThisProcess()) unmap();
  releaseNative(device_.plugin(), &nxs_functions::ReleaseBuffer, id_, "buffer");
}

std::string NativeBuffer::exported() const {
  Collector handle;
  device_.plugin().call(&nxs_functions::ExportBuffer, "export a buffer", id_, handle.sink());
  return handle.take();
}

std::unique_ptr<NativeBuffer> NativeBuffer::reachedFrom(Device &device) const {
  if (!device.handlesAreAddresses()) return nullptr;
  const auto handle = propertiesOf(device.plugin()).readInt(NP_NativeHandle);
  if (!handle) return nullptr;
  const ForeignMemory memory{static_cast<uint64_t>(*handle), 0};
  return std::make_unique<NativeBuffer>(device, size_, memory);
}

void *NativeBuffer::map() {
  if (!mayBeMapped()) {
    failWith(NXS_NotSupported, "The memory of the device '", device_.selector(),
             "' is not visible to the host; copy the buffer to host memory with numpy() or copy() "
             "(in C nexus_buffer_copy_to_host()).");
  }
  const Mapping mapping = mapIn(device_.queues().unnamed());
  if (!mapping.use.queue) return mapping.address;
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
      return into.call(&nxs_functions::MapBuffer, "map a buffer", into.id(), &range,
                       NXS_MapAccess_Read | NXS_MapAccess_Write, &mapped_);
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

namespace {

// Plug-ins have no empty memory, so an empty buffer gets one byte.
uint64_t atLeastOne(uint64_t size) noexcept {
  return std::max<uint64_t>(size, 1);
}

uint64_t pageSize() {
  static const auto size = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  return size;
}

// Rounds up to whole pages, since a device can't import less.
uint64_t wholePages(uint64_t size) {
  uint64_t rounded = 0;
  if (__builtin_add_overflow(size, pageSize() - 1, &rounded)) {
    failWith(NXS_InvalidBufferSize, "size is ", size,
             " bytes, more than 64 bits can count in whole pages; make the buffer smaller.");
  }
  return rounded - rounded % pageSize();
}

void *allocatePages(uint64_t size) {
  if (void *pages = std::aligned_alloc(pageSize(), static_cast<std::size_t>(wholePages(size)))) {
    return pages;
  }
  failWith(NXS_MemObjectAllocationFailure, "size is ", size,
           " bytes, and the system does not have enough memory; create a smaller buffer or release "
           "some.");
}

// Numbers the memories that have no plug-in's id.
nxs_id nextMemoryNumber() noexcept {
  static std::atomic<nxs_id> newest{0};
  return newest.fetch_add(1, std::memory_order_relaxed) + 1;
}

}  // namespace

Memory::Memory(Device &device, uint64_t size, nxs_buffer_settings settings, void *host_data,
               ForeignOwner host)
    : device_(&device), size_(atLeastOne(size)), host_(host) {
  if (size != 0) {
    own_.emplace(device, size, settings, host_data);
    return;
  }
  // An empty buffer has no host_data to use in place, so it is allocated where the host sees it.
  const bool in_place = (settings & NXS_BufferSettings_Maintain) != 0;
  own_.emplace(
      device, size_,
      in_place ? (settings & ~NXS_BufferSettings_Maintain) | NXS_BufferSettings_OnHost : settings,
      nullptr);
}

Memory::Memory(Device &device, uint64_t size, const ForeignMemory &memory, ForeignOwner host)
    : device_(&device), size_(atLeastOne(size)), host_(host) {
  if (size != 0) {
    own_.emplace(device, size, memory);
  } else {
    own_.emplace(device, size_, nxs_buffer_settings{0}, nullptr);
  }
}

Memory::Memory(Device &device, nxs_id made, bool of_library)
    : device_(&device), of_library_(of_library), own_(std::in_place, device, made) {
  size_ = own_->size();
}

Memory::Memory(uint64_t size)
    : device_(nullptr),
      size_(wholePages(atLeastOne(size))),
      pages_(allocatePages(atLeastOne(size))),
      number_(nextMemoryNumber()),
      host_{[](void *pages) { std::free(pages); }, pages_} {}

Memory::Memory(Device &device, uint64_t size, ScratchOwner owner)
    : device_(&device),
      size_(atLeastOne(size)),
      number_(nextMemoryNumber()),
      scratch_of_(owner.schedule),
      host_{} {}

Memory::Memory(void *start, uint64_t size, ForeignOwner host)
    : device_(nullptr), size_(size), pages_(start), number_(nextMemoryNumber()), host_(host) {}

Memory::~Memory() {
  std::vector<QueuedWork> running;
  if (host_.release != nullptr && generation_ == processGeneration()) {
    uses_.collectRunning(running);
    for (const Attached &attached : attached_) {
      attached.runs->collectRunning(running, attached.since);
    }
  }
  imports_.clear();
  own_.reset();
  if (host_.release != nullptr) {
    whenDone(std::move(running), [host = host_] { host.release(host.context); });
  }
}

nxs_id Memory::on(Device &device, const char *what, const char *for_what) {
  if (device_ != nullptr) {
    requireSameDevice(*device_, what, device, for_what);
    return own_ ? own_->id() : 0;
  }
  const Lock lock(mutex_);
  for (const Import &import : imports_) {
    if (import.device == &device) return import.buffer->id();
  }
  constexpr nxs_buffer_settings in_place = NXS_BufferSettings_OnHost | NXS_BufferSettings_Maintain;
  imports_.push_back({&device, std::make_unique<NativeBuffer>(device, size_, in_place, pages_)});
  return imports_.back().buffer->id();
}

nxs_id Memory::reachedFrom(Device &device) {
  const Plugin &plugin = device.plugin();
  if (!own_ || &plugin != &device_->plugin() || !plugin.has(NXS_Capability_ForeignMemory)) return 0;
  const Lock lock(mutex_);
  for (const Import &import : imports_) {
    if (import.device == &device) return import.buffer ? import.buffer->id() : 0;
  }
  std::unique_ptr<NativeBuffer> reached;
  try {
    reached = own_->reachedFrom(device);
  } catch (const Failure &failure) {
    logLine(NXS_LogLevel_Debug, plugin.name, failure.what());
  }
  imports_.push_back({&device, std::move(reached)});
  return imports_.back().buffer ? imports_.back().buffer->id() : 0;
}

std::string Memory::exported() const {
  if (own_) return own_->exported();
  failWith(NXS_NotSupported,
           "The buffer is a system buffer, which can't be shared with other processes; create one "
           "on a device with shareable=True (in C NXS_BufferSettings_Shareable).");
}

NativeBuffer::Mapping Memory::addressIn(Queue &queue) {
  if (!own_) return {pages_, {}};
  if (!own_->mayBeMapped()) return {};
  try {
    return own_->mapIn(queue);
  } catch (const Failure &failure) {
    logLine(NXS_LogLevel_Debug, device_->plugin().name, failure.what());
    return {};
  }
}

void Memory::attach(InFlightSet &runs) {
  const Lock lock(mutex_);
  for (Attached &attached : attached_) {
    if (attached.runs.get() == &runs) {
      ++attached.count;
      return;
    }
  }
  attached_.push_back({Ref(runs), 1, runs.count()});
}

void Memory::detach(InFlightSet &runs) {
  const Lock lock(mutex_);
  const auto found =
      std::find_if(attached_.begin(), attached_.end(),
                   [&](const Attached &attached) { return attached.runs.get() == &runs; });
  if (found == attached_.end() || --found->count != 0) return;
  // Runs so far still use it. pending() reads both lists under this lock.
  uses_.noteAll(runs, found->since);
  attached_.erase(found);
}

void Memory::removeBuffer() {
  if (buffers_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  std::vector<Ref<InFlightSet>> ended;
  {
    const Lock lock(mutex_);
    for (const Attached &attached : attached_) {
      if (attached.runs->end) ended.push_back(attached.runs);
    }
  }
  for (const Ref<InFlightSet> &runs : ended) runs->end();  // which detaches them
}

std::vector<QueuedWork> Memory::pending() {
  std::vector<QueuedWork> uses;
  const Lock lock(mutex_);
  uses_.collect(uses);
  for (const Attached &attached : attached_) {
    attached.runs->collect(uses, attached.since);
  }
  if (of_library_) {
    std::vector<Ref<Queue>> queues;
    device_->queues().appendTo(queues);
    for (const Ref<Queue> &queue : queues) {
      const QueuePosition newest = queue->newest();
      if (!queue->isDone(newest)) uses.push_back({queue, newest});
    }
  }
  if (RunningCall::present() != nullptr) {
    std::erase_if(uses, [](const QueuedWork &use) { return use.queue->isHeld(use.position); });
  }
  return uses;
}

}  // namespace nexus::core
