// SPDX-License-Identifier: Apache-2.0
#include "context_stack.hpp"

#include "context.hpp"
#include "device.hpp"

namespace simulated_cuda {

std::vector<Context *> &context_stack() {
  thread_local std::vector<Context *> stack;
  return stack;
}

}  // namespace simulated_cuda

using namespace simulated_cuda;

SIMULATED_EXPORT CUresult cuCtxPushCurrent_v2(CUcontext context) {
  return call("cuCtxPushCurrent", Needs::kInit, [&](Call &) {
    Context &pushed = context_of(context);
    require(!pushed.destroyed(), CUDA_ERROR_CONTEXT_IS_DESTROYED);
    context_stack().push_back(&pushed);
  });
}

SIMULATED_EXPORT CUresult cuCtxPopCurrent_v2(CUcontext *out_context) {
  return call("cuCtxPopCurrent", Needs::kInit, [&](Call &) {
    auto &stack = context_stack();
    require(!stack.empty(), CUDA_ERROR_INVALID_CONTEXT);
    if (out_context != nullptr) *out_context = stack.back()->handle;
    stack.pop_back();
  });
}

SIMULATED_EXPORT CUresult cuCtxSetCurrent(CUcontext context) {
  return call("cuCtxSetCurrent", Needs::kInit, [&](Call &) {
    auto &stack = context_stack();
    Context *wanted = context == nullptr ? nullptr : &context_of(context);
    if (!stack.empty()) stack.pop_back();
    if (wanted != nullptr) stack.push_back(wanted);
  });
}

SIMULATED_EXPORT CUresult cuCtxGetCurrent(CUcontext *out_context) {
  return call("cuCtxGetCurrent", Needs::kInit, [&](Call &) {
    Context *current = current_context();
    give(out_context, current == nullptr ? nullptr : current->handle);
  });
}
