// SPDX-License-Identifier: Apache-2.0
#include "command_queue.hpp"

#include "command_buffer.hpp"

using simulator::Lock;
using simulator::Stream;
using simulator::world;

namespace metal {
namespace {

std::shared_ptr<Stream> make_stream(MTLDevice &device) {
  const Lock lock(world().mutex);
  return Stream::make(device.context, false);
}

}  // namespace

const Class &MTLCommandBufferDescriptor::kClass =
    *new Class("MTLCommandBufferDescriptor", nullptr,
               {get<&MTLCommandBufferDescriptor::retained>("retainedReferences"),
                set<&MTLCommandBufferDescriptor::retained>("setRetainedReferences:"),
                get<&MTLCommandBufferDescriptor::options>("errorOptions"),
                set<&MTLCommandBufferDescriptor::options>("setErrorOptions:")},
               {alloc<MTLCommandBufferDescriptor>(), new_object<MTLCommandBufferDescriptor>()});

const Class &MTLCommandQueue::kClass =
    *new Class("MTLCommandQueue", "OfDevice",
               {method<&MTLCommandQueue::commandBuffer>("commandBuffer"),
                method<&MTLCommandQueue::unretained>("commandBufferWithUnretainedReferences"),
                method<&MTLCommandQueue::described>("commandBufferWithDescriptor:")});

MTLCommandQueue::MTLCommandQueue(MTLDevice &of, NSUInteger most)
    : OfDevice(kClass, of), work(make_stream(of)), handlers(make_stream(of)), most_(most) {
  if (most == 0) die("newCommandQueueWithMaxCommandBufferCount: of 0");
}

MTLCommandQueue::~MTLCommandQueue() {
  const Lock lock(world().mutex);
  work->close();
  handlers->close();
}

MTLCommandBuffer *MTLCommandQueue::commandBuffer() {
  return make_buffer(true, 0);
}

MTLCommandBuffer *MTLCommandQueue::unretained() {
  return make_buffer(false, 0);
}

MTLCommandBuffer *MTLCommandQueue::described(MTLCommandBufferDescriptor *descriptor) {
  return make_buffer(descriptor->retained, descriptor->options);
}

MTLCommandBuffer *MTLCommandQueue::make_buffer(bool retains, NSUInteger error_options) {
  {
    Lock lock(world().mutex);
    world().changed.wait(lock, [this] { return open < most_; });
    ++open;
  }
  return make<MTLCommandBuffer>(*this, retains, error_options).autoreleased();
}

}  // namespace metal
