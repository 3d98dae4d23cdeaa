// SPDX-License-Identifier: Apache-2.0
#include "execution/kernel_command.hpp"

#include "fibers/limits.hpp"

#include <utility>

namespace nexus_cpu NXS_HIDDEN {

using nexus_plugin::Launch;
using nexus_plugin::Ref;

KernelCommand::KernelCommand(Ref<Kernel> kernel) : RecordedKernel(kernel, kernel->described()) {}

Launch KernelCommand::lower_launch(const nxs_launch &launch) {
  const auto &required = kernel().required_group_size();
  const Launch checked = nexus_plugin::check_launch(
      &launch, required ? *required : choose_group_size(launch.grid_size), kMaxGroupItems);
  nexus_plugin::check_group_size(checked.group_size, required);
  auto run_time = std::make_shared<RunTime>();
  dispatch_ = std::make_shared<Dispatch>(kernel_ref(), arguments(), checked, run_time);
  run_time_ = std::move(run_time);
  return checked;
}

const std::shared_ptr<Dispatch> &KernelCommand::dispatch() {
  if (dispatch_ == nullptr) {
    nexus_plugin::naming_kernel(kernel(), [&] {
      dispatch_ = std::make_shared<Dispatch>(kernel_ref(), arguments(), launch(), run_time_);
    });
  }
  return dispatch_;
}

}  // namespace nexus_cpu
