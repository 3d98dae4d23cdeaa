// SPDX-License-Identifier: Apache-2.0
// Which devices CUDA shows to this process, in words for who misses one.
#ifndef NEXUS_CUDA_VISIBLE_DEVICES_HPP_
#define NEXUS_CUDA_VISIBLE_DEVICES_HPP_

#include <nexus-api/nxs.h>

#include <string>

namespace nexus_cuda NXS_HIDDEN {

// Returns whether CUDA_VISIBLE_DEVICES is set, be it to nothing.
bool names_devices();

// Why the driver, which is there, shows no device, and what to do.
std::string why_no_device();

// Tells the log where CUDA_VISIBLE_DEVICES names more devices than the count that CUDA shows.
void log_hidden_devices(int count);

}  // namespace nexus_cuda

#endif  // NEXUS_CUDA_VISIBLE_DEVICES_HPP_
