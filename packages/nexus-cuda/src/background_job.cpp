// SPDX-License-Identifier: Apache-2.0
#include "background_job.hpp"

#include <nexus-plugin/error.hpp>
#include <nexus-plugin/host.hpp>

namespace nexus_cuda NXS_HIDDEN {

using nexus_plugin::Error;

void BackgroundJob::run() noexcept {
  std::exception_ptr failure;
  try {
    work();
  } catch (...) {
    failure = std::current_exception();
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  failure_ = failure;
  done_ = true;
  changed_.notify_all();
}

bool BackgroundJob::wait_until(std::chrono::steady_clock::time_point end) {
  std::unique_lock<std::mutex> lock(mutex_);
  while (!done_ && changed_.wait_until(lock, end) == std::cv_status::no_timeout) {
  }
  if (failure_) std::rethrow_exception(failure_);
  return done_;
}

void wait_for_job(BackgroundJob &job, const char *title, double timeout, nxs_status too_long) {
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds kPause{20};
  const auto end = Clock::now() + std::chrono::duration<double>(timeout);
  const auto next_check = [end]() -> Clock::time_point {
    const auto pause_ends = Clock::now() + kPause;
    return pause_ends < end ? pause_ends : std::chrono::time_point_cast<Clock::duration>(end);
  };
  while (!job.wait_until(next_check())) {
    if (nexus_plugin::is_interrupted()) {
      job.cancel();
      throw Error(NXS_Cancelled, title, " was interrupted");
    }
    if (Clock::now() >= end) {
      job.cancel();
      throw Error(too_long, title, " did not end within ", timeout,
                  " s; set NEXUS_CUDA_COMPILE_TIMEOUT to more seconds where it needs them");
    }
  }
}

}  // namespace nexus_cuda
