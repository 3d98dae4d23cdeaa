// SPDX-License-Identifier: Apache-2.0
//
// Copies between devices: moving the bytes.
#include "memory/cross_device_copy.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "base/process.hpp"

namespace nexus::core {
namespace {

// Enough chunks to keep both devices busy: one being read, one being written, and two in between.
constexpr uint64_t kStages = 4;

}  // namespace

bool isSameMemory(const unsigned char *one, const unsigned char *other, uint64_t size) {
  if (one == nullptr || other == nullptr || one == other) {
    return one != nullptr && one == other;
  }
  const std::less<> before;
  if (before(one, other + size) && before(other, one + size)) {
    throw Failure(NXS_MemCopyOverlap,
                  "source and destination are of two devices and overlap in host memory; copy "
                  "through another buffer.");
  }
  return false;
}

void CrossDeviceCopy::advance(DeferredWakes &wakes, DeferredRelease &release) {
  if (state_ == State::Begun) {
    const bool source = isReady(source_);
    if (!isReady(destination_) || !source) {
      return;
    }
    state_ = State::Moving;
  }
  if (state_ != State::Moving) {
    return;
  }
  if (isSameMemory(source_.address, destination_.address, size())) {
    finish(wakes, release);
  } else if (canCopyDirectly()) {
    copyDirectly(wakes, release);
  } else {
    copyInChunks(wakes, release);
  }
}

bool CrossDeviceCopy::canCopyDirectly() const noexcept {
  return source_.address != nullptr || destination_.address != nullptr ||
         source_.peer_buffer != 0 || destination_.peer_buffer != 0;
}

// One device copies from, or to, the other's memory.
void CrossDeviceCopy::copyDirectly(DeferredWakes &wakes, DeferredRelease &release) {
  const bool writes = source_.address != nullptr || source_.peer_buffer != 0;
  Side &worker = writes ? destination_ : source_;
  Side &other = writes ? source_ : destination_;
  if (!worker.last) {
    worker.last = copyBy(worker);
    wakes.add(*worker.copy_queue);
    enqueueWhenDone(*worker.copy_queue);
  }
  if (isDone(*worker.copy_queue, *worker.last)) {
    other.last = 0;
    finish(wakes, release);
  }
}

nxs_ticket CrossDeviceCopy::copyBy(Side &worker) {
  if (source_.peer_buffer != 0 || destination_.peer_buffer != 0) {
    return transfer(worker);
  }
  return &worker == &destination_ ? write(0, source_.address, size())
                                  : read(0, destination_.address, size());
}

// Copies between the worker's own memory and its buffer over the other device's.
nxs_ticket CrossDeviceCopy::transfer(Side &worker) {
  nxs_buffer_range from = source_.part.range;
  nxs_buffer_range to = destination_.part.range;
  (&worker == &destination_ ? from.buffer : to.buffer) =
      &worker == &destination_ ? source_.peer_buffer : destination_.peer_buffer;
  return submitHeld(
      *worker.copy_queue,
      [&](Queue &copy_queue) {
        nxs_ticket ticket = 0;
        copy_queue.device().plugin().call(&nxs_functions::TransferBuffer,
                                          "copy a buffer to a buffer of another device",
                                          copy_queue.id(), &to, &from, &ticket);
        return ticket;
      },
      name_);
}

uint64_t CrossDeviceCopy::chunkSize(uint64_t index) const noexcept {
  return std::min(Chunk::kSize, size() - index * Chunk::kSize);
}

bool CrossDeviceCopy::makeStages() {
  if (!stages_.empty()) {
    return true;
  }
  const uint64_t count = std::min(kStages, (size() + Chunk::kSize - 1) / Chunk::kSize);
  Chunks chunks =
      ofProcess<Staging>().take(static_cast<std::size_t>(count), *source_.copy_queue, *this);
  for (std::unique_ptr<Chunk> &chunk : chunks) {
    stages_.push_back({std::move(chunk)});
  }
  return !stages_.empty();
}

void CrossDeviceCopy::copyInChunks(DeferredWakes &wakes, DeferredRelease &release) {
  if (!makeStages()) {
    return;
  }
  writeChunks(wakes);
  readChunks(wakes);
  if (written_ * Chunk::kSize >= size()) finish(wakes, release);
}

// Submits writes of chunks that were read.
void CrossDeviceCopy::writeChunks(DeferredWakes &wakes) {
  while (writing_ < read_ && isDone(*source_.copy_queue, stageOf(writing_).ticket)) {
    Stage &stage = stageOf(writing_);
    stage.ticket = write(writing_ * Chunk::kSize, stage.chunk->start(), chunkSize(writing_));
    ++writing_;
    if (writing_ * Chunk::kSize >= size()) {
      destination_.last = stage.ticket;
      wakes.add(*destination_.copy_queue);
    }
    enqueueWhenDone(*destination_.copy_queue);
  }
}

// Submits reads into chunks that were written.
void CrossDeviceCopy::readChunks(DeferredWakes &wakes) {
  while (written_ < writing_ && isDone(*destination_.copy_queue, stageOf(written_).ticket)) {
    ++written_;
  }
  while (read_ * Chunk::kSize < size() && read_ < written_ + stages_.size()) {
    Stage &stage = stageOf(read_);
    stage.ticket = read(read_ * Chunk::kSize, stage.chunk->start(), chunkSize(read_));
    ++read_;
    if (read_ * Chunk::kSize >= size()) {
      source_.last = stage.ticket;
      wakes.add(*source_.copy_queue);
    }
    enqueueWhenDone(*source_.copy_queue);
  }
}

nxs_ticket CrossDeviceCopy::read(uint64_t offset, void *host, uint64_t size) {
  return submitHeld(
      *source_.copy_queue,
      [&](Queue &copy_queue) { return readPart(source_.part, offset, host, size, copy_queue); },
      name_);
}

nxs_ticket CrossDeviceCopy::write(uint64_t offset, const void *host, uint64_t size) {
  return submitHeld(
      *destination_.copy_queue,
      [&](Queue &copy_queue) {
        return writePart(destination_.part, offset, host, size, copy_queue);
      },
      name_);
}

}  // namespace nexus::core
