// SPDX-License-Identifier: Apache-2.0
#include "context.hpp"

#include "context_stack.hpp"
#include "device.hpp"
#include "event.hpp"
#include "library.hpp"
#include "memory.hpp"
#include "stream.hpp"

#include <vector>

namespace simulated_cuda {

void Context::break_down(CUresult why) {
  if (failure_ == CUDA_SUCCESS) failure_ = why;
  world().changed.notify_all();
}

void Context::revive() {
  destroyed_ = false;
  failure_ = CUDA_SUCCESS;
  limits = {{0, 1024}, {1, 1 << 20}, {2, 8 << 20}};
}

void Context::wait(Call &call) {
  std::vector<Point> ends;
  for (const auto &stream : streams_in(*this)) ends.push_back(stream->end());
  for (const Point &end : ends) wait_for(call.lock, end);
}

void Context::destroy(Call &call) {
  destroyed_ = true;
  world().changed.notify_all();
  wait(call);
  for (const auto &stream : streams_in(*this)) stream->close();
  World &all = world();
  const auto is_mine = [this](const auto &object) { return object.context() == this; };
  all.streams.remove_if(is_mine);
  all.events.remove_if(is_mine);
  unload_all(*this);
  free_all(*this);
  legacy_ = nullptr;
  per_thread_.clear();
  peers.clear();
}

const std::shared_ptr<Stream> &Context::legacy() {
  if (legacy_ == nullptr) legacy_ = Stream::make(*this, 0, 0);
  return legacy_;
}

std::shared_ptr<Stream> Context::per_thread() {
  auto &mine = per_thread_[std::this_thread::get_id()];
  if (mine == nullptr) mine = Stream::make(*this, 0, 0);
  return mine;
}

std::shared_ptr<Stream> Context::stream(CUstream wanted) {
  constexpr uintptr_t kLegacy = 1, kPerThread = 2;  // CU_STREAM_LEGACY, CU_STREAM_PER_THREAD
  const auto number = reinterpret_cast<uintptr_t>(wanted);
  if (number <= kLegacy) return legacy();
  if (number == kPerThread) return per_thread();
  return world().streams.get(wanted);
}

Context *current_context() {
  const auto &stack = context_stack();
  return stack.empty() ? nullptr : stack.back();
}

Context &context_of(CUcontext handle) {
  const auto &all = world().contexts.all();
  const auto found = all.find(handle);
  require(found != all.end(), CUDA_ERROR_INVALID_CONTEXT);
  return *found->second;
}

}  // namespace simulated_cuda

using namespace simulated_cuda;

namespace {

void synchronise(Call &call, Context &context) {
  context.wait(call);
  require(context.failure() == CUDA_SUCCESS, context.failure());
  trim_pools(context);
}

}  // namespace

SIMULATED_EXPORT CUresult cuCtxSynchronize() {
  return call("cuCtxSynchronize", Needs::kContext,
              [&](Call &call) { synchronise(call, *call.context); });
}

SIMULATED_EXPORT CUresult cuCtxSynchronize_v2(CUcontext context) {
  return call("cuCtxSynchronize", Needs::kContext, [&](Call &call) {
    synchronise(call, context == nullptr ? *call.context : context_of(context));
  });
}

SIMULATED_EXPORT CUresult cuCtxGetDevice(CUdevice *out_device) {
  return call("cuCtxGetDevice", Needs::kContext,
              [&](Call &call) { give(out_device, call.context->device().ordinal()); });
}

SIMULATED_EXPORT CUresult cuCtxGetDevice_v2(CUdevice *out_device, CUcontext context) {
  return call("cuCtxGetDevice", Needs::kInit, [&](Call &) {
    Context *asked = context == nullptr ? current_context() : &context_of(context);
    require(asked != nullptr, CUDA_ERROR_INVALID_CONTEXT);
    give(out_device, asked->device().ordinal());
  });
}

SIMULATED_EXPORT CUresult cuCtxGetFlags(unsigned *out_flags) {
  return call("cuCtxGetFlags", Needs::kContext,
              [&](Call &call) { give(out_flags, call.context->flags); });
}

SIMULATED_EXPORT CUresult cuCtxGetId(CUcontext context, unsigned long long *out_id) {
  return call("cuCtxGetId", Needs::kInit, [&](Call &) {
    Context *asked = context == nullptr ? current_context() : &context_of(context);
    require(asked != nullptr, CUDA_ERROR_INVALID_CONTEXT);
    give(out_id, static_cast<unsigned long long>(asked->id));
  });
}

SIMULATED_EXPORT CUresult cuCtxGetApiVersion(CUcontext context, unsigned *out_version) {
  return call("cuCtxGetApiVersion", Needs::kInit, [&](Call &) {
    if (context != nullptr) (void)context_of(context);
    give(out_version, 3020u);
  });
}

SIMULATED_EXPORT CUresult cuCtxGetStreamPriorityRange(int *out_least, int *out_greatest) {
  return call("cuCtxGetStreamPriorityRange", Needs::kContext, [&](Call &) {
    if (out_least != nullptr) *out_least = kLeastPriority;
    if (out_greatest != nullptr) *out_greatest = kGreatestPriority;
  });
}

SIMULATED_EXPORT CUresult cuCtxGetLimit(size_t *out_value, int limit) {
  return call("cuCtxGetLimit", Needs::kContext, [&](Call &call) {
    const auto found = call.context->limits.find(limit);
    require(found != call.context->limits.end(), CUDA_ERROR_UNSUPPORTED_LIMIT);
    give(out_value, found->second);
  });
}

SIMULATED_EXPORT CUresult cuCtxSetLimit(int limit, size_t value) {
  return call("cuCtxSetLimit", Needs::kContext, [&](Call &call) {
    const auto found = call.context->limits.find(limit);
    require(found != call.context->limits.end(), CUDA_ERROR_UNSUPPORTED_LIMIT);
    found->second = value;
  });
}
