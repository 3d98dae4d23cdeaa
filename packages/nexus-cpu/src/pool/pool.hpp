// SPDX-License-Identifier: Apache-2.0
//
// The threads that run kernels: one pool per process, started at first use.
//
// A job is a number of units, cut into one contiguous block per thread. A thread takes parts of its
// own block, then helps with the others. So the same thread sees the same addresses in each launch
// of memory-bound work, and uneven work is still balanced.
//
// Nothing is allocated after the start. No thread waits for a job inside the pool: the thread that
// did the last unit calls the job's continuation.
#ifndef NEXUS_CPU_POOL_HPP_
#define NEXUS_CPU_POOL_HPP_

#include <nexus-api/nxs.h>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace nexus_cpu NXS_HIDDEN {

// Returns the nanoseconds of the clock that never goes back.
inline uint64_t now_ns() noexcept {
  return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                   std::chrono::steady_clock::now().time_since_epoch())
                                   .count());
}

// Work for the pool. The owner keeps it in place from submit() until done is called; after that the
// pool does not touch it.
struct Job {
  // Runs the units in [begin, end). worker is below Pool::size(), or equal to it for a helping
  // caller.
  void (*run)(Job &job, uint64_t begin, uint64_t end, unsigned worker) noexcept = nullptr;
  // Called once, by the thread that finishes last.
  void (*done)(Job &job) noexcept = nullptr;
  uint64_t units = 0;
  uint64_t grain = 1;      // units taken at once
  unsigned threads = ~0U;  // the most threads that work on it
  bool measure = false;
  std::atomic<uint64_t> busy_ns{0};  // if measure: the total time of all threads
  Job *next = nullptr;               // used by the pool while no slot is free
};

// Returns the numbers of the processors that the system lets this process run on; never empty.
// Where the system does not report, 0 and up.
std::vector<unsigned> usable_processors();

class Pool {
 public:
  // Starts the pool if this process has none yet. Throws Error(NXS_OutOfResources) if not one
  // thread can be started.
  static Pool &get();

  // The number of threads that get() starts: the setting cpu.threads (NEXUS_CPU_THREADS), else the
  // number of usable processors, or fewer if the process's container gets less processor time.
  static unsigned configured_size();

  // The calling pool thread's number.
  static unsigned current_worker() noexcept;

  unsigned size() const noexcept { return size_; }

  // Submits a job without waiting. Thread-safe.
  void submit(Job &job) noexcept;

  // Submits a job for a caller outside the pool that would only wait for it, and lets the caller
  // take units too, as worker size(). Returns true if the caller left the job last: then it is
  // over, and done is not called.
  bool submit_and_help(Job &job) noexcept;

 private:
  struct alignas(64) Block {
    std::atomic<uint64_t> next{0};
    uint64_t end = 0;
  };

  // A job in progress. state has kOpen while there may be units to take, the most threads that may
  // be inside, and the number of those that are. A slot that is closed and empty is free.
  struct alignas(64) Slot {
    std::atomic<uint64_t> state{0};
    Job *job = nullptr;
    unsigned block_count = 0;
    std::unique_ptr<Block[]> blocks;
  };

  static constexpr unsigned kSlots = 32;
  static constexpr unsigned kNoSlot = kSlots;
  static constexpr uint64_t kOpen = uint64_t{1} << 63;
  static constexpr unsigned kMostShift = 32;
  static constexpr uint64_t kInside = (uint64_t{1} << kMostShift) - 1;

  explicit Pool(unsigned size);
  static void forget_after_fork() noexcept;

  void start();
  static void pin(std::thread &thread, unsigned worker) noexcept;
  void serve(unsigned worker) noexcept;
  bool work_once(unsigned worker) noexcept;
  void wait_for_work() noexcept;
  unsigned take_slot(Job &job) noexcept;
  void open(unsigned index, Job &job, unsigned helpers) noexcept;
  void work(Slot &slot, unsigned index, unsigned worker) noexcept;
  void close(Slot &slot, unsigned index) noexcept;
  bool leave(Slot &slot, unsigned index) noexcept;
  void wake(unsigned count) noexcept;
  bool enter(Slot &slot, unsigned index) noexcept;
  static void take_units(Slot &slot, unsigned worker) noexcept;

  unsigned size_;
  Slot slots_[kSlots];
  alignas(64) std::atomic<uint32_t> open_{0};  // one bit for each slot that may have units
  alignas(64) std::atomic<uint32_t> sleepers_{0};
  std::atomic<uint32_t> seekers_{0};  // threads that are awake without work
  std::mutex sleep_mutex_;
  std::condition_variable work_came_;
  std::mutex slot_mutex_;  // guards the next three
  uint32_t free_slots_ = ~uint32_t{0};
  Job *overflow_first_ = nullptr;
  Job *overflow_last_ = nullptr;
};

}  // namespace nexus_cpu

#endif  // NEXUS_CPU_POOL_HPP_
