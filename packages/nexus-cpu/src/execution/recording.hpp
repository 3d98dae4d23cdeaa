// SPDX-License-Identifier: Apache-2.0
// The types with which the kit's schedules and commands are instantiated.
#ifndef NEXUS_CPU_RECORDING_HPP_
#define NEXUS_CPU_RECORDING_HPP_

#include "execution/buffer.hpp"
#include "execution/stream.hpp"
#include "objects/device.hpp"
#include "objects/kernel.hpp"

#include <nexus-plugin/recording.hpp>

namespace nexus_cpu NXS_HIDDEN {

class KernelCommand;
class Schedule;

struct Recording : nexus_plugin::RecordingOf<devices, kernels, buffers, streams, KernelCommand,
                                             RecordedTransfer, Schedule> {};

using Command = nexus_plugin::Command<Recording>;

}  // namespace nexus_cpu

#endif  // NEXUS_CPU_RECORDING_HPP_
