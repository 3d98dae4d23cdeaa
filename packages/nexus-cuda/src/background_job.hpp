// SPDX-License-Identifier: Apache-2.0
// Compilers and linkers are functions that can't be ended from outside: each runs on a thread of
// its own, and who waits for it may give up.
#ifndef NEXUS_CUDA_BACKGROUND_JOB_HPP_
#define NEXUS_CUDA_BACKGROUND_JOB_HPP_

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <nexus-plugin/shared.hpp>
#include <thread>

namespace nexus_cuda NXS_HIDDEN {

// Owns all that its work needs, since the work may outlast its caller.
class BackgroundJob {
 public:
  BackgroundJob() = default;
  BackgroundJob(const BackgroundJob &) = delete;
  BackgroundJob &operator=(const BackgroundJob &) = delete;

  // On the job's thread, once.
  void run() noexcept;
  // Waits until the work is done, or until `end`. Returns whether it is done; rethrows its failure.
  bool wait_until(std::chrono::steady_clock::time_point end);
  // Nobody waits any more; work that asks unwanted() ends soon.
  void cancel() noexcept { unwanted_.store(true, std::memory_order_relaxed); }

 protected:
  virtual ~BackgroundJob() = default;
  virtual void work() = 0;
  bool unwanted() const noexcept { return unwanted_.load(std::memory_order_relaxed); }

 private:
  std::atomic<bool> unwanted_{false};
  std::mutex mutex_;
  std::condition_variable changed_;
  bool done_ = false;
  std::exception_ptr failure_;
};

// Waits for a job that was started. Throws Error: NXS_Cancelled (the host's is_interrupted), or
// too_long after timeout seconds; the job then goes on by itself. title: of what works, for these.
void wait_for_job(BackgroundJob &job, const char *title, double timeout, nxs_status too_long);

// Runs a job on a thread of its own and waits as wait_for_job does.
template <class Job>
void run_in_background(const nexus_plugin::Shared<Job> &job, const char *title, double timeout,
                       nxs_status too_long) {
  void (*const run)(nexus_plugin::Shared<Job>) = [](nexus_plugin::Shared<Job> owned) {
    owned->run();
  };
  std::thread(run, job).detach();
  wait_for_job(*job, title, timeout, too_long);
}

}  // namespace nexus_cuda

#endif  // NEXUS_CUDA_BACKGROUND_JOB_HPP_
