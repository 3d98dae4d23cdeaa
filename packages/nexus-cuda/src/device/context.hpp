// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_CUDA_CONTEXT_HPP_
#define NEXUS_CUDA_CONTEXT_HPP_

#include "driver/driver.hpp"

namespace nexus_cuda NXS_HIDDEN {

class Device;

// Makes a device's primary context this thread's current one, and puts back what was current
// before. Costs one call of the driver where it is current already, three where not. The
// constructor throws what the driver says, also where the context can't be made.
class CurrentContext {
 public:
  explicit CurrentContext(Device &device);
  ~CurrentContext() {
    CUcontext ours = nullptr;
    if (pushed_) cu.CtxPopCurrent(&ours);
  }
  CurrentContext(const CurrentContext &) = delete;
  CurrentContext &operator=(const CurrentContext &) = delete;

 private:
  bool pushed_ = false;
};

}  // namespace nexus_cuda

#endif  // NEXUS_CUDA_CONTEXT_HPP_
