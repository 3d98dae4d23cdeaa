// SPDX-License-Identifier: Apache-2.0
#include "memory/staging.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "base/log.hpp"
#include "base/process.hpp"
#include "memory/copy_thread.hpp"
#include "memory/cross_device_copy.hpp"

namespace nexus::core {
namespace {

constexpr std::size_t kChunkAlignment = 4096;

std::unique_ptr<Chunk> makeChunk(Queue &queue) {
  try {
    return std::make_unique<Chunk>(queue);
  } catch (const Failure &failure) {
    logLine(NXS_LogLevel_Debug, queue.device().plugin().name, failure.what());
    return std::make_unique<Chunk>();
  }
}

}  // namespace

Chunk::Chunk(Queue &queue)
    : own_(std::make_unique<NativeBuffer>(queue.device(), kSize, NXS_BufferSettings_OnHost,
                                          nullptr)),
      start_(static_cast<unsigned char *>(own_->mapIn(queue).address)) {}

Chunk::Chunk()
    : start_(static_cast<unsigned char *>(
          std::aligned_alloc(kChunkAlignment, static_cast<std::size_t>(kSize)))) {
  if (start_ == nullptr) {
    throw Failure(NXS_OutOfHostMemory,
                  "There is no host memory for a copy between devices; release some.");
  }
}

Chunk::~Chunk() {
  if (!own_) std::free(start_);
}

Chunks Staging::take(std::size_t count, Queue &queue, CrossDeviceCopy &copy) {
  Chunks taken;
  taken.reserve(count);
  while (taken.size() < count) {
    {
      std::unique_ptr<Chunk> dropped;  // destroyed outside the lock, since that calls the plug-in
      const Lock lock(mutex_);
      if (std::unique_ptr<Chunk> spare = takeSpare(queue.device())) {
        taken.push_back(std::move(spare));
        continue;
      }
      if (made_ == kMost) dropped = makeRoom();
      if (made_ == kMost) {
        if (taken.empty()) waiting_.emplace_back(copy);
        return taken;
      }
      ++made_;
    }
    try {
      taken.push_back(makeChunk(queue));
    } catch (...) {
      release(1);
      if (taken.empty()) throw;
      return taken;  // slower with fewer, but it works
    }
  }
  return taken;
}

std::unique_ptr<Chunk> Staging::takeSpare(const Device &device) {
  for (std::unique_ptr<Chunk> &chunk : spare_) {
    if (chunk && chunk->serves(device)) {
      return std::move(chunk);
    }
  }
  return nullptr;
}

// Returns a spare chunk of another device, to be freed; none if all chunks are in use.
std::unique_ptr<Chunk> Staging::makeRoom() {
  for (std::unique_ptr<Chunk> &chunk : spare_) {
    if (chunk) {
      --made_;
      return std::move(chunk);
    }
  }
  return nullptr;
}

void Staging::give(Chunks chunks) noexcept {
  if (chunks.empty()) {
    return;
  }
  const Lock lock(mutex_);
  for (std::unique_ptr<Chunk> &chunk : chunks) {
    *std::find(spare_.begin(), spare_.end(), nullptr) = std::move(chunk);
  }
  callWaiting();
  ofProcess<CopyThread>().freeLater();
}

void Staging::drop(Chunks chunks) noexcept {
  const std::size_t count = chunks.size();
  chunks.clear();
  if (count != 0) release(count);
}

void Staging::release(std::size_t count) noexcept {
  const Lock lock(mutex_);
  made_ -= count;
  callWaiting();
}

void Staging::callWaiting() noexcept {
  for (Ref<CrossDeviceCopy> &copy : waiting_) {
    ofProcess<CopyThread>().enqueue(std::move(copy));
  }
  waiting_.clear();
}

void Staging::freeUnused() noexcept {
  Spare unused;
  {
    const Lock lock(mutex_);
    unused.swap(spare_);
  }
  std::size_t count = 0;
  for (std::unique_ptr<Chunk> &chunk : unused) {
    if (chunk) ++count;
    chunk.reset();
  }
  if (count != 0) release(count);
}

}  // namespace nexus::core
