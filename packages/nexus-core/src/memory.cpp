// SPDX-License-Identifier: Apache-2.0
#include "memory.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>

#include "log.hpp"

namespace nexus::core {
namespace {

uint64_t pageSize() {
  static const auto size = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  return size;
}

// Whole pages, since a device that imports memory takes no less.
uint64_t wholePages(uint64_t size) {
  uint64_t rounded = 0;
  if (__builtin_add_overflow(size, pageSize() - 1, &rounded)) {
    throw Failure(NXS_InvalidBufferSize, "size is " + std::to_string(size) +
                                             " bytes, more than any machine has; make the buffer "
                                             "smaller.");
  }
  return rounded - rounded % pageSize();
}

// Of size bytes, which the caller asked for.
void *allocatePages(uint64_t size) {
  if (void *pages = std::aligned_alloc(pageSize(), static_cast<std::size_t>(wholePages(size)))) {
    return pages;
  }
  throw Failure(NXS_MemObjectAllocationFailure,
                "size is " + std::to_string(size) +
                    " bytes, and the system has no memory for them; make smaller buffers or "
                    "release some.");
}

// Numbers of memories that no plug-in has given an id.
nxs_id nextMemoryNumber() noexcept {
  static std::atomic<nxs_id> newest{0};
  return newest.fetch_add(1, std::memory_order_relaxed) + 1;
}

}  // namespace

Memory::Memory(Device &device, uint64_t size, nxs_buffer_settings settings, void *host_data,
               HostStorage host)
    : device_(&device), size_(size), host_(host) {
  own_.emplace(device, size, settings, host_data);
}

Memory::Memory(uint64_t size)
    : device_(nullptr),
      size_(wholePages(size)),
      pages_(allocatePages(size)),
      number_(nextMemoryNumber()),
      host_{[](void *pages) { std::free(pages); }, pages_} {}

Memory::~Memory() {
  std::vector<Use> running;
  if (host_.release != nullptr && generation_ == processGeneration()) {
    uses_.collectRunning(running);
    for (const Attached &attached : attached_) {
      attached.runs->collectRunning(running, attached.since);
    }
  }
  own_.reset();
  imports_.clear();
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
  for (const std::unique_ptr<NativeBuffer> &import : imports_) {
    if (&import->device() == &device) {
      return import->id();
    }
  }
  imports_.push_back(std::make_unique<NativeBuffer>(
      device, size_, NXS_BufferSettings_OnHost | NXS_BufferSettings_Maintain, pages_));
  return imports_.back()->id();
}

NativeBuffer::Mapping Memory::addressIn(Queue &queue) {
  if (!own_ || !device_->plugin().has(NXS_Capability_HostVisibleMemory)) {
    return {};
  }
  try {
    return own_->mapIn(queue);
  } catch (const Failure &failure) {
    logLine(NXS_LogLevel_Debug, device_->plugin().name, failure.what());
    return {};
  }
}

void Memory::attach(Uses &runs) {
  const Lock lock(mutex_);
  for (Attached &attached : attached_) {
    if (attached.runs.get() == &runs) {
      ++attached.count;
      return;
    }
  }
  attached_.push_back({Ref(runs), 1, runs.count()});
}

void Memory::detach(Uses &runs) {
  const Lock lock(mutex_);
  const auto found =
      std::find_if(attached_.begin(), attached_.end(),
                   [&](const Attached &attached) { return attached.runs.get() == &runs; });
  if (found == attached_.end() || --found->count != 0) {
    return;
  }
  // The runs until now still use it. pending() looks here and there under the same lock.
  std::vector<Use> running;
  runs.collectRunning(running, found->since);
  for (const Use &use : running) {
    uses_.note(*use.queue, use.position);
  }
  attached_.erase(found);
}

std::vector<Use> Memory::pending() {
  std::vector<Use> uses;
  const Lock lock(mutex_);
  uses_.collect(uses);
  for (const Attached &attached : attached_) {
    attached.runs->collect(uses, attached.since);
  }
  return uses;
}

}  // namespace nexus::core
