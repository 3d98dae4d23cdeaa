// SPDX-License-Identifier: Apache-2.0
// Large copies with pageable memory: threads that copy parts of it to and from page-locked memory,
// while the device copies other parts.
#ifndef NEXUS_CUDA_COPY_WORKERS_HPP_
#define NEXUS_CUDA_COPY_WORKERS_HPP_

#include "device/queue.hpp"

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <nexus-plugin/failure.hpp>
#include <nexus-plugin/shared.hpp>
#include <vector>

namespace nexus_cuda NXS_HIDDEN {

class Device;

// One copy, which the workers share.
struct CopyJob {
  bool to_device = false;
  std::byte *host = nullptr;
  CUdeviceptr device = 0;
  uint64_t size = 0;
  EventPtr after;  // of the device's work ahead of it; may be empty
  // Returns whether what comes before it on the host is done too; may be empty. Asked without a
  // lock.
  std::function<bool()> host_is_done = {};
  // Called by the last worker. An upload's device copies may still run: its events are of those.
  std::function<void(CopyJob &)> finished = {};

  // With the workers' lock:
  uint64_t next = 0;  // bytes that were handed out
  unsigned inside = 0;
  std::vector<EventPtr> events = {};
  nexus_plugin::FailurePtr failure = {};
};
using CopyJobPtr = nexus_plugin::Shared<CopyJob>;

// Where copies that have begun are not to be used, before their memory is freed: waits for them,
// whatever became of them. With the device's context current.
void wait_for_copies(const std::vector<EventPtr> &copied) noexcept;

// The workers of a device. They start with the first job, and run until the process ends.
class CopyWorkers {
 public:
  CopyWorkers(Device &device, EventPool &events) : device_(&device), events_(&events) {}

  // Throws where no worker can be started.
  void begin(CopyJobPtr job);

  // Copies to the device and returns when the host's memory has been read. Whoever uses the copy
  // waits for the events. Throws what the driver says.
  std::vector<EventPtr> upload(CUdeviceptr to, const void *from, uint64_t size);

 private:
  class Worker;
  struct Part {
    uint64_t offset = 0, size = 0;  // a size of 0: there is none left
  };

  void start();
  CopyJobPtr next_job();
  bool may_begin(const CopyJob &job) const noexcept;
  Part next_part(CopyJob &job);
  void leave(const CopyJobPtr &job, EventPtr event, nexus_plugin::FailurePtr failure);

  Device *device_;
  EventPool *events_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<CopyJobPtr> jobs_;
  unsigned workers_ = 0;
};

}  // namespace nexus_cuda

#endif  // NEXUS_CUDA_COPY_WORKERS_HPP_
