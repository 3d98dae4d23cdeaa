// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_OPENCL_KERNEL_COMMAND_HPP_
#define NEXUS_OPENCL_KERNEL_COMMAND_HPP_

#include "recording.hpp"
#include "transfer.hpp"

#include <cstddef>
#include <vector>

namespace nexus_opencl NXS_HIDDEN {

// A launch of a kernel, with a cl_kernel of its own that carries its arguments: they are set when
// they change, so that a run is one call. The driver takes them as they are when it is enqueued.
// Used by one thread at a time.
class KernelCommand : public nexus_plugin::RecordedKernel<Recording> {
 public:
  explicit KernelCommand(nexus_plugin::Ref<Kernel> kernel);

  void lower_argument(uint32_t index, const nexus_plugin::Argument<Buffer> &argument);
  nexus_plugin::Launch lower_launch(const nxs_launch &launch);

  // last: an event of its own is wanted.
  void enqueue(Enqueuing &work, WaitList waits, bool last) const {
    const cl_int error = work.cl.EnqueueNDRangeKernel(
        work.queue, made_.get(), dimensions_, nullptr, global_size_, local_size_,
        static_cast<cl_uint>(waits.size()), waits.empty() ? nullptr : waits.data(),
        last ? &work.event : nullptr);
    if (error != CL_SUCCESS) [[unlikely]]
      throw_refused(error);
    work.begun = true;
  }
  void record(cl_command_buffer_khr into) const;

 private:
  nexus_plugin::Launch check(const nxs_launch &given) const;
  void check_local_memory(const nexus_plugin::Launch &launch) const;
  void tell_grid_size(const nexus_plugin::Launch &launch);
  [[noreturn]] void throw_refused(cl_int error) const;

  Owned<cl_kernel> made_;
  std::vector<Owned<cl_mem>> slices_;  // of arguments that begin within a buffer
  cl_uint dimensions_ = 0;
  size_t global_size_[3] = {1, 1, 1};
  size_t local_size_[3] = {1, 1, 1};
};

}  // namespace nexus_opencl

#endif  // NEXUS_OPENCL_KERNEL_COMMAND_HPP_
