// SPDX-License-Identifier: Apache-2.0
// Large copies of pageable memory: threads copy parts between it and page-locked memory, while the
// device copies other parts. Beside the members in queue.hpp, G has
//
//   using Address = ...;  // of memory in the device's address space: an unsigned integer
//   static constexpr unsigned kBlockingEvent = ...;  // for make_event(): waits sleep
//   static Result synchronize(NativeStream stream) noexcept;
//   static Result synchronize(NativeEvent event) noexcept;
//   // Enqueues a copy. Both addresses are the device's, or page-locked memory.
//   static Result copy(Address to, Address from, uint64_t size, NativeStream stream) noexcept;
//   // Page-locked memory, mapped for all devices.
//   static Result allocate_host(void **out, uint64_t size) noexcept;
//   static Result free_host(void *memory) noexcept;
#ifndef NEXUS_PLUGIN_GPU_COPY_WORKERS_HPP_
#define NEXUS_PLUGIN_GPU_COPY_WORKERS_HPP_

#include <nexus-plugin/base/failure.hpp>
#include <nexus-plugin/base/shared.hpp>
#include <nexus-plugin/base/thread.hpp>
#include <nexus-plugin/gpu/queue.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace nexus_plugin NXS_HIDDEN {
namespace gpu {

// Allocates page-locked memory for copies. Throws the driver's error.
template <class G>
std::byte *make_staging(typename G::Device &device, uint64_t size) {
  void *memory = nullptr;
  device.check(G::allocate_host(&memory, size), "making page-locked memory for copies");
  return static_cast<std::byte *>(memory);
}

// A copy, which several workers do.
template <class G>
struct CopyJob {
  bool to_device = false;
  std::byte *host = nullptr;
  typename G::Address device = 0;
  uint64_t size = 0;
  EventPtr<G> after;  // the copy begins after this event; may be empty
  // The copy begins when this returns true; may be empty. Called without a lock.
  std::function<bool()> host_is_done = {};
  // Called by the last worker. The device may still copy parts of an upload, until the events.
  std::function<void(CopyJob &)> finished = {};

  // Guarded by the mutex of CopyWorkers:
  uint64_t next = 0;                     // bytes that workers have taken
  unsigned workers = 0;                  // that copy parts of it now
  std::vector<EventPtr<G>> events = {};  // recorded after the device's copies
  FailurePtr failure = {};
};
template <class G>
using CopyJobPtr = Shared<CopyJob<G>>;

// Waits until the events are done or failed. The device must be current.
template <class G>
void wait_for_copies(const std::vector<EventPtr<G>> &copied) noexcept {
  for (const EventPtr<G> &event : copied) {
    Result result = G::kNotReady;
    while ((result = G::query(event->get())) == G::kNotReady) std::this_thread::yield();
    if (result != kSuccess) (void)G::synchronize(event->get());
  }
}

// The copying threads of a device. They start with the first job and run until the process ends.
template <class G>
class CopyWorkers {
 public:
  using Device = typename G::Device;
  using Use = typename G::Use;
  using Job = CopyJob<G>;
  using JobPtr = CopyJobPtr<G>;

  CopyWorkers(Device &device, EventPool<Queue<G>> &events) : device_(&device), events_(&events) {}

  // Submits a job. Throws if no worker can be started.
  void begin(JobPtr job) {
    const std::lock_guard lock(mutex_);
    try {
      start();
    } catch (const std::exception &) {
      if (workers_ == 0) throw;
    }
    jobs_.push_back(std::move(job));
    changed_.notify_all();
  }

  // Copies to the device. Returns when the host's memory has been read; the copy is complete after
  // the events. Throws the driver's error.
  std::vector<EventPtr<G>> upload(typename G::Address to, const void *from, uint64_t size) {
    std::mutex mutex;
    std::condition_variable changed;
    bool done = false;
    auto job = JobPtr::make();
    job->to_device = true;
    job->host = static_cast<std::byte *>(const_cast<void *>(from));
    job->device = to;
    job->size = size;
    job->finished = [&](Job &) {
      const std::lock_guard lock(mutex);
      done = true;
      changed.notify_one();
    };
    begin(job);
    std::unique_lock lock(mutex);
    while (!done) changed.wait(lock);
    if (job->failure) {
      wait_for_copies<G>(job->events);
      throw Failed(job->failure);
    }
    return std::move(job->events);
  }

 private:
  static constexpr uint64_t kPart = uint64_t{2} << 20;  // bytes
  static constexpr unsigned kMostWorkers = 6;  // a thread copies 10 GB/s, PCI Express 50 GB/s
  // How often to check whether a job may begin.
  static constexpr std::chrono::microseconds kLookForJobs{100};

  struct Part {
    uint64_t offset = 0, size = 0;  // 0 bytes if no part is left
  };

  // A thread with two slots of page-locked memory: while the device copies one, the thread copies
  // the other.
  class Worker {
   public:
    // The device must be current, as for the destructor, which only runs if make_ready() failed.
    explicit Worker(CopyWorkers &owner)
        : owner_(&owner),
          device_(owner.device_),
          own_stream_(*device_),
          stream_(own_stream_.get()) {}
    ~Worker() {
      for (const Slot &slot : slots_) {
        if (slot.copied != nullptr)
          G::errors.log_unreleased(G::destroy(slot.copied), "destroying an event");
      }
      if (memory_ != nullptr) G::errors.log_unreleased(G::free_host(memory_), "freeing memory");
    }
    Worker(const Worker &) = delete;
    Worker &operator=(const Worker &) = delete;

    void make_ready() {
      memory_ = make_staging<G>(*device_, kPart * slots_.size());
      for (std::size_t i = 0; i < slots_.size(); ++i) {
        slots_[i].memory = memory_ + i * kPart;
        device_->check(G::make_event(&slots_[i].copied, G::kBlockingEvent), "making an event");
      }
    }

    static void serve(Worker *given) noexcept {
      const std::unique_ptr<Worker> worker(given);
      while (true) worker->work(worker->owner_->next_job());
    }

   private:
    struct Slot {
      std::byte *memory = nullptr;
      typename G::NativeEvent copied{};  // recorded after the device's copy
    };

    void work(const JobPtr &job) noexcept {
      EventPtr<G> event;
      FailurePtr failure;
      try {
        const Use current(*device_);
        if (job->after) check(G::wait(stream_, job->after->get()));
        job->to_device ? upload(*job) : download(*job);
        event = EventPtr<G>::make(*owner_->events_, false);
        check(G::record(event->get(), stream_));
      } catch (...) {
        failure = current_failure();
        end_copies();
      }
      owner_->leave(job, std::move(event), std::move(failure));
    }

    // Waits for the device's copies, since the caller may free the memory after a failure.
    void end_copies() noexcept {
      try {
        const Use current(*device_);
        (void)G::synchronize(stream_);
      } catch (const std::exception &) {  // the device is lost and copies nothing
      }
    }

    void upload(Job &job) {
      while (true) {
        const Part part = owner_->next_part(job);
        if (part.size == 0) return;
        Slot &slot = slots_[next_slot_++ % slots_.size()];
        check(G::synchronize(slot.copied));
        std::memcpy(slot.memory, job.host + part.offset, part.size);
        check(G::copy(job.device + part.offset, address_of(slot), part.size, stream_));
        check(G::record(slot.copied, stream_));
      }
    }

    void download(Job &job) {
      Part before;  // being copied to a slot
      const Slot *into = nullptr;
      while (true) {
        const Part part = owner_->next_part(job);
        Slot &slot = slots_[next_slot_++ % slots_.size()];
        if (part.size != 0) {
          check(G::copy(address_of(slot), job.device + part.offset, part.size, stream_));
          check(G::record(slot.copied, stream_));
        }
        if (before.size != 0) {
          check(G::synchronize(into->copied));
          std::memcpy(job.host + before.offset, into->memory, before.size);
        }
        if (part.size == 0) return;
        before = part;
        into = &slot;
      }
    }

    static typename G::Address address_of(const Slot &slot) noexcept {
      return reinterpret_cast<typename G::Address>(slot.memory);
    }
    void check(Result result) { device_->check(result, "copying with the host"); }

    CopyWorkers *owner_;
    Device *device_;
    const OwnedStream<G> own_stream_;
    const typename G::NativeStream stream_;
    std::byte *memory_ = nullptr;  // of both slots
    std::array<Slot, 2> slots_;
    std::size_t next_slot_ = 0;
  };

  // Starts the workers that do not run yet. The mutex must be held.
  void start() {
    const unsigned wanted = std::clamp(std::thread::hardware_concurrency() / 2, 1U, kMostWorkers);
    const Use current(*device_);
    while (workers_ < wanted) {
      auto worker = std::make_unique<Worker>(*this);
      worker->make_ready();
      start_thread(&Worker::serve, worker.get()).detach();
      static_cast<void>(worker.release());
      ++workers_;
    }
  }

  // Waits for a job that may begin, and returns it.
  JobPtr next_job() {
    std::unique_lock lock(mutex_);
    while (true) {
      while (jobs_.empty()) changed_.wait(lock);
      const std::vector<JobPtr> waiting(jobs_.begin(), jobs_.end());
      lock.unlock();
      const auto found = std::find_if(waiting.begin(), waiting.end(),
                                      [&](const JobPtr &job) { return may_begin(*job); });
      lock.lock();
      if (found == waiting.end()) {
        changed_.wait_for(lock, kLookForJobs);
      } else if ((*found)->next != (*found)->size) {  // else others have taken all parts meanwhile
        ++(*found)->workers;
        return *found;
      }
    }
  }

  bool may_begin(const Job &job) const noexcept {
    try {
      const Use current(*device_);
      if (job.after && G::query(job.after->get()) == G::kNotReady) return false;
    } catch (const std::exception &) {
      return true;  // the job fails for the same reason
    }
    return !job.host_is_done || job.host_is_done();
  }

  Part next_part(Job &job) {
    const std::lock_guard lock(mutex_);
    const Part part{job.next, std::min(kPart, job.size - job.next)};
    job.next += part.size;
    if (job.next == job.size) {
      std::erase_if(jobs_, [&](const JobPtr &each) { return each.get() == &job; });
    }
    return part;
  }

  void leave(const JobPtr &job, EventPtr<G> event, FailurePtr failure) {
    {
      const std::lock_guard lock(mutex_);
      if (event) job->events.push_back(std::move(event));
      if (failure) {
        job->failure = std::move(failure);
        job->next = job->size;
        std::erase_if(jobs_, [&](const JobPtr &each) { return each.get() == job.get(); });
      }
      if (--job->workers != 0 || job->next != job->size) return;
    }
    job->finished(*job);
    changed_.notify_all();  // another job may wait for this one
  }

  Device *device_;
  EventPool<Queue<G>> *events_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<JobPtr> jobs_;
  unsigned workers_ = 0;
};

}  // namespace gpu
}  // namespace nexus_plugin

#endif  // NEXUS_PLUGIN_GPU_COPY_WORKERS_HPP_
