// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_OPENCL_SIGNAL_HPP_
#define NEXUS_OPENCL_SIGNAL_HPP_

#include "opencl.hpp"

#include <nexus-plugin/slot.hpp>

namespace nexus_opencl NXS_HIDDEN {

class Stream;

// A place in a stream that others wait for: its ticket, and the driver's event of it.
struct Signal {
  nexus_plugin::Ref<Stream> stream;  // empty: there was none yet
  nxs_ticket ticket = 0;
  // Not done before the work ahead of the ticket is; empty where that was known done.
  Owned<cl_event> event;
};

}  // namespace nexus_opencl

#endif  // NEXUS_OPENCL_SIGNAL_HPP_
