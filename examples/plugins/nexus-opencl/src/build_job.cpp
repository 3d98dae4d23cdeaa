// SPDX-License-Identifier: Apache-2.0
#include "build_job.hpp"

#include "program.hpp"

#include <nexus-plugin/background_job.hpp>
#include <nexus-plugin/compile_checks.hpp>
#include <utility>

namespace nexus_opencl NXS_HIDDEN {
namespace {

using nexus_plugin::Shared;

class BuildJob final : public nexus_plugin::BackgroundJob {
 public:
  BuildJob(const Device &device, cl_program program, std::string options)
      : device_(device), options_(std::move(options)) {
    device.cl().RetainProgram(program);
    program_ = Owned<cl_program>(device.cl(), program);
  }

  // After the work.
  cl_int result() const noexcept { return result_; }

 private:
  void work() override { result_ = build(device_, program_.get(), options_); }

  const Device &device_;
  Owned<cl_program> program_;
  std::string options_;
  cl_int result_ = CL_SUCCESS;
};

}  // namespace

cl_int build_in_background(const Device &device, cl_program program, const std::string &options) {
  constexpr const char *kVariable = "NEXUS_OPENCL_COMPILE_TIMEOUT";
  const std::string title = nexus_plugin::join("the compiler of '", device.name(), "'");
  const Shared<BuildJob> job = Shared<BuildJob>::make(device, program, options);
  run_in_background(job, {title, nexus_plugin::compile_timeout(kVariable), kVariable});
  return job->result();
}

}  // namespace nexus_opencl
