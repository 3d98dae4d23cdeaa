// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_SIMULATED_CUDA_EVENT_HPP_
#define NEXUS_SIMULATED_CUDA_EVENT_HPP_

#include "shared_record.hpp"
#include "stream.hpp"

#include <chrono>
#include <memory>

namespace simulated_cuda {

// Under the world's lock.
class Event {
 public:
  Event(Context &context, unsigned flags) : context_(&context), flags_(flags) {}

  Context *context() const { return context_; }
  unsigned flags() const { return flags_; }

  // In a stream: replaces what was recorded before.
  void record(Stream &stream);
  // As part of other work, such as a graph, which runs now. For the thread that runs it.
  static void record_now(const std::shared_ptr<Event> &event);

  // Whether what was recorded is done; true where nothing was.
  bool done() const;
  void wait(Lock &lock) const;
  // Why the work that it was recorded behind failed.
  CUresult failure() const;
  // What a stream that waits for it does: nothing, later.
  Work wait_on_device() const;

  // Milliseconds from start to end, or throws.
  static float between(const Event &start, const Event &end);

  // With other processes.
  std::shared_ptr<SharedRecord> shared;

 private:
  using Clock = std::chrono::steady_clock;

  struct Record {
    Point point;
    Context *context;
    bool done = false;
    Clock::time_point time;
  };

  Context *context_;
  unsigned flags_;
  std::shared_ptr<Record> record_;  // empty: never recorded
};

// Notes on this thread that a function of the caller's runs, which may not call the driver.
void run_on_host(const std::function<void()> &function);
bool on_host_function();

}  // namespace simulated_cuda

#endif  // NEXUS_SIMULATED_CUDA_EVENT_HPP_
