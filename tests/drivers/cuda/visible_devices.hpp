// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_SIMULATED_CUDA_VISIBLE_DEVICES_HPP_
#define NEXUS_SIMULATED_CUDA_VISIBLE_DEVICES_HPP_

#include <vector>

namespace simulated_cuda {

// Which of the machine's devices CUDA_VISIBLE_DEVICES leaves, in its order: numbers, or the
// beginnings of "GPU-<uuid>". As the driver's, the list ends at the first that is not there.
std::vector<int> visible_devices(int count);

}  // namespace simulated_cuda

#endif  // NEXUS_SIMULATED_CUDA_VISIBLE_DEVICES_HPP_
