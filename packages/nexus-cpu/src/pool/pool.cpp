// SPDX-License-Identifier: Apache-2.0
#include "pool/pool.hpp"

#include "system/setting.hpp"
#include "system/system_tree.hpp"
#include "system/usage.hpp"

#include <pthread.h>
#include <sched.h>
#include <algorithm>
#include <bit>
#include <new>
#include <nexus-plugin/base/error.hpp>
#include <nexus-plugin/base/thread.hpp>
#include <numeric>
#include <system_error>

namespace nexus_cpu NXS_HIDDEN {

using namespace nexus_plugin;

namespace {

// How long an idle thread spins. Longer than waking a thread takes, so that the next of closely
// spaced launches finds the threads awake.
constexpr uint64_t kSpinNanoseconds = 100'000;
// How long a helping caller spins until the threads that took the last units are done.
constexpr uint64_t kHelperSpinNanoseconds = 20'000;

// Never destroyed: the threads run until the process exits.
std::atomic<Pool *> current{nullptr};
thread_local unsigned this_worker = 0;
alignas(std::mutex) unsigned char start_mutex_storage[sizeof(std::mutex)];

std::mutex &start_mutex() {
  static std::mutex *mutex = ::new (start_mutex_storage) std::mutex;
  return *mutex;
}

void pause() noexcept {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

struct PoolSettings {
  unsigned threads;
  // The processors to which threads are bound, in turns; empty: threads are not bound.
  std::vector<unsigned> pinned;
};

#if defined(__linux__)
// Larger than cpu_set_t, which ends at 1024 processors.
constexpr std::size_t kSets = 16;
constexpr std::size_t kMostProcessors = kSets * CPU_SETSIZE;
#endif

PoolSettings read_pool_settings() {
  constexpr unsigned kMostThreads = 1024;
  std::vector<unsigned> processors = usable_processors();
  unsigned threads = std::min(static_cast<unsigned>(processors.size()), kMostThreads);
  if (const auto set = number_setting("threads", 1, kMostThreads, "a number from 1 to 1024")) {
    threads = static_cast<unsigned>(*set);
  } else if (const unsigned limit = container_limit(SystemTree())) {
    threads = std::min(threads, limit);
  }
  if (number_setting("pin", 0, 1, "0 or 1").value_or(0) == 0) return {threads, {}};
  // One thread of each core before the others. The lists of siblings are in ascending order.
  std::stable_partition(processors.begin(), processors.end(), [](unsigned processor) {
    const auto siblings =
        SystemTree().list(processor_file(processor, "/topology/thread_siblings_list"));
    return siblings.empty() || siblings.front() >= processor;
  });
  return {threads, std::move(processors)};
}

// Read once, since prepared runs depend on the number of threads.
const PoolSettings &settings() {
  static const PoolSettings read = read_pool_settings();
  return read;
}

// Returns false if the system can't bind threads or refuses.
bool pin_to(std::thread &thread, unsigned processor) noexcept {
#if defined(__linux__)
  if (processor >= kMostProcessors) return false;
  cpu_set_t sets[kSets];
  CPU_ZERO_S(sizeof(sets), sets);
  CPU_SET_S(processor, sizeof(sets), sets);
  return pthread_setaffinity_np(thread.native_handle(), sizeof(sets), sets) == 0;
#else
  (void)thread, (void)processor;
  return false;
#endif
}

}  // namespace

std::vector<unsigned> usable_processors() {
  std::vector<unsigned> usable;
#if defined(__linux__)
  cpu_set_t sets[kSets];
  if (sched_getaffinity(0, sizeof(sets), sets) == 0) {
    for (unsigned i = 0; i < kMostProcessors; ++i) {
      if (CPU_ISSET_S(i, sizeof(sets), sets)) usable.push_back(i);
    }
  }
#endif
  if (usable.empty()) {
    usable.resize(std::max(1U, std::thread::hardware_concurrency()));
    std::iota(usable.begin(), usable.end(), 0U);
  }
  return usable;
}

unsigned Pool::configured_size() {
  return settings().threads;
}

Pool &Pool::get() {
  if (Pool *pool = current.load(std::memory_order_acquire)) return *pool;
  const std::lock_guard lock(start_mutex());
  if (Pool *pool = current.load(std::memory_order_acquire)) return *pool;
  static const int at_fork = pthread_atfork(nullptr, nullptr, forget_after_fork);
  (void)at_fork;
  std::unique_ptr<Pool> made(new Pool(configured_size()));
  made->start();
  current.store(made.get(), std::memory_order_release);
  return *made.release();
}

// Makes the child of a fork() start a new pool: it has no threads of the old one, and locks may be
// held.
void Pool::forget_after_fork() noexcept {
  current.store(nullptr, std::memory_order_release);
  ::new (start_mutex_storage) std::mutex;
}

Pool::Pool(unsigned size) : size_(size) {
  for (Slot &slot : slots_) slot.blocks = std::make_unique<Block[]>(size);
}

void Pool::start() {
  for (unsigned worker = 0; worker < size_; ++worker) {
    try {
      std::thread thread = start_thread([this, worker] { serve(worker); });
      pin(thread, worker);
      thread.detach();
    } catch (const std::system_error &error) {
      if (worker == 0) {
        throw Error(NXS_OutOfResources, "no thread can be started (", error.what(),
                    "); raise the limit of processes, or set NEXUS_CPU_THREADS lower");
      }
      // All units are still done, since each thread takes units from all blocks.
      log(NXS_LogLevel_Warning, "only ", worker, " of ", size_,
          " threads can be started: ", error.what());
      return;
    }
  }
}

void Pool::submit(Job &job) noexcept {
  const unsigned index = take_slot(job);
  if (index != kNoSlot) open(index, job, 0);
}

bool Pool::submit_and_help(Job &job) noexcept {
  const unsigned index = take_slot(job);
  if (index == kNoSlot) return false;
  Slot &slot = slots_[index];
  open(index, job, 1);
  take_units(slot, size_);
  close(slot, index);
  // The units that others took end soon, mostly before this thread would have slept and woken.
  const uint64_t until = now_ns() + kHelperSpinNanoseconds;
  while ((slot.state.load(std::memory_order_acquire) & kInside) != 1 && now_ns() < until) pause();
  return leave(slot, index);
}

// Returns kNoSlot and queues the job if no slot is free. The thread that frees a slot then starts
// the job.
unsigned Pool::take_slot(Job &job) noexcept {
  const std::lock_guard lock(slot_mutex_);
  if (free_slots_ == 0) {
    job.next = nullptr;
    (overflow_first_ == nullptr ? overflow_first_ : overflow_last_->next) = &job;
    overflow_last_ = &job;
    return kNoSlot;
  }
  const auto index = static_cast<unsigned>(std::countr_zero(free_slots_));
  free_slots_ &= free_slots_ - 1;
  return index;
}

// helpers: the number of threads that are inside already.
void Pool::open(unsigned index, Job &job, unsigned helpers) noexcept {
  Slot &slot = slots_[index];
  const uint64_t parts = (job.units + job.grain - 1) / job.grain;
  const auto count = static_cast<unsigned>(std::min<uint64_t>(std::min(size_, job.threads), parts));
  slot.job = &job;
  slot.block_count = count;
  // Blocks of whole grains, except for the end of the last block.
  for (unsigned b = 0; b < count; ++b) {
    slot.blocks[b].next.store(parts * b / count * job.grain, std::memory_order_relaxed);
    slot.blocks[b].end = std::min(parts * (b + 1) / count * job.grain, job.units);
  }
  // Sets the bit first, since a thread that enters may at once find all units taken and clear it.
  if (count > helpers) open_.fetch_or(uint32_t{1} << index, std::memory_order_seq_cst);
  slot.state.store(kOpen | uint64_t{count} << kMostShift | helpers, std::memory_order_release);
  if (count > helpers) wake(count - helpers);
}

void Pool::wake(unsigned count) noexcept {
  const uint32_t sleepers = sleepers_.load(std::memory_order_seq_cst);
  const uint32_t seekers = seekers_.load(std::memory_order_relaxed);
  if (sleepers == 0 || seekers >= count) return;
  count -= seekers;
  // Taking the mutex once lets a thread that is about to sleep do so before it is notified.
  {
    const std::lock_guard lock(sleep_mutex_);
  }
  if (count >= sleepers) {
    work_came_.notify_all();
  } else {
    for (unsigned i = 0; i < count; ++i) work_came_.notify_one();
  }
}

unsigned Pool::current_worker() noexcept {
  return this_worker;
}

void Pool::pin(std::thread &thread, unsigned worker) noexcept {
  const std::vector<unsigned> &processors = settings().pinned;
  if (processors.empty()) return;
  const unsigned processor = processors[worker % processors.size()];
  if (pin_to(thread, processor)) return;
  log(NXS_LogLevel_Warning, "thread ", worker, " can't be bound to processor ", processor,
      "; the system chooses its processor");
}

void Pool::serve(unsigned worker) noexcept {
  this_worker = worker;
  for (;;) {
    if (!work_once(worker)) wait_for_work();
  }
}

// Returns whether this thread entered a job.
bool Pool::work_once(unsigned worker) noexcept {
  uint32_t open = open_.load(std::memory_order_acquire);
  // Threads start at different slots, so that they spread over the streams.
  open = std::rotr(open, static_cast<int>(worker % kSlots));
  bool worked = false;
  for (; open != 0; open &= open - 1) {
    const unsigned index =
        (static_cast<unsigned>(std::countr_zero(open)) + worker % kSlots) % kSlots;
    Slot &slot = slots_[index];
    if (!enter(slot, index)) continue;
    // Threads that opened other slots may have counted on this one as awake.
    if (open_.load(std::memory_order_seq_cst) != 0) wake(1);
    work(slot, index, worker);
    worked = true;
  }
  return worked;
}

bool Pool::enter(Slot &slot, unsigned index) noexcept {
  uint64_t state = slot.state.load(std::memory_order_relaxed);
  while ((state & kOpen) != 0) {
    const uint64_t inside = (state & kInside) + 1;
    const uint64_t most = (state & ~kOpen) >> kMostShift;
    if (inside > most) return false;
    if (slot.state.compare_exchange_weak(state, state + 1, std::memory_order_acquire,
                                         std::memory_order_relaxed)) {
      // The slot is full, so it is no longer offered. It stays this job's while this thread is
      // inside.
      if (inside == most) open_.fetch_and(~(uint32_t{1} << index), std::memory_order_relaxed);
      return true;
    }
  }
  return false;
}

void Pool::work(Slot &slot, unsigned index, unsigned worker) noexcept {
  Job &job = *slot.job;
  take_units(slot, worker);
  close(slot, index);
  if (leave(slot, index)) job.done(job);
}

void Pool::take_units(Slot &slot, unsigned worker) noexcept {
  Job &job = *slot.job;
  const uint64_t start = job.measure ? now_ns() : 0;
  for (unsigned i = 0; i < slot.block_count; ++i) {
    Block &block = slot.blocks[(worker + i) % slot.block_count];
    // Loads first, so that threads that find nothing do not take the cache line from its owner.
    while (block.next.load(std::memory_order_relaxed) < block.end) {
      const uint64_t begin = block.next.fetch_add(job.grain, std::memory_order_relaxed);
      if (begin >= block.end) break;
      job.run(job, begin, std::min(begin + job.grain, block.end), worker);
    }
  }
  if (job.measure) job.busy_ns.fetch_add(now_ns() - start, std::memory_order_relaxed);
}

// Called when all units are taken: lets no more threads in.
void Pool::close(Slot &slot, unsigned index) noexcept {
  if ((slot.state.load(std::memory_order_relaxed) & kOpen) == 0) return;
  const uint64_t before = slot.state.fetch_and(~kOpen, std::memory_order_relaxed);
  if ((before & kOpen) != 0) {
    open_.fetch_and(~(uint32_t{1} << index), std::memory_order_relaxed);
  }
}

// Leaves a closed slot. Returns whether this was the last thread, so that the job is over.
bool Pool::leave(Slot &slot, unsigned index) noexcept {
  if ((slot.state.fetch_sub(1, std::memory_order_acq_rel) & kInside) != 1) return false;
  Job *waiting = nullptr;
  {
    const std::lock_guard lock(slot_mutex_);
    waiting = overflow_first_;
    if (waiting != nullptr) {
      overflow_first_ = waiting->next;
    } else {
      free_slots_ |= uint32_t{1} << index;
    }
  }
  if (waiting != nullptr) open(index, *waiting, 0);
  return true;
}

void Pool::wait_for_work() noexcept {
  const uint64_t until = now_ns() + kSpinNanoseconds;
  seekers_.fetch_add(1, std::memory_order_relaxed);
  do {
    for (int i = 0; i < 64; ++i) {
      if (open_.load(std::memory_order_relaxed) != 0) {
        seekers_.fetch_sub(1, std::memory_order_relaxed);
        return;
      }
      pause();
    }
    std::this_thread::yield();  // lets the thread run that waited for the work
  } while (now_ns() < until);
  seekers_.fetch_sub(1, std::memory_order_relaxed);
  std::unique_lock lock(sleep_mutex_);
  sleepers_.fetch_add(1, std::memory_order_seq_cst);
  work_came_.wait(lock, [&] { return open_.load(std::memory_order_seq_cst) != 0; });
  sleepers_.fetch_sub(1, std::memory_order_relaxed);
}

}  // namespace nexus_cpu
