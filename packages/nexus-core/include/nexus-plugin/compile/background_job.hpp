// SPDX-License-Identifier: Apache-2.0
// Compilers and linkers that are functions of a library. A function can't be stopped from outside,
// so each call runs on a thread of its own, and its caller may stop waiting for it.
#ifndef NEXUS_PLUGIN_BACKGROUND_JOB_HPP_
#define NEXUS_PLUGIN_BACKGROUND_JOB_HPP_

#include <nexus-plugin/base/error.hpp>
#include <nexus-plugin/base/host.hpp>
#include <nexus-plugin/base/shared.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <string_view>
#include <thread>
#include <utility>

namespace nexus_plugin NXS_HIDDEN {

// A call that runs on a thread of its own. Owns all data that work() uses, since that may outlive
// the caller.
class BackgroundJob {
 public:
  using Clock = std::chrono::steady_clock;

  BackgroundJob() = default;
  BackgroundJob(const BackgroundJob &) = delete;
  BackgroundJob &operator=(const BackgroundJob &) = delete;

  // Called once, on the job's thread.
  void run() noexcept {
    std::exception_ptr failure;
    try {
      work();
    } catch (...) {
      failure = std::current_exception();
    }
    const std::lock_guard<std::mutex> lock(mutex_);
    failure_ = std::move(failure);
    done_ = true;
    changed_.notify_all();
  }

  // Waits until the work is done, at most until `end`. Returns whether it is done; rethrows what
  // work() threw.
  bool wait_until(Clock::time_point end) {
    std::unique_lock<std::mutex> lock(mutex_);
    while (!done_ && changed_.wait_until(lock, end) == std::cv_status::no_timeout) {
    }
    // Not a copy: the job's thread would free the exception while the caller still reads it, in an
    // order that ThreadSanitizer can't see in libstdc++.
    if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
    return done_;
  }

  // Tells the work, which may check unwanted(), that nobody waits for it any more.
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

// How long the caller waits for a job.
struct JobLimits {
  std::string_view title;     // the compiler or linker, for errors
  double timeout;             // seconds
  std::string_view variable;  // sets the timeout, for errors
  nxs_status too_long = NXS_CompilerNotAvailable;
};

// Waits until a started job is done. Throws what the job threw, NXS_Cancelled if is_interrupted(),
// or limits.too_long after the timeout. After the last two the job goes on by itself.
inline void wait_for_job(BackgroundJob &job, const JobLimits &limits) {
  using Clock = BackgroundJob::Clock;
  constexpr std::chrono::milliseconds kPause{20};
  const auto end = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                      std::chrono::duration<double>(limits.timeout));
  while (!job.wait_until(std::min(Clock::now() + kPause, end))) {
    if (is_interrupted()) {
      job.cancel();
      throw Error(NXS_Cancelled, limits.title, " was interrupted");
    }
    if (Clock::now() >= end) {
      job.cancel();
      throw Error(limits.too_long, limits.title, " did not end within ", limits.timeout, " s; set ",
                  limits.variable, " to more seconds to wait longer");
    }
  }
}

// Runs a job on a thread of its own and waits as wait_for_job does.
template <class Job>
void run_in_background(const Shared<Job> &job, const JobLimits &limits) {
  void (*const run)(Shared<Job>) = [](Shared<Job> owned) { owned->run(); };
  std::thread(run, job).detach();
  wait_for_job(*job, limits);
}

}  // namespace nexus_plugin

#endif  // NEXUS_PLUGIN_BACKGROUND_JOB_HPP_
