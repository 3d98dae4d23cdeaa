// SPDX-License-Identifier: Apache-2.0
// What the kit is told, which records schedules and their commands.
#ifndef NEXUS_CPU_RECORDING_HPP_
#define NEXUS_CPU_RECORDING_HPP_

#include "buffer.hpp"
#include "device.hpp"
#include "kernel.hpp"
#include "stream.hpp"

#include <nexus-plugin/recording.hpp>

namespace nexus_cpu NXS_HIDDEN {

class KernelCommand;
class Schedule;

struct Recording {
  using Device = nexus_cpu::Device;
  using Kernel = nexus_cpu::Kernel;
  using Buffer = nexus_cpu::Buffer;
  using Stream = nexus_cpu::Stream;
  using KernelCommand = nexus_cpu::KernelCommand;
  using Transfer = RecordedTransfer;
  using Schedule = nexus_cpu::Schedule;
  static constexpr auto &kernels = nexus_cpu::kernels;
  static constexpr auto &buffers = nexus_cpu::buffers;
  static constexpr auto &streams = nexus_cpu::streams;

  static Device &device_of(nxs_id device) { return *devices.pin(device); }
  static nxs_ticket submit(Stream &stream, RecordedTransfer transfer) {
    return stream.transfer(std::move(transfer.work));
  }
  static nxs_ticket run(nexus_plugin::Ref<Schedule> schedule, nxs_id stream,
                        nxs_execution_settings settings);
  static void prepare(Schedule &schedule, nxs_id stream);
};

using Command = nexus_plugin::Command<Recording>;

}  // namespace nexus_cpu

#endif  // NEXUS_CPU_RECORDING_HPP_
