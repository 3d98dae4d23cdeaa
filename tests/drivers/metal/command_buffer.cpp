// SPDX-License-Identifier: Apache-2.0
#include "command_buffer.hpp"

#include "encoders.hpp"
#include "shared_event.hpp"

#include <chrono>

using simulator::kSuccess;
using simulator::Lock;
using simulator::Result;
using simulator::world;

namespace metal {
namespace {

double now() {
  const auto time = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(time).count();
}

std::string text_of(Result result) {
  switch (result) {
    case MTLCommandBufferErrorTimeout:
      return "Caused GPU Timeout Error (00000002:kIOGPUCommandBufferCallbackErrorTimeout)";
    case MTLCommandBufferErrorPageFault:
      return "Caused GPU Address Fault Error (0000000b:kIOGPUCommandBufferCallbackErrorPageFault)";
    case MTLCommandBufferErrorOutOfMemory:
      return "Insufficient Memory (00000008:kIOGPUCommandBufferCallbackErrorOutOfMemory)";
    default:
      return "Internal Error (" + std::to_string(result) + ")";
  }
}

}  // namespace

const Class &MTLCommandBuffer::kClass = *new Class(
    "MTLCommandBuffer", "OfDevice",
    {getter<&MTLCommandBuffer::commandQueue>("commandQueue"),
     getter<&MTLCommandBuffer::retainedReferences>("retainedReferences"),
     getter<&MTLCommandBuffer::errorOptions>("errorOptions"),
     getter<&MTLCommandBuffer::status>("status"),
     getter<&MTLCommandBuffer::error>("error"),
     getter<&MTLCommandBuffer::begin_time>("GPUStartTime"),
     getter<&MTLCommandBuffer::end_time>("GPUEndTime"),
     getter<&MTLCommandBuffer::begin_time>("kernelStartTime"),
     getter<&MTLCommandBuffer::end_time>("kernelEndTime"),
     method<&MTLCommandBuffer::enqueue>("enqueue"),
     method<&MTLCommandBuffer::commit>("commit"),
     method<&MTLCommandBuffer::waitUntilScheduled>("waitUntilScheduled"),
     method<&MTLCommandBuffer::waitUntilCompleted>("waitUntilCompleted"),
     method<&MTLCommandBuffer::addScheduledHandler>("addScheduledHandler:"),
     method<&MTLCommandBuffer::addCompletedHandler>("addCompletedHandler:"),
     method<&MTLCommandBuffer::encodeWait>("encodeWaitForEvent:value:"),
     method<&MTLCommandBuffer::encodeSignal>("encodeSignalEvent:value:"),
     method<&MTLCommandBuffer::computeCommandEncoder>("computeCommandEncoder"),
     method<&MTLCommandBuffer::computeWithDispatchType>("computeCommandEncoderWithDispatchType:"),
     method<&MTLCommandBuffer::blitCommandEncoder>("blitCommandEncoder")});

MTLCommandBuffer::MTLCommandBuffer(MTLCommandQueue &of, bool retains, NSUInteger error_options)
    : OfDevice(kClass, *of.device()),
      queue_(&of),
      retains_(retains),
      error_options_(error_options) {}

MTLCommandBuffer::~MTLCommandBuffer() {
  const Lock lock(world().mutex);
  if (status_ >= MTLCommandBufferStatusCompleted) return;
  --queue_->open;
  world().changed.notify_all();
}

NSUInteger MTLCommandBuffer::status() {
  const Lock lock(world().mutex);
  return status_;
}

NSError *MTLCommandBuffer::error() {
  const Lock lock(world().mutex);
  return error_.get();
}

double MTLCommandBuffer::begin_time() {
  const Lock lock(world().mutex);
  return begin_;
}

double MTLCommandBuffer::end_time() {
  const Lock lock(world().mutex);
  return end_;
}

void MTLCommandBuffer::set_status(NSUInteger status) {
  const Lock lock(world().mutex);
  status_ = status;
  world().changed.notify_all();
}

void MTLCommandBuffer::wait_for(NSUInteger status) {
  Lock lock(world().mutex);
  if (status_ < MTLCommandBufferStatusCommitted) {
    lock.unlock();
    die("a wait for an MTLCommandBuffer that was not committed");
  }
  world().changed.wait(lock, [&] { return told_ >= status; });
}

void MTLCommandBuffer::check_open(const char *what) {
  if (status() >= MTLCommandBufferStatusCommitted) {
    die(std::string(what) + " of an MTLCommandBuffer that was committed");
  }
  if (encoder_ != nullptr) die(std::string(what) + " before the endEncoding of its encoder");
}

void MTLCommandBuffer::use(std::initializer_list<Object *> objects) {
  for (Object *each : objects) uses_.emplace_back(each);
}

void MTLCommandBuffer::ended(const Encoder &encoder) {
  if (encoder_ == &encoder) encoder_ = nullptr;
}

void MTLCommandBuffer::enqueue() {
  if (status() != MTLCommandBufferStatusNotEnqueued) return;
  retain(this);  // until it has ended
  Lock lock(world().mutex);
  status_ = MTLCommandBufferStatusEnqueued;
  simulator::Work work;
  work.run = [this] {
    run();
    return kSuccess;
  };
  work.ready = [this] { return status_ >= MTLCommandBufferStatusCommitted; };
  queue_->work->add(std::move(work));
}

void MTLCommandBuffer::commit(Planned planned) {
  check_open("commit");
  if (planned.result != kSuccess) steps_ = {[planned] { return planned.result; }};
  enqueue();
  set_status(MTLCommandBufferStatusCommitted);
}

void MTLCommandBuffer::waitUntilScheduled() {
  wait_for(MTLCommandBufferStatusScheduled);
}

void MTLCommandBuffer::waitUntilCompleted() {
  wait_for(MTLCommandBufferStatusCompleted);
}

void MTLCommandBuffer::addScheduledHandler(const void *block) {
  check_open("addScheduledHandler:");
  scheduled_.push_back(std::make_unique<Block>(block));
}

void MTLCommandBuffer::addCompletedHandler(const void *block) {
  check_open("addCompletedHandler:");
  completed_.push_back(std::make_unique<Block>(block));
}

void MTLCommandBuffer::encodeWait(MTLSharedEvent *event, uint64_t value) {
  check_open("encodeWaitForEvent:value:");
  use({event});
  add([event, value] { return event->wait_on_device(value); });
}

void MTLCommandBuffer::encodeSignal(MTLSharedEvent *event, uint64_t value) {
  check_open("encodeSignalEvent:value:");
  use({event});
  add([event, value] { return event->signal(value); });
}

MTLComputeCommandEncoder *MTLCommandBuffer::computeCommandEncoder() {
  return computeWithDispatchType(0);
}

MTLComputeCommandEncoder *MTLCommandBuffer::computeWithDispatchType(NSUInteger type) {
  check_open("computeCommandEncoder");
  auto made = make<MTLComputeCommandEncoder>(*this, type);
  encoder_ = made.get();
  return made.autoreleased();
}

MTLBlitCommandEncoder *MTLCommandBuffer::blitCommandEncoder() {
  check_open("blitCommandEncoder");
  auto made = make<MTLBlitCommandEncoder>(*this);
  encoder_ = made.get();
  return made.autoreleased();
}

// ---- By the queue's thread ----

void MTLCommandBuffer::run() {
  {
    const Lock lock(world().mutex);
    begin_ = now();
    status_ = MTLCommandBufferStatusScheduled;
    world().changed.notify_all();
    queue_->handlers->add(
        [this] { return call_handlers(scheduled_, MTLCommandBufferStatusScheduled); });
  }
  Result result = kSuccess;
  for (const Step &step : steps_) {
    if (result == kSuccess) result = step();
  }
  steps_.clear();
  if (!retains_) {
    for (const auto &each : uses_) {
      if (header_of(each.get()).count == 1)
        note_misuse(each->kind() + " was released before work that uses it");
    }
  }
  uses_.clear();
  finish(result);
}

void MTLCommandBuffer::finish(Result result) {
  Ref<NSError> error;
  if (result != kSuccess) {
    error = make<NSError>(Failed{result, text_of(result), "MTLCommandBufferErrorDomain"});
  }
  Lock lock(world().mutex);
  end_ = now();
  error_ = std::move(error);
  status_ = result == kSuccess ? MTLCommandBufferStatusCompleted : MTLCommandBufferStatusError;
  --queue_->open;
  world().changed.notify_all();
  queue_->handlers->add([this] {
    call_handlers(completed_, MTLCommandBufferStatusCompleted);
    release(this);
    return kSuccess;
  });
}

Result MTLCommandBuffer::call_handlers(std::vector<std::unique_ptr<Block>> &handlers,
                                       NSUInteger status) {
  for (const auto &each : handlers) (*each)(this);
  handlers.clear();
  const Lock lock(world().mutex);
  told_ = status;
  world().changed.notify_all();
  return kSuccess;
}

}  // namespace metal
