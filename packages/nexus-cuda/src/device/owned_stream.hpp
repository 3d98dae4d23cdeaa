// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_CUDA_OWNED_STREAM_HPP_
#define NEXUS_CUDA_OWNED_STREAM_HPP_

#include "device/device.hpp"

#include <string_view>

namespace nexus_cuda NXS_HIDDEN {

// A stream of the driver's that waits for no other. With the device's context current.
class OwnedStream {
 public:
  OwnedStream(Device &device, std::string_view what) {
    device.check(cu.StreamCreateWithPriority(&stream_, CU_STREAM_NON_BLOCKING, 0), what);
  }
  ~OwnedStream() { log_unreleased(cu.StreamDestroy(stream_), "ending a stream"); }
  OwnedStream(const OwnedStream &) = delete;
  OwnedStream &operator=(const OwnedStream &) = delete;

  CUstream get() const noexcept { return stream_; }

 private:
  CUstream stream_ = nullptr;
};

}  // namespace nexus_cuda

#endif  // NEXUS_CUDA_OWNED_STREAM_HPP_
