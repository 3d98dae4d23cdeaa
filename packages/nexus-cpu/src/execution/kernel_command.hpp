// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_CPU_KERNEL_COMMAND_HPP_
#define NEXUS_CPU_KERNEL_COMMAND_HPP_

#include "execution/dispatch.hpp"
#include "execution/recording.hpp"

#include <memory>

namespace nexus_cpu NXS_HIDDEN {

// A kernel launch, packed once for each set of arguments.
class KernelCommand : public nexus_plugin::RecordedKernel<Recording> {
 public:
  explicit KernelCommand(nexus_plugin::Ref<Kernel> kernel);

  void lower_argument(uint32_t, const nexus_plugin::Argument<Buffer> &) noexcept {
    dispatch_.reset();
  }
  nexus_plugin::Launch lower_launch(const nxs_launch &launch);

  // Returns the launch with the current arguments. The command must be finalized.
  const std::shared_ptr<Dispatch> &dispatch();

 private:
  std::shared_ptr<RunTime> run_time_ = std::make_shared<RunTime>();
  std::shared_ptr<Dispatch> dispatch_;  // empty after a change
};

}  // namespace nexus_cpu

#endif  // NEXUS_CPU_KERNEL_COMMAND_HPP_
