// SPDX-License-Identifier: Apache-2.0
// The types from which the kit makes schedules and their commands.
#ifndef NEXUS_CUDA_RECORDING_HPP_
#define NEXUS_CUDA_RECORDING_HPP_

#include "execution/kernel.hpp"
#include "memory/buffer.hpp"
#include "stream/stream.hpp"

#include <nexus-plugin/recording.hpp>

namespace nexus_cuda NXS_HIDDEN {

class KernelCommand;
class Schedule;
class Transfer;

struct Recording : nexus_plugin::RecordingOf<devices, kernels, buffers, streams, KernelCommand,
                                             Transfer, Schedule> {};

using Command = nexus_plugin::Command<Recording>;

}  // namespace nexus_cuda

#endif  // NEXUS_CUDA_RECORDING_HPP_
