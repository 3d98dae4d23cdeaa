// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_SIMULATED_METAL_COMMAND_BUFFER_HPP_
#define NEXUS_SIMULATED_METAL_COMMAND_BUFFER_HPP_

#include "command_queue.hpp"

#include <functional>
#include <memory>
#include <vector>

namespace metal {

struct Encoder;
struct MTLBlitCommandEncoder;
struct MTLComputeCommandEncoder;
struct MTLSharedEvent;

struct MTLCommandBuffer : OfDevice {
  // Of the device's work, in order; anything but kSuccess ends the command buffer.
  using Step = std::function<simulator::Result()>;

  static const Class &kClass;
  MTLCommandBuffer(MTLCommandQueue &of, bool retains, NSUInteger error_options);
  ~MTLCommandBuffer() override;

  MTLCommandQueue *commandQueue() { return queue_.get(); }
  bool retainedReferences() { return retains_; }
  NSUInteger errorOptions() { return error_options_; }
  NSUInteger status();
  NSError *error();
  double begin_time();
  double end_time();

  void enqueue();
  void commit(Planned planned);
  void waitUntilScheduled();
  void waitUntilCompleted();
  void addScheduledHandler(const void *block);
  void addCompletedHandler(const void *block);
  void encodeWait(MTLSharedEvent *event, uint64_t value);
  void encodeSignal(MTLSharedEvent *event, uint64_t value);
  MTLComputeCommandEncoder *computeCommandEncoder();
  MTLComputeCommandEncoder *computeWithDispatchType(NSUInteger type);
  MTLBlitCommandEncoder *blitCommandEncoder();

  // By encoders.
  void add(Step step) { steps_.push_back(std::move(step)); }
  // Keeps objects until the work is done; where the command buffer does not retain, it is misuse if
  // the program lets go of them before.
  void use(std::initializer_list<Object *> objects);
  void ended(const Encoder &encoder);

 private:
  void check_open(const char *what);
  void set_status(NSUInteger status);
  void wait_for(NSUInteger status);
  void run();
  void finish(simulator::Result result);
  // Those of a status.
  simulator::Result call_handlers(std::vector<std::unique_ptr<Block>> &handlers, NSUInteger status);

  const Ref<MTLCommandQueue> queue_;
  const bool retains_;
  const NSUInteger error_options_;
  const Encoder *encoder_ = nullptr;  // the open one
  std::vector<Step> steps_;
  std::vector<Ref<Object>> uses_;
  std::vector<std::unique_ptr<Block>> scheduled_, completed_;
  // Under the world's lock.
  NSUInteger status_ = MTLCommandBufferStatusNotEnqueued;
  NSUInteger told_ = 0;  // the status of which all handlers were called
  Ref<NSError> error_;
  double begin_ = 0, end_ = 0;  // seconds
};

}  // namespace metal

#endif  // NEXUS_SIMULATED_METAL_COMMAND_BUFFER_HPP_
