// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_SIMULATED_METAL_BUFFER_HPP_
#define NEXUS_SIMULATED_METAL_BUFFER_HPP_

#include "device.hpp"

#include <memory>

namespace metal {

struct MTLBuffer : OfDevice {
  static const Class &kClass;
  // Of the device's memory. Throws Failure where it has none left.
  static Ref<MTLBuffer> allocate(MTLDevice &device, NSUInteger length, NSUInteger options);
  // Memory of the host. Nil for misuse.
  static Ref<MTLBuffer> wrap(MTLDevice &device, void *bytes, NSUInteger length, NSUInteger options,
                             const void *deallocator);
  MTLBuffer(MTLDevice &of, uintptr_t address, NSUInteger size, NSUInteger with, bool is_own);
  ~MTLBuffer() override;

  bool on_device() const { return mode() == MTLStorageModePrivate; }
  bool contains(NSUInteger offset, NSUInteger size) const {
    return offset <= length_ && size <= length_ - offset;
  }

  NSUInteger length() { return length_; }
  NSUInteger allocatedSize() { return length_; }
  void *contents() { return on_device() ? nullptr : reinterpret_cast<void *>(begin); }
  uint64_t gpuAddress() { return begin; }
  NSUInteger storageMode() { return mode(); }
  NSUInteger resourceOptions() { return options_; }
  void didModifyRange(NSRange range);
  NSUInteger setPurgeableState(NSUInteger state) { return state == 1 ? 2 : state; }

  const uintptr_t begin;

 private:
  NSUInteger mode() const { return options_ >> 4 & 15; }

  NSUInteger length_, options_;
  bool own_;  // allocated for it
  std::unique_ptr<Block> deallocator_;
};

}  // namespace metal

#endif  // NEXUS_SIMULATED_METAL_BUFFER_HPP_
