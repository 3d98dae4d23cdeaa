// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_SIMULATED_METAL_COMMAND_QUEUE_HPP_
#define NEXUS_SIMULATED_METAL_COMMAND_QUEUE_HPP_

#include "../simulator/stream.hpp"
#include "device.hpp"

namespace metal {

struct MTLCommandBuffer;

// Given to a queue for a command buffer.
struct MTLCommandBufferDescriptor : Object {
  static const Class &kClass;
  MTLCommandBufferDescriptor() : Object(kClass) {}

  bool retained = true;
  NSUInteger options = 0;
};

struct MTLCommandQueue : OfDevice {
  static const Class &kClass;
  MTLCommandQueue(MTLDevice &of, NSUInteger most);
  ~MTLCommandQueue() override;

  // Waits while as many command buffers as the queue takes have not ended.
  MTLCommandBuffer *commandBuffer();
  MTLCommandBuffer *unretained();
  MTLCommandBuffer *described(MTLCommandBufferDescriptor *descriptor);

  // Under the world's lock.
  NSUInteger open = 0;  // command buffers that have not ended
  const std::shared_ptr<simulator::Stream> work;
  const std::shared_ptr<simulator::Stream> handlers;  // that command buffers have ended

 private:
  MTLCommandBuffer *make_buffer(bool retains, NSUInteger error_options);

  NSUInteger most_;
};

}  // namespace metal

#endif  // NEXUS_SIMULATED_METAL_COMMAND_QUEUE_HPP_
