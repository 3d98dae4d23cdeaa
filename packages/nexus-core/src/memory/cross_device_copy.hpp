// SPDX-License-Identifier: Apache-2.0
//
// Copies between buffers of two devices, or between a device's buffer and host memory, the host
// memory for staging them, and the one thread that submits their steps.
#pragma once

#include <nexus-api/nxs.h>

#include <array>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "base/process_thread.hpp"
#include "base/ref.hpp"
#include "base/wait.hpp"
#include "memory/copy_order.hpp"
#include "memory/memory.hpp"
#include "stream/work_log.hpp"

namespace nexus::core {

class CrossDeviceCopy;

/// A piece of host memory: either allocated by a device, which makes its copies fastest, or plain
/// pages.
class Chunk {
 public:
  static constexpr uint64_t kSize = uint64_t{4} << 20;

  /// Allocates a device's host memory, mapped by work in queue and usable for later work there.
  /// Throws if the device has none.
  explicit Chunk(Queue &queue);
  /// Allocates pages. Throws NXS_OutOfHostMemory.
  Chunk();
  ~Chunk();
  Chunk(const Chunk &) = delete;
  Chunk &operator=(const Chunk &) = delete;

  unsigned char *start() const noexcept { return start_; }
  /// Returns whether work of the device may use it.
  bool serves(const Device &device) const noexcept { return !own_ || &own_->device() == &device; }

 private:
  std::unique_ptr<NativeBuffer> own_;  // none: pages
  unsigned char *start_ = nullptr;
};

using Chunks = std::vector<std::unique_ptr<Chunk>>;

/// All chunks of the process: at most kMost, pooled, and freed when nothing was copied for a while.
/// Any thread may use it.
class Staging {
 public:
  static constexpr std::size_t kMost = 16;

  /// Returns up to count chunks for a copy that begins in queue. If all are in use, returns none,
  /// and the copy is enqueued in the CopyThread when some are given back.
  Chunks take(std::size_t count, Queue &queue, CrossDeviceCopy &copy);
  /// Takes back chunks that nothing uses any more, to use them again.
  void give(Chunks chunks) noexcept;
  /// Takes back chunks that nothing uses any more, and frees them.
  void drop(Chunks chunks) noexcept;
  void freeUnused() noexcept;

 private:
  using Spare = std::array<std::unique_ptr<Chunk>, kMost>;

  std::unique_ptr<Chunk> takeSpare(const Device &device);
  std::unique_ptr<Chunk> makeRoom();
  void release(std::size_t count) noexcept;
  void callWaiting() noexcept;

  std::mutex mutex_;
  Spare spare_;           // under mutex_, as all below; some are empty
  std::size_t made_ = 0;  // number of chunks that exist
  std::vector<Ref<CrossDeviceCopy>> waiting_;
};

/// Calls CrossDeviceCopy::submitSteps() for each enqueued copy, on a thread of its own: plug-ins
/// call back when a step is done, on threads that must not call them. It waits for no work.
/// Enqueuing links the copies, since it may not allocate.
class CopyThread {
 public:
  /// Throws NXS_OutOfResources if the thread can't be started.
  void start();
  /// Enqueues a copy that can submit steps. Takes over the caller's reference. Any thread may call
  /// it, also one of a plug-in that must not call the plug-in.
  void enqueue(Ref<CrossDeviceCopy> copy) noexcept;
  /// Frees unused staging memory after a period without copies.
  void freeLater() noexcept;

 private:
  void run();
  Ref<CrossDeviceCopy> takeFirst() noexcept;

  std::mutex mutex_;
  std::condition_variable work_added_;
  CrossDeviceCopy *first_ = nullptr;  // under mutex_, as all below; each with a reference
  CrossDeviceCopy *last_ = nullptr;
  bool free_later_ = false;
  ProcessThread thread_;
};

/// Callback for plug-ins: context is a CrossDeviceCopy with a reference.
void wakeCopyThread(void *context, nxs_status status) noexcept;

struct DeferredRelease;

/// Returns whether two ranges are the same bytes of host memory; NULL never is. Throws
/// NXS_MemCopyOverlap if they overlap otherwise.
bool isSameMemory(const unsigned char *one, const unsigned char *other, uint64_t size);

/// Is enqueued in one queue, or in one of each device, and blocks them: it begins when all earlier
/// work there was submitted, and later work there is submitted when the copy is done. Its own steps
/// go to copy queues, one on each device, which only libnexus uses. So closing a stream does not
/// end a copy that has begun.
///
/// Where the host can address the memory of one device, or one device can address the other's, one
/// copy by one device does it all. Else the bytes are staged in chunks of host memory: one chunk is
/// read while another is written. No thread waits: plug-ins call back when a step is done, and the
/// CopyThread submits the next one.
///
/// One of the buffers may be system memory that the device can't use in place. The device then
/// reads or writes it as it does with a program's memory, once all earlier work is done, since that
/// may write it.
class CrossDeviceCopy final : public Counted {
 public:
  /// name: describes the copy in errors.
  CrossDeviceCopy(Part source, Part destination, WorkName name);

  /// Enqueues the copy in one queue. On that device it is ordered by the queue alone; on the other
  /// device it starts after all submitted work that uses the buffer. Throws a queue's failure.
  QueuePosition enqueue(Queue &queue, DeferredWakes &wakes);
  /// Enqueues the copy in two queues, one of each device, after all submitted work that uses the
  /// buffers.
  std::array<QueuePosition, 2> enqueue(Queue &of_source, Queue &of_destination,
                                       DeferredWakes &wakes);

  /// Submits the steps that can start now. Called by the CopyThread.
  void submitSteps() noexcept;

 private:
  friend class CopyThread;

  enum class State { Waiting, Begun, Moving, Done, Failed };

  /// A queue in which the copy is enqueued.
  struct BlockedQueue {
    Ref<Queue> queue;
    bool reached = false;  // all earlier work in the queue was submitted
  };
  /// The copy's state on one device.
  struct Side {
    Part part;
    std::vector<Ref<Event>> before{};  // each gets the value 1 when earlier work is done
    Ref<Queue> copy_queue{};           // empty before the copy begins
    unsigned char *address = nullptr;  // where the host can address the memory, if it can
    nxs_id peer_buffer = 0;  // the other device's buffer over this memory, if it can address it
    bool armed = false;      // all earlier work in the copy queue was submitted
    bool ready = false;      // and is done
    nxs_ticket earlier = 0;  // newest ticket of that work
    // ticket of the copy's last step here; 0: nothing to wait for
    std::optional<nxs_ticket> last{};
    Device *other = nullptr;  // the other side's

    bool isHost() const noexcept { return part.memory->device() == nullptr; }
    Device &device() const noexcept { return isHost() ? *other : *part.memory->device(); }
  };
  /// A chunk, and the ticket of the step that uses it.
  struct Stage {
    std::unique_ptr<Chunk> chunk;
    nxs_ticket ticket = 0;
  };

  ~CrossDeviceCopy() override = default;

  // ---- Order (cross_device_copy_order.cpp) ----
  Queue::Work workInQueue(std::size_t index);
  Queue::Work workInCopyQueue(Side &side);
  void orderAfterOtherUses(Side &side, DeferredWakes &wakes);
  std::optional<nxs_ticket> queueReached(std::size_t index);
  void queueFailed(const Failure &cause);
  std::optional<nxs_ticket> copyQueueReached(Side &side);
  void copyQueueFailed(const Failure &cause);
  // All under mutex_.
  void begin(DeferredWakes &wakes);
  void orderAfterQueue(Side &side, Queue &queue, DeferredWakes &wakes);
  void findAddress(Side &side, DeferredWakes &wakes);
  void findReach();
  bool isReady(Side &side);
  void finish(DeferredWakes &wakes, DeferredRelease &release);
  void fail(const Failure &cause, DeferredWakes &wakes, DeferredRelease &release);
  void enqueueWhenDone(Queue &copy_queue);
  static bool isDone(Queue &copy_queue, nxs_ticket ticket);
  template <typename Step>
  auto locked(Step step);

  // ---- The bytes (cross_device_copy.cpp); all under mutex_ ----
  void advance(DeferredWakes &wakes, DeferredRelease &release);
  void copyDirectly(DeferredWakes &wakes, DeferredRelease &release);
  void copyInChunks(DeferredWakes &wakes, DeferredRelease &release);
  bool makeStages();
  void writeChunks(DeferredWakes &wakes);
  void readChunks(DeferredWakes &wakes);
  bool canCopyDirectly() const noexcept;
  nxs_ticket copyBy(Side &worker);
  nxs_ticket transfer(Side &worker);
  nxs_ticket read(uint64_t offset, void *host, uint64_t size);
  nxs_ticket write(uint64_t offset, const void *host, uint64_t size);
  uint64_t size() const noexcept { return source_.part.range.size; }
  uint64_t chunkSize(uint64_t index) const noexcept;
  Stage &stageOf(uint64_t index) { return stages_[index % stages_.size()]; }

  const WorkName name_;

  std::mutex mutex_;
  State state_ = State::Waiting;  // under mutex_, as all below
  Side source_;
  Side destination_;
  std::vector<BlockedQueue> blocked_;
  std::optional<Failure> cause_;
  std::vector<Stage> stages_;  // chunk number i uses stage i modulo their number
  uint64_t read_ = 0;          // number of chunks whose read was submitted
  uint64_t writing_ = 0;       // number of chunks whose write was submitted
  uint64_t written_ = 0;

  CrossDeviceCopy *next_ = nullptr;  // the CopyThread's, as below
  bool enqueued_ = false;
};

}  // namespace nexus::core
