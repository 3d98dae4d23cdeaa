// SPDX-License-Identifier: Apache-2.0
#include "memory/cross_device_copy.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <utility>

#include "base/log.hpp"
#include "base/process.hpp"

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
    failWith(NXS_OutOfHostMemory,
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
    if (chunk && chunk->serves(device)) return std::move(chunk);
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
  if (chunks.empty()) return;
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

namespace {

// Staging memory is freed when nothing was copied for this long.
constexpr std::chrono::seconds kIdle{1};

}  // namespace

void CopyThread::start() {
  const std::lock_guard<std::mutex> lock(mutex_);
  thread_.start("The thread for copies between devices", [this] { run(); });
}

void CopyThread::enqueue(Ref<CrossDeviceCopy> copy) noexcept {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (std::exchange(copy->enqueued_, true)) {
    // Drop this reference while the list has another: the last one must not be dropped on a
    // plug-in's thread.
    copy = {};
    return;
  }
  CrossDeviceCopy *added = copy.detach();
  (first_ == nullptr ? first_ : last_->next_) = added;
  last_ = added;
  work_added_.notify_one();
}

Ref<CrossDeviceCopy> CopyThread::takeFirst() noexcept {
  CrossDeviceCopy *taken = first_;
  first_ = std::exchange(taken->next_, nullptr);
  taken->enqueued_ = false;
  return Ref<CrossDeviceCopy>::adopt(taken);
}

void CopyThread::freeLater() noexcept {
  const std::lock_guard<std::mutex> lock(mutex_);
  free_later_ = true;
  work_added_.notify_one();
}

void CopyThread::run() {
  std::unique_lock<std::mutex> lock(mutex_);
  while (true) {
    if (first_ != nullptr) {
      Ref<CrossDeviceCopy> copy = takeFirst();
      lock.unlock();
      copy->submitSteps();
      copy = {};
      lock.lock();
    } else if (!std::exchange(free_later_, false)) {
      work_added_.wait(lock, [this] { return first_ != nullptr || free_later_; });
    } else if (!work_added_.wait_for(lock, kIdle, [this] { return first_ != nullptr; })) {
      lock.unlock();
      ofProcess<Staging>().freeUnused();
      lock.lock();
    } else {
      free_later_ = true;
    }
  }
}

void wakeCopyThread(void *context, nxs_status) noexcept {
  ofProcess<CopyThread>().enqueue(
      Ref<CrossDeviceCopy>::adopt(static_cast<CrossDeviceCopy *>(context)));
}

namespace {

// Enough chunks to keep both devices busy: one being read, one being written, and two in between.
constexpr uint64_t kStages = 4;

}  // namespace

bool isSameMemory(const unsigned char *one, const unsigned char *other, uint64_t size) {
  if (one == nullptr || other == nullptr || one == other) return one != nullptr && one == other;
  const std::less<> before;
  if (before(one, other + size) && before(other, one + size)) {
    failWith(NXS_MemCopyOverlap,
             "source and destination are of two devices and overlap in host memory; copy "
             "through another buffer.");
  }
  return false;
}

void CrossDeviceCopy::advance(DeferredWakes &wakes, DeferredRelease &release) {
  if (state_ == State::Begun) {
    const bool source = isReady(source_);
    if (!isReady(destination_) || !source) return;
    state_ = State::Moving;
  }
  if (state_ != State::Moving) return;
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
  const bool writes =
      !destination_.isHost() && (source_.address != nullptr || source_.peer_buffer != 0);
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
  if (source_.peer_buffer != 0 || destination_.peer_buffer != 0) return transfer(worker);
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
        return copy_queue.call(&nxs_functions::TransferBuffer,
                               "copy a buffer to a buffer of another device", copy_queue.id(), &to,
                               &from);
      },
      name_);
}

uint64_t CrossDeviceCopy::chunkSize(uint64_t index) const noexcept {
  return std::min(Chunk::kSize, size() - index * Chunk::kSize);
}

bool CrossDeviceCopy::makeStages() {
  if (!stages_.empty()) return true;
  const uint64_t count = std::min(kStages, (size() + Chunk::kSize - 1) / Chunk::kSize);
  Chunks chunks =
      ofProcess<Staging>().take(static_cast<std::size_t>(count), *source_.copy_queue, *this);
  for (std::unique_ptr<Chunk> &chunk : chunks) {
    stages_.push_back({std::move(chunk)});
  }
  return !stages_.empty();
}

void CrossDeviceCopy::copyInChunks(DeferredWakes &wakes, DeferredRelease &release) {
  if (!makeStages()) return;
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
