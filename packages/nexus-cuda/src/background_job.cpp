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

bool BackgroundJob::wait(std::chrono::milliseconds time) {
  std::unique_lock<std::mutex> lock(mutex_);
  const auto end = std::chrono::steady_clock::now() + time;
  while (!done_ && changed_.wait_until(lock, end) == std::cv_status::no_timeout) {
  }
  if (failure_) std::rethrow_exception(failure_);
  return done_;
}

void wait_for_job(BackgroundJob &job, const char *title, double timeout, nxs_status too_long) {
  constexpr std::chrono::milliseconds kPause{20};
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(timeout);
  while (!job.wait(kPause)) {
    if (nexus_plugin::is_interrupted()) {
      job.cancel();
      throw Error(NXS_Cancelled, title, " was interrupted");
    }
    if (std::chrono::steady_clock::now() > end) {
      job.cancel();
      throw Error(too_long, title, " did not end within ", timeout,
                  " s; set NEXUS_CUDA_COMPILE_TIMEOUT to more seconds where it needs them");
    }
  }
}

}  // namespace nexus_cuda
