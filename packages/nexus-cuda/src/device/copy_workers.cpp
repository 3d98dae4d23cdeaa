// SPDX-License-Identifier: Apache-2.0
#include "device/device_state.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <memory>
#include <nexus-plugin/base/thread.hpp>
#include <thread>
#include <utility>

namespace nexus_cuda NXS_HIDDEN {
namespace {

constexpr uint64_t kPart = uint64_t{2} << 20;  // bytes
constexpr unsigned kMostWorkers = 6;           // a thread copies 10 GB/s, PCI Express 50 GB/s
constexpr std::chrono::microseconds kLookForJobs{100};  // how often to check if a job may begin

}  // namespace

void wait_for_copies(const std::vector<EventPtr> &copied) noexcept {
  for (const EventPtr &event : copied) {
    CUresult result = CUDA_ERROR_NOT_READY;
    while ((result = cu.EventQuery(event->get())) == CUDA_ERROR_NOT_READY) {
      std::this_thread::yield();
    }
    if (result != CUDA_SUCCESS) (void)cu.EventSynchronize(event->get());
  }
}

// A thread with two slots of page-locked memory: while the device copies one, the thread copies the
// other.
class CopyWorkers::Worker {
 public:
  // The device's context must be current, as for the destructor, which only runs if make_ready()
  // failed.
  explicit Worker(CopyWorkers &owner)
      : owner_(&owner), device_(owner.device_), own_stream_(*device_), stream_(own_stream_.get()) {}
  ~Worker() {
    for (const Slot &slot : slots_) {
      if (slot.copied != nullptr)
        log_unreleased(cu.EventDestroy(slot.copied), "destroying an event");
    }
    if (memory_ != nullptr) log_unreleased(cu.MemFreeHost(memory_), kFreeingMemory);
  }
  Worker(const Worker &) = delete;
  Worker &operator=(const Worker &) = delete;

  void make_ready() {
    memory_ = allocate_staging(device_, kPart * slots_.size());
    for (std::size_t i = 0; i < slots_.size(); ++i) {
      slots_[i].memory = memory_ + i * kPart;
      device_->check(
          cu.EventCreate(&slots_[i].copied, CU_EVENT_DISABLE_TIMING | CU_EVENT_BLOCKING_SYNC),
          "making an event");
    }
  }

  static void serve(Worker *given) noexcept {
    const std::unique_ptr<Worker> worker(given);
    while (true) worker->work(worker->owner_->next_job());
  }

 private:
  struct Slot {
    std::byte *memory = nullptr;
    CUevent copied = nullptr;  // recorded after the device's copy
  };

  void work(const CopyJobPtr &job) noexcept {
    EventPtr event;
    FailurePtr failure;
    try {
      const CurrentContext current(*device_);
      if (job->after) {
        check(cu.StreamWaitEvent(stream_, job->after->get(), 0));
      }
      job->to_device ? upload(*job) : download(*job);
      event = EventPtr::make(*owner_->events_, false);
      check(cu.EventRecord(event->get(), stream_));
    } catch (...) {
      failure = nexus_plugin::current_failure();
      end_copies();
    }
    owner_->leave(job, std::move(event), std::move(failure));
  }

  // Waits for the device's copies, since the caller may free the memory after a failure.
  void end_copies() noexcept {
    try {
      const CurrentContext current(*device_);
      (void)cu.StreamSynchronize(stream_);
    } catch (const std::exception &) {  // the device is lost and copies nothing
    }
  }

  void upload(CopyJob &job) {
    while (true) {
      const Part part = owner_->next_part(job);
      if (part.size == 0) return;
      Slot &slot = slots_[next_slot_++ % slots_.size()];
      check(cu.EventSynchronize(slot.copied));
      std::memcpy(slot.memory, job.host + part.offset, part.size);
      check(cu.MemcpyAsync(job.device + part.offset, address_of(slot), part.size, stream_));
      check(cu.EventRecord(slot.copied, stream_));
    }
  }

  void download(CopyJob &job) {
    Part before;  // being copied to a slot
    const Slot *into = nullptr;
    while (true) {
      const Part part = owner_->next_part(job);
      Slot &slot = slots_[next_slot_++ % slots_.size()];
      if (part.size != 0) {
        check(cu.MemcpyAsync(address_of(slot), job.device + part.offset, part.size, stream_));
        check(cu.EventRecord(slot.copied, stream_));
      }
      if (before.size != 0) {
        check(cu.EventSynchronize(into->copied));
        std::memcpy(job.host + before.offset, into->memory, before.size);
      }
      if (part.size == 0) return;
      before = part;
      into = &slot;
    }
  }

  static CUdeviceptr address_of(const Slot &slot) noexcept {
    return reinterpret_cast<CUdeviceptr>(slot.memory);
  }
  void check(CUresult result) { device_->check(result, "copying with the host"); }

  CopyWorkers *owner_;
  Device *device_;
  const OwnedStream own_stream_;
  const CUstream stream_;
  std::byte *memory_ = nullptr;  // of both slots
  std::array<Slot, 2> slots_;
  std::size_t next_slot_ = 0;
};

// Starts the workers that do not run yet. The mutex must be held.
void CopyWorkers::start() {
  const unsigned wanted = std::clamp(std::thread::hardware_concurrency() / 2, 1U, kMostWorkers);
  const CurrentContext current(*device_);
  while (workers_ < wanted) {
    auto worker = std::make_unique<Worker>(*this);
    worker->make_ready();
    nexus_plugin::start_thread(&Worker::serve, worker.get()).detach();
    static_cast<void>(worker.release());
    ++workers_;
  }
}

void CopyWorkers::begin(CopyJobPtr job) {
  const std::lock_guard lock(mutex_);
  try {
    start();
  } catch (const std::exception &) {
    if (workers_ == 0) throw;
  }
  jobs_.push_back(std::move(job));
  changed_.notify_all();
}

// Waits for a job that may begin, and returns it.
CopyJobPtr CopyWorkers::next_job() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return !jobs_.empty(); });
    const std::vector<CopyJobPtr> waiting(jobs_.begin(), jobs_.end());
    lock.unlock();
    const auto found = std::find_if(waiting.begin(), waiting.end(),
                                    [&](const CopyJobPtr &job) { return may_begin(*job); });
    lock.lock();
    if (found == waiting.end()) {
      changed_.wait_for(lock, kLookForJobs);
    } else if ((*found)->next != (*found)->size) {  // else others have taken all parts meanwhile
      ++(*found)->workers;
      return *found;
    }
  }
}

bool CopyWorkers::may_begin(const CopyJob &job) const noexcept {
  try {
    const CurrentContext current(*device_);
    if (job.after && cu.EventQuery(job.after->get()) == CUDA_ERROR_NOT_READY) return false;
  } catch (const std::exception &) {
    return true;  // the job fails for the same reason
  }
  return !job.host_is_done || job.host_is_done();
}

CopyWorkers::Part CopyWorkers::next_part(CopyJob &job) {
  const std::lock_guard lock(mutex_);
  const Part part{job.next, std::min(kPart, job.size - job.next)};
  job.next += part.size;
  if (job.next == job.size) {
    std::erase_if(jobs_, [&](const CopyJobPtr &each) { return each.get() == &job; });
  }
  return part;
}

void CopyWorkers::leave(const CopyJobPtr &job, EventPtr event, FailurePtr failure) {
  {
    const std::lock_guard lock(mutex_);
    if (event) job->events.push_back(std::move(event));
    if (failure) {
      job->failure = std::move(failure);
      job->next = job->size;
      std::erase_if(jobs_, [&](const CopyJobPtr &each) { return each.get() == job.get(); });
    }
    if (--job->workers != 0 || job->next != job->size) return;
  }
  job->finished(*job);
  changed_.notify_all();  // another job may wait for this one
}

std::vector<EventPtr> CopyWorkers::upload(CUdeviceptr to, const void *from, uint64_t size) {
  std::mutex mutex;
  std::condition_variable changed;
  bool done = false;
  auto job = CopyJobPtr::make();
  job->to_device = true;
  job->host = static_cast<std::byte *>(const_cast<void *>(from));
  job->device = to;
  job->size = size;
  job->finished = [&](CopyJob &) {
    const std::lock_guard lock(mutex);
    done = true;
    changed.notify_one();
  };
  begin(job);
  std::unique_lock lock(mutex);
  while (!done) changed.wait(lock);
  if (job->failure) {
    wait_for_copies(job->events);
    throw nexus_plugin::Failed(job->failure);
  }
  return std::move(job->events);
}

}  // namespace nexus_cuda
