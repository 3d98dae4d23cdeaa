// SPDX-License-Identifier: Apache-2.0
#include "build_job.hpp"

#include "program.hpp"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <nexus-plugin/host.hpp>
#include <nexus-plugin/shared.hpp>
#include <optional>
#include <thread>

namespace nexus_opencl NXS_HIDDEN {
namespace {

using nexus_plugin::Error;
using nexus_plugin::Shared;

class BuildJob {
 public:
  BuildJob(const Device &device, cl_program program, std::string options)
      : device_(device), options_(std::move(options)) {
    device.cl().RetainProgram(program);
    program_ = Owned<cl_program>(device.cl(), program);
  }

  void run() {
    const cl_int result = build(device_, program_.get(), options_);
    const std::lock_guard<std::mutex> lock(mutex_);
    result_ = result;
    done_.notify_all();
  }

  // The result, where it comes within the time.
  std::optional<cl_int> wait(std::chrono::milliseconds time) {
    std::unique_lock<std::mutex> lock(mutex_);
    const auto end = std::chrono::steady_clock::now() + time;
    while (!result_ && done_.wait_until(lock, end) == std::cv_status::no_timeout) {
    }
    return result_;
  }

 private:
  const Device &device_;
  Owned<cl_program> program_;
  std::string options_;
  std::mutex mutex_;
  std::condition_variable done_;
  std::optional<cl_int> result_;
};

void run_job(Shared<BuildJob> job) {
  job->run();
}

}  // namespace

cl_int build_in_background(const Device &device, cl_program program, const std::string &options,
                           double timeout) {
  constexpr std::chrono::milliseconds kPause{20};
  const Shared<BuildJob> job = Shared<BuildJob>::make(device, program, options);
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(timeout);
  std::thread(run_job, job).detach();
  while (true) {
    if (const std::optional<cl_int> result = job->wait(kPause)) return *result;
    if (nexus_plugin::is_interrupted()) {
      throw Error(NXS_Cancelled, "the compiler of '", device.name(), "' was interrupted");
    }
    if (std::chrono::steady_clock::now() > end) {
      throw Error(NXS_CompilerNotAvailable, "the compiler of '", device.name(),
                  "' did not end within ", timeout,
                  " s; set NEXUS_OPENCL_COMPILE_TIMEOUT to more seconds where it needs them");
    }
  }
}

}  // namespace nexus_opencl
