// SPDX-License-Identifier: Apache-2.0
#include "kernel_command.hpp"

#include <cstdint>
#include <limits>
#include <utility>

namespace nexus_opencl NXS_HIDDEN {

using nexus_plugin::Argument;
using nexus_plugin::Error;
using nexus_plugin::join;
using nexus_plugin::Launch;
using nexus_plugin::Ref;
using nexus_plugin::Size3;

namespace {

Size3 group_size_for(const Kernel &kernel, const nxs_launch &launch) {
  if (kernel.required_group_size()) return *kernel.required_group_size();
  const Device &device = kernel.device();
  return nexus_plugin::choose_group_size(
      launch.grid_size,
      nexus_plugin::gpu_limits(kernel.max_group_items(), device.max_group_size(),
                               kernel.preferred_multiple(),
                               device.number<cl_uint>(CL_DEVICE_MAX_COMPUTE_UNITS).value_or(1)));
}

}  // namespace

KernelCommand::KernelCommand(Ref<Kernel> kernel)
    : RecordedKernel(kernel, kernel->described()), made_(kernel->make()) {}

// ---- Arguments --------------------------------------------------------

void KernelCommand::lower_argument(uint32_t index, const Argument<Buffer> &argument) {
  if (slices_.size() <= index) slices_.resize(index + 1);
  const void *value = nullptr;  // of local memory: the size is all
  size_t size = argument.size;
  cl_mem memory = nullptr;
  Owned<cl_mem> slice;
  if (argument.kind == NXS_ArgumentKind_Buffer) {
    if (argument.offset != 0) slice = argument.buffer->slice(argument.offset, argument.size);
    memory = slice ? slice.get() : argument.buffer->memory();
    value = &memory;
    size = sizeof(memory);
  } else if (argument.kind == NXS_ArgumentKind_Scalar) {
    value = argument.scalar.data();
  }
  const cl_int error = kernel().device().cl().SetKernelArg(made_.get(), index, size, value);
  if (error != CL_SUCCESS) throw_error(error, join("setting argument ", index));
  slices_[index] = std::move(slice);
}

// ---- The launch -------------------------------------------------------

Launch KernelCommand::lower_launch(const nxs_launch &launch) {
  const Launch checked = check(launch);
  if (kernel().portable()) {
    nexus_plugin::check_int_ids(checked);
    tell_grid_size(checked);
  }
  dimensions_ = 1;
  for (std::size_t d = 0; d < 3; ++d) {
    global_size_[d] = static_cast<size_t>(checked.group_size[d] * checked.group_count[d]);
    local_size_[d] = static_cast<size_t>(checked.group_size[d]);
    if (global_size_[d] > 1) dimensions_ = static_cast<cl_uint>(d + 1);
  }
  return checked;
}

Launch KernelCommand::check(const nxs_launch &given) const {
  const Launch checked = nexus_plugin::check_launch(&given, group_size_for(kernel(), given),
                                                    kernel().max_group_items());
  nexus_plugin::check_group_size(checked.group_size, kernel().required_group_size(),
                                 kernel().device().max_group_size());
  check_local_memory(checked);
  return checked;
}

void KernelCommand::check_local_memory(const Launch &launch) const {
  if (launch.local_memory != 0 && launch.local_memory <= kernel().device().local_memory_size()) {
    throw Error(NXS_NotSupported, "local_memory is ", launch.local_memory,
                "; OpenCL has local memory as an argument only, set one");
  }
  uint64_t left = kernel().device().local_memory_size();
  uint64_t wanted = kernel().local_memory();
  bool fits = wanted <= left && launch.local_memory == 0;
  for (const auto &argument : arguments()) {
    if (argument.kind != NXS_ArgumentKind_LocalMemory) continue;
    left -= fits ? wanted : 0;
    wanted = argument.size;
    fits = fits && wanted <= left;
  }
  if (fits) return;
  throw Error(NXS_OutOfResources, "a group needs more local memory than the ",
              kernel().device().local_memory_size(), " bytes of the device; make it smaller");
}

void KernelCommand::tell_grid_size(const Launch &launch) {
  for (uint32_t d = 0; d < kHiddenArguments; ++d) {
    const auto asked = static_cast<cl_int>(launch.grid_size[d]);
    nexus_opencl::check(kernel().device().cl().SetKernelArg(
                            made_.get(), kernel().argument_count() + d, sizeof(asked), &asked),
                        "setting the size of the grid");
  }
}

void KernelCommand::throw_refused(cl_int error) const {
  throw_error(error, join("launching the kernel '", kernel().name(), "'"));
}

void KernelCommand::record(cl_command_buffer_khr into) const {
  nexus_opencl::check(kernel().device().cl().CommandNDRangeKernelKHR(
                          into, nullptr, nullptr, made_.get(), dimensions_, nullptr, global_size_,
                          local_size_, 0, nullptr, nullptr, nullptr),
                      "recording a launch");
}

}  // namespace nexus_opencl
