// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_SIMULATED_METAL_ENCODERS_HPP_
#define NEXUS_SIMULATED_METAL_ENCODERS_HPP_

#include "../kernels/metal_kernel.h"
#include "buffer.hpp"
#include "command_buffer.hpp"

#include <array>
#include <memory>

namespace metal {

struct MTLComputePipelineState;

// What is common to encoders.
struct Encoder : OfDevice {
  static const Class &kClass;
  Encoder(const Class &isa, MTLCommandBuffer &of) : OfDevice(isa, *of.device()), commands(&of) {}
  ~Encoder() override;

  void ignoreText(NSString *) {}
  void ignore() {}
  void endEncoding();

 protected:
  // Ends the process where the encoder has ended.
  void check_open(const char *what);
  // Returns whether the range is in the buffer; misuse if not.
  static bool check(const char *what, const MTLBuffer *buffer, NSUInteger offset, NSUInteger size);

  const Ref<MTLCommandBuffer> commands;

 private:
  bool open_ = true;
};

struct MTLBlitCommandEncoder : Encoder {
  static const Class &kClass;
  explicit MTLBlitCommandEncoder(MTLCommandBuffer &of) : Encoder(kClass, of) {}

  void copy(MTLBuffer *from, NSUInteger from_offset, MTLBuffer *to, NSUInteger to_offset,
            NSUInteger size);
  void fill(MTLBuffer *buffer, NSRange range, uint8_t value);
  void synchronizeResource(MTLBuffer *buffer);
};

struct MTLComputeCommandEncoder : Encoder {
  static const Class &kClass;
  MTLComputeCommandEncoder(MTLCommandBuffer &of, NSUInteger type)
      : Encoder(kClass, of), dispatch_type(type) {}

  void setPipeline(MTLComputePipelineState *pipeline);
  void setBytes(const void *bytes, NSUInteger length, NSUInteger index);
  void setBuffer(MTLBuffer *buffer, NSUInteger offset, NSUInteger index);
  void setBufferOffset(NSUInteger offset, NSUInteger index);
  void setBuffers(MTLBuffer *const *buffers, const NSUInteger *offsets, NSRange range);
  void setThreadgroupMemory(NSUInteger length, NSUInteger index);
  void dispatchThreadgroups(MTLSize groups, MTLSize threads);
  void dispatchThreads(MTLSize grid, MTLSize threads);
  void memoryBarrier(NSUInteger) {}
  void memoryBarrierOf(Object *const *, NSUInteger) {}
  void useResource(Object *resource, NSUInteger usage);

  NSUInteger dispatch_type;

 private:
  // What is bound to an index: a buffer, or bytes.
  struct Bound {
    MTLBuffer *buffer = nullptr;  // kept by the command buffer
    NSUInteger offset = 0;
    std::shared_ptr<std::vector<std::max_align_t>> bytes;
    NSUInteger size = 0;

    // NULL: nothing is bound.
    void *place() const;
  };
  // grid: threads.
  void dispatch(const char *what, const MTLSize &groups, const MTLSize &threads,
                const MTLSize &grid);
  static bool check_index(const char *what, NSUInteger index);
  // Returns whether all that the kernel needs is bound.
  bool check_bound() const;
  bool check_sizes(const MTLSize &groups, const MTLSize &threads) const;
  NSUInteger threadgroup_memory() const;

  MTLComputePipelineState *pipeline_ = nullptr;
  std::array<Bound, NEXUS_METAL_PLACES> bound_;
  std::array<NSUInteger, NEXUS_METAL_PLACES> local_{};  // bytes
};

}  // namespace metal

#endif  // NEXUS_SIMULATED_METAL_ENCODERS_HPP_
