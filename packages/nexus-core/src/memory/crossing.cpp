// SPDX-License-Identifier: Apache-2.0
//
// How the bytes move.
#include "memory/crossing.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "base/process.hpp"

namespace nexus::core {
namespace {

// As many chunks as keep both devices busy: one that is read, one that is written, and those that
// wait for their turn.
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

void Crossing::advance(Wakes &wakes, Remains &remains) {
  if (state_ == State::Begun) {
    const bool source = hasArrived(source_);
    if (!hasArrived(destination_) || !source) {
      return;
    }
    state_ = State::Moving;
  }
  if (state_ != State::Moving) {
    return;
  }
  if (isSameMemory(source_.address, destination_.address, size())) {
    finish(wakes, remains);
  } else if (isAtOnce()) {
    moveAtOnce(wakes, remains);
  } else {
    moveInChunks(wakes, remains);
  }
}

bool Crossing::isAtOnce() const noexcept {
  return source_.address != nullptr || destination_.address != nullptr || source_.reached != 0 ||
         destination_.reached != 0;
}

// One device copies from, or to, the other's memory, which nothing else uses meanwhile.
void Crossing::moveAtOnce(Wakes &wakes, Remains &remains) {
  const bool writes = source_.address != nullptr || source_.reached != 0;
  End &worker = writes ? destination_ : source_;
  End &other = writes ? source_ : destination_;
  if (!worker.last) {
    worker.last = copyBy(worker);
    wakes.add(*worker.lane);
    tellWhenDone(*worker.lane);
  }
  if (isDone(*worker.lane, *worker.last)) {
    other.last = 0;
    finish(wakes, remains);
  }
}

nxs_ticket Crossing::copyBy(End &worker) {
  if (source_.reached != 0 || destination_.reached != 0) {
    return transfer(worker);
  }
  return &worker == &destination_ ? write(0, source_.address, size())
                                  : read(0, destination_.address, size());
}

// Between the worker's own memory and what it reaches of the other's.
nxs_ticket Crossing::transfer(End &worker) {
  nxs_buffer_range from = source_.part.range;
  nxs_buffer_range to = destination_.part.range;
  (&worker == &destination_ ? from.buffer : to.buffer) =
      &worker == &destination_ ? source_.reached : destination_.reached;
  return submitHeld(
      *worker.lane,
      [&](Queue &lane) {
        nxs_ticket ticket = 0;
        lane.device().plugin().call(&nxs_functions::TransferBuffer,
                                    "copy a buffer to a buffer of another device", lane.id(), &to,
                                    &from, &ticket);
        return ticket;
      },
      name_);
}

uint64_t Crossing::chunkSize(uint64_t index) const noexcept {
  return std::min(Chunk::kSize, size() - index * Chunk::kSize);
}

bool Crossing::makeStages() {
  if (!stages_.empty()) {
    return true;
  }
  const uint64_t count = std::min(kStages, (size() + Chunk::kSize - 1) / Chunk::kSize);
  Chunks chunks = ofProcess<Staging>().take(static_cast<std::size_t>(count), *source_.lane, *this);
  for (std::unique_ptr<Chunk> &chunk : chunks) {
    stages_.push_back({std::move(chunk)});
  }
  return !stages_.empty();
}

void Crossing::moveInChunks(Wakes &wakes, Remains &remains) {
  if (!makeStages()) {
    return;
  }
  writeChunks(wakes);
  readChunks(wakes);
  if (written_ * Chunk::kSize >= size()) finish(wakes, remains);
}

// Writes what was read.
void Crossing::writeChunks(Wakes &wakes) {
  while (writing_ < read_ && isDone(*source_.lane, stageOf(writing_).ticket)) {
    Stage &stage = stageOf(writing_);
    stage.ticket = write(writing_ * Chunk::kSize, stage.chunk->start(), chunkSize(writing_));
    ++writing_;
    if (writing_ * Chunk::kSize >= size()) {
      destination_.last = stage.ticket;
      wakes.add(*destination_.lane);
    }
    tellWhenDone(*destination_.lane);
  }
}

// Reads into chunks that were written.
void Crossing::readChunks(Wakes &wakes) {
  while (written_ < writing_ && isDone(*destination_.lane, stageOf(written_).ticket)) {
    ++written_;
  }
  while (read_ * Chunk::kSize < size() && read_ < written_ + stages_.size()) {
    Stage &stage = stageOf(read_);
    stage.ticket = read(read_ * Chunk::kSize, stage.chunk->start(), chunkSize(read_));
    ++read_;
    if (read_ * Chunk::kSize >= size()) {
      source_.last = stage.ticket;
      wakes.add(*source_.lane);
    }
    tellWhenDone(*source_.lane);
  }
}

nxs_ticket Crossing::read(uint64_t offset, void *host, uint64_t size) {
  return submitHeld(
      *source_.lane, [&](Queue &lane) { return readPart(source_.part, offset, host, size, lane); },
      name_);
}

nxs_ticket Crossing::write(uint64_t offset, const void *host, uint64_t size) {
  return submitHeld(
      *destination_.lane,
      [&](Queue &lane) { return writePart(destination_.part, offset, host, size, lane); }, name_);
}

}  // namespace nexus::core
