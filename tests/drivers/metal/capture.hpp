// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_SIMULATED_METAL_CAPTURE_HPP_
#define NEXUS_SIMULATED_METAL_CAPTURE_HPP_

#include "foundation.hpp"

namespace metal {

struct MTLCaptureDescriptor : Object {
  static const Class &kClass;
  MTLCaptureDescriptor() : Object(kClass) {}

  Ref<Object> object;
  NSInteger to = 1;  // the developer tools
  Ref<NSURL> url;
};

// Refuses, as Metal does, unless METAL_CAPTURE_ENABLED is 1. A document is a folder with a file
// that says how many command buffers were committed.
struct MTLCaptureManager : Object {
  static const Class &kClass;
  MTLCaptureManager() : Object(kClass) {}
  static MTLCaptureManager *shared();

  bool supports(NSInteger destination);
  bool isCapturing();
  bool start(MTLCaptureDescriptor *descriptor, NSError **error);
  void stop();

 private:
  Ref<MTLCaptureDescriptor> current_;
  uint64_t committed_ = 0;  // before the capture
};

}  // namespace metal

#endif  // NEXUS_SIMULATED_METAL_CAPTURE_HPP_
