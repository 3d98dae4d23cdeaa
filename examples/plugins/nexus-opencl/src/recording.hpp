// SPDX-License-Identifier: Apache-2.0
// What the kit is told, which records schedules and their commands.
#ifndef NEXUS_OPENCL_RECORDING_HPP_
#define NEXUS_OPENCL_RECORDING_HPP_

#include "buffer.hpp"
#include "kernel.hpp"
#include "stream.hpp"

#include <nexus-plugin/recording.hpp>

namespace nexus_opencl NXS_HIDDEN {

class KernelCommand;
class Schedule;
class Transfer;

struct Recording {
  using Device = const nexus_opencl::Device;
  using Kernel = nexus_opencl::Kernel;
  using Buffer = nexus_opencl::Buffer;
  using Stream = nexus_opencl::Stream;
  using KernelCommand = nexus_opencl::KernelCommand;
  using Transfer = nexus_opencl::Transfer;
  using Schedule = nexus_opencl::Schedule;
  static constexpr auto &kernels = nexus_opencl::kernels;
  static constexpr auto &buffers = nexus_opencl::buffers;
  static constexpr auto &streams = nexus_opencl::streams;

  static Device &device_of(nxs_id device) { return nexus_opencl::device_of(device); }
  static nxs_ticket submit(Stream &stream, const Transfer &transfer);
  static nxs_ticket run(const nexus_plugin::Ref<Schedule> &schedule, nxs_id stream,
                        nxs_execution_settings settings);
  static void prepare(Schedule &schedule, nxs_id stream);
};

using Command = nexus_plugin::Command<Recording>;

}  // namespace nexus_opencl

#endif  // NEXUS_OPENCL_RECORDING_HPP_
