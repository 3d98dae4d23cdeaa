// SPDX-License-Identifier: Apache-2.0
#include "memory/memory.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>

#include "base/log.hpp"

namespace nexus::core {
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
    throw Failure(NXS_InvalidBufferSize, "size is " + std::to_string(size) +
                                             " bytes, more than any machine has; make the buffer "
                                             "smaller.");
  }
  return rounded - rounded % pageSize();
}

void *allocatePages(uint64_t size) {
  if (void *pages = std::aligned_alloc(pageSize(), static_cast<std::size_t>(wholePages(size)))) {
    return pages;
  }
  throw Failure(NXS_MemObjectAllocationFailure,
                "size is " + std::to_string(size) +
                    " bytes, and the system has no memory for them; make smaller buffers or "
                    "release some.");
}

// Numbers the memories that have no plug-in's id.
nxs_id nextMemoryNumber() noexcept {
  static std::atomic<nxs_id> newest{0};
  return newest.fetch_add(1, std::memory_order_relaxed) + 1;
}

}  // namespace

Memory::Memory(Device &device, uint64_t size, nxs_buffer_settings settings, void *host_data,
               HostStorage host)
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

Memory::Memory(Device &device, uint64_t size, const ForeignMemory &memory, HostStorage host)
    : device_(&device), size_(atLeastOne(size)), host_(host) {
  if (size != 0) {
    own_.emplace(device, size, memory);
  } else {
    own_.emplace(device, size_, nxs_buffer_settings{0}, nullptr);
  }
}

Memory::Memory(Device &device, std::string_view handle)
    : device_(&device), own_(std::in_place, device, handle) {
  size_ = own_->size();
}

Memory::Memory(uint64_t size)
    : device_(nullptr),
      size_(wholePages(atLeastOne(size))),
      pages_(allocatePages(atLeastOne(size))),
      number_(nextMemoryNumber()),
      host_{[](void *pages) { std::free(pages); }, pages_} {}

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
    return own_->id();
  }
  const Lock lock(mutex_);
  for (const Import &import : imports_) {
    if (import.device == &device) {
      return import.buffer->id();
    }
  }
  constexpr nxs_buffer_settings in_place = NXS_BufferSettings_OnHost | NXS_BufferSettings_Maintain;
  imports_.push_back({&device, std::make_unique<NativeBuffer>(device, size_, in_place, pages_)});
  return imports_.back().buffer->id();
}

nxs_id Memory::reachedFrom(Device &device) {
  const Plugin &plugin = device.plugin();
  if (!own_ || &plugin != &device_->plugin() || !plugin.has(NXS_Capability_ForeignMemory)) {
    return 0;
  }
  const Lock lock(mutex_);
  for (const Import &import : imports_) {
    if (import.device == &device) {
      return import.buffer ? import.buffer->id() : 0;
    }
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
  if (own_) {
    return own_->exported();
  }
  throw Failure(NXS_NotSupported,
                "A system buffer is this process's own; make a shareable buffer on a device "
                "(NXS_BufferSettings_Shareable, shareable=True in Python).");
}

NativeBuffer::Mapping Memory::addressIn(Queue &queue) {
  if (!own_ || !own_->mayBeMapped()) {
    return {};
  }
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
  if (found == attached_.end() || --found->count != 0) {
    return;
  }
  // Runs so far still use it. pending() reads both lists under this lock.
  uses_.noteAll(runs, found->since);
  attached_.erase(found);
}

std::vector<QueuedWork> Memory::pending() {
  std::vector<QueuedWork> uses;
  const Lock lock(mutex_);
  uses_.collect(uses);
  for (const Attached &attached : attached_) {
    attached.runs->collect(uses, attached.since);
  }
  return uses;
}

}  // namespace nexus::core
