// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_CUDA_SIGNAL_HPP_
#define NEXUS_CUDA_SIGNAL_HPP_

#include "device/queue.hpp"

#include <nexus-plugin/slot.hpp>

namespace nexus_cuda NXS_HIDDEN {

class Stream;

// A place in a stream that others wait for: its ticket, and the driver's event of it.
struct Signal {
  nexus_plugin::Ref<Stream> stream;  // empty: there was none yet
  nxs_ticket ticket = 0;
  EventPtr event;
};

}  // namespace nexus_cuda

#endif  // NEXUS_CUDA_SIGNAL_HPP_
