// SPDX-License-Identifier: Apache-2.0
//
// A copy from a buffer of one device to a buffer of another.
#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

#include "memory/copy_order.hpp"
#include "memory/staging.hpp"
#include "stream/work_log.hpp"

namespace nexus::core {

class Courier;
struct Remains;

/// Whether two ranges are the same bytes of host memory; NULL is none. Throws NXS_MemCopyOverlap
/// where they overlap otherwise.
bool isSameMemory(const unsigned char *one, const unsigned char *other, uint64_t size);

/// Stands in one queue or in one of each device, and holds them back: it begins when all that is
/// ahead there was submitted, and they go on at its end. Meanwhile it works in lanes, queues of
/// libnexus' own, one on each device, so closing a stream ends no copy that has begun.
///
/// Where the host sees the memory of either device, or one device reaches the other's, one copy
/// of one device does it all. Else the bytes go through chunks of host memory: one is read while
/// another is written. No thread waits: plug-ins tell when a step is done, and the Courier takes
/// the next.
class Crossing final : public Counted {
 public:
  /// name: for the error of the work that fails.
  Crossing(Part source, Part destination, WorkName name);

  /// Gives it to one queue, whose order is then all there is on that device; on the other it comes
  /// after all submitted work that uses the buffer. Throws a queue's failure.
  Position enqueue(Queue &queue, Wakes &wakes);
  /// Gives it to two queues, one of each device, after all submitted work that uses the buffers.
  std::array<Position, 2> enqueue(Queue &of_source, Queue &of_destination, Wakes &wakes);

  /// Does what can be done now. On the Courier's thread.
  void moveOn() noexcept;

 private:
  friend class Courier;

  enum class State { Waiting, Begun, Moving, Done, Failed };

  /// A queue that it stands in.
  struct Gate {
    Ref<Queue> queue;
    bool open = false;  // all that is ahead in the queue was submitted
  };
  /// What it does on one device.
  struct End {
    Part part;
    std::vector<Ref<Event>> before{};  // each has the value 1 when work that it follows is done
    Ref<Queue> lane{};                 // none: not begun
    unsigned char *address = nullptr;  // the host's, where it sees the memory
    nxs_id reached = 0;                // the memory as the other device has it, where it reaches it
    bool armed = false;                // the lane has come to it
    bool arrived = false;              // all that is ahead in the lane is done
    nxs_ticket ahead = 0;
    std::optional<nxs_ticket> last{};  // the lane goes on behind this one

    Device &device() const noexcept { return *part.memory->device(); }
  };
  /// The state of a chunk: the step that uses it, in whose lane it is.
  struct Stage {
    std::unique_ptr<Chunk> chunk;
    nxs_ticket ticket = 0;
  };

  ~Crossing() override = default;

  // ---- Order (crossing_order.cpp) ----
  Queue::Work workAt(std::size_t gate);
  Queue::Work workIn(End &end);
  void followUses(End &end, Wakes &wakes);
  std::optional<nxs_ticket> open(std::size_t gate);
  void closed(const Failure &cause);
  std::optional<nxs_ticket> arm(End &end);
  void lost(const Failure &cause);
  // All under mutex_.
  void begin(Wakes &wakes);
  void follow(End &end, Queue &queue, Wakes &wakes);
  void findAddress(End &end, Wakes &wakes);
  void findReach();
  bool hasArrived(End &end);
  void finish(Wakes &wakes, Remains &remains);
  void fail(const Failure &cause, Wakes &wakes, Remains &remains);
  void tellWhenDone(Queue &lane);
  static bool isDone(Queue &lane, nxs_ticket ticket);
  template <typename Step>
  auto locked(Step step);

  // ---- Moving the bytes; all under mutex_ ----
  void advance(Wakes &wakes, Remains &remains);
  void moveAtOnce(Wakes &wakes, Remains &remains);
  void moveInChunks(Wakes &wakes, Remains &remains);
  bool makeStages();
  void writeChunks(Wakes &wakes);
  void readChunks(Wakes &wakes);
  bool isAtOnce() const noexcept;
  nxs_ticket copyBy(End &worker);
  nxs_ticket transfer(End &worker);
  nxs_ticket read(uint64_t offset, void *host, uint64_t size);
  nxs_ticket write(uint64_t offset, const void *host, uint64_t size);
  uint64_t size() const noexcept { return source_.part.range.size; }
  uint64_t chunkSize(uint64_t index) const noexcept;
  Stage &stageOf(uint64_t index) { return stages_[index % stages_.size()]; }

  const WorkName name_;

  std::mutex mutex_;
  State state_ = State::Waiting;  // under mutex_, as all below
  End source_;
  End destination_;
  std::vector<Gate> gates_;
  std::optional<Failure> cause_;
  std::vector<Stage> stages_;  // chunk number i is in stage i modulo their number
  uint64_t read_ = 0;          // how many chunks are read, or being read
  uint64_t writing_ = 0;       // being written, or written
  uint64_t written_ = 0;

  Crossing *next_ = nullptr;  // the Courier's, as below
  bool called_ = false;
};

}  // namespace nexus::core
