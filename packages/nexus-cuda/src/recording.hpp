// SPDX-License-Identifier: Apache-2.0
// What the kit is told, which records schedules and their commands.
#ifndef NEXUS_CUDA_RECORDING_HPP_
#define NEXUS_CUDA_RECORDING_HPP_

#include "buffer.hpp"
#include "kernel.hpp"
#include "stream.hpp"

#include <nexus-plugin/recording.hpp>

namespace nexus_cuda NXS_HIDDEN {

class KernelCommand;
class Schedule;
class Transfer;

struct Recording {
  using Device = nexus_cuda::Device;
  using Kernel = nexus_cuda::Kernel;
  using Buffer = nexus_cuda::Buffer;
  using Stream = nexus_cuda::Stream;
  using KernelCommand = nexus_cuda::KernelCommand;
  using Transfer = nexus_cuda::Transfer;
  using Schedule = nexus_cuda::Schedule;
  static constexpr auto &kernels = nexus_cuda::kernels;
  static constexpr auto &buffers = nexus_cuda::buffers;
  static constexpr auto &streams = nexus_cuda::streams;

  static Device &device_of(nxs_id device) { return nexus_cuda::device_of(device); }
  static nxs_ticket submit(Stream &stream, const Transfer &transfer);
  static nxs_ticket run(const nexus_plugin::Ref<Schedule> &schedule, nxs_id stream,
                        nxs_execution_settings settings);
  static void prepare(Schedule &schedule, nxs_id stream);
};

using Command = nexus_plugin::Command<Recording>;

}  // namespace nexus_cuda

#endif  // NEXUS_CUDA_RECORDING_HPP_
