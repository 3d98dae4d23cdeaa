// SPDX-License-Identifier: Apache-2.0
// What functions and kernels say of themselves.
#include "context.hpp"
#include "device.hpp"
#include "library.hpp"

#include <cstring>

namespace simulated_cuda {
namespace {

// Of a kernel in the portable language: the arrays that it declares. In other code they are not
// known to the simulation.
int static_shared(const std::shared_ptr<HostObject> &object, const std::string &name) {
  size_t size = 0;
  constexpr size_t kAt = 5 * sizeof(int32_t);
  const uintptr_t description =
      object == nullptr ? 0 : object->variable("nexus_kernel_" + name, &size);
  if (description == 0 || size < kAt + sizeof(int32_t)) return 0;
  int32_t bytes;
  std::memcpy(&bytes, reinterpret_cast<const char *>(description) + kAt, sizeof(bytes));
  return bytes;
}

}  // namespace

Function::Function(Module &module, std::string name)
    : module_(&module),
      name_(std::move(name)),
      code_(module.object() == nullptr ? nullptr : module.object()->kernel(name_)) {
  const Device &device = module.context()->device();
  const Image &image = module.image();
  const int bound = code_ == nullptr ? 0 : static_cast<int>(code_->max_threads);
  const int shared = static_shared(module.object(), name_);
  attributes_[CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK] =
      bound == 0 ? device.attribute(kMaxThreadsPerBlock) : bound;
  attributes_[CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES] = shared;
  attributes_[CU_FUNC_ATTRIBUTE_NUM_REGS] = 32;
  attributes_[CU_FUNC_ATTRIBUTE_PTX_VERSION] =
      image.ptx_version == 0 ? image.architecture : image.ptx_version;
  attributes_[CU_FUNC_ATTRIBUTE_BINARY_VERSION] = device.architecture();
  attributes_[CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES] =
      device.attribute(kMaxSharedPerBlock) - shared;
  attributes_[CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT] = -1;
}

int Function::attribute(CUfunction_attribute which) const {
  require(which >= 0 && which < kFunctionAttributes);
  const auto found = attributes_.find(which);
  return found == attributes_.end() ? 0 : found->second;
}

void Function::set_attribute(CUfunction_attribute which, int value) {
  const Device &device = module_->context()->device();
  switch (which) {
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
      require(value >= 0 && value <= device.attribute(kMaxSharedPerBlockOptIn) -
                                         attribute(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES));
      break;
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
      require(value >= -1 && value <= 100);
      break;
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH:
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT:
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH:
      require(value >= 0);
      break;
    case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
      require(value == 0 || value == 1);
      break;
    case CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
      require(value >= 0 && value <= 2);
      break;
    default:
      fail(CUDA_ERROR_INVALID_VALUE);
  }
  attributes_[which] = value;
}

void tell_parameter(const nexus_simulated_kernel *code, size_t index, size_t *out_offset,
                    size_t *out_size) {
  require(out_offset != nullptr && code != nullptr && index < code->parameter_count);
  *out_offset = code->offsets[index];
  if (out_size != nullptr) *out_size = code->sizes[index];
}

}  // namespace simulated_cuda

using namespace simulated_cuda;

SIMULATED_EXPORT CUresult cuFuncGetAttribute(int *out_value, CUfunction_attribute attribute,
                                             CUfunction function) {
  return call("cuFuncGetAttribute", Needs::kContext, [&](Call &call) {
    give(out_value, function_of(call, function)->attribute(attribute));
  });
}

SIMULATED_EXPORT CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute,
                                             int value) {
  return call("cuFuncSetAttribute", Needs::kContext,
              [&](Call &call) { function_of(call, function)->set_attribute(attribute, value); });
}

SIMULATED_EXPORT CUresult cuFuncSetCacheConfig(CUfunction function, int config) {
  return call("cuFuncSetCacheConfig", Needs::kContext, [&](Call &call) {
    (void)function_of(call, function);
    require(config >= 0 && config <= 3);
  });
}

SIMULATED_EXPORT CUresult cuFuncGetName(const char **out_name, CUfunction function) {
  return call("cuFuncGetName", Needs::kContext,
              [&](Call &call) { give(out_name, function_of(call, function)->name().c_str()); });
}

SIMULATED_EXPORT CUresult cuFuncGetModule(CUmodule *out_module, CUfunction function) {
  return call("cuFuncGetModule", Needs::kContext,
              [&](Call &call) { give(out_module, function_of(call, function)->module().handle); });
}

SIMULATED_EXPORT CUresult cuFuncGetParamInfo(CUfunction function, size_t index, size_t *out_offset,
                                             size_t *out_size) {
  return call("cuFuncGetParamInfo", Needs::kContext, [&](Call &call) {
    tell_parameter(function_of(call, function)->code(), index, out_offset, out_size);
  });
}

SIMULATED_EXPORT CUresult cuFuncIsLoaded(int *out_state, CUfunction function) {
  return call("cuFuncIsLoaded", Needs::kContext, [&](Call &call) {
    (void)function_of(call, function);
    give(out_state, 1);  // CU_FUNCTION_LOADING_STATE_LOADED
  });
}

SIMULATED_EXPORT CUresult cuFuncLoad(CUfunction function) {
  return call("cuFuncLoad", Needs::kContext,
              [&](Call &call) { (void)function_of(call, function); });
}

SIMULATED_EXPORT CUresult cuKernelGetFunction(CUfunction *out_function, CUkernel kernel) {
  return call("cuKernelGetFunction", Needs::kContext, [&](Call &call) {
    give(out_function, world().kernels.get(kernel)->function_in(*call.context));
  });
}

SIMULATED_EXPORT CUresult cuKernelGetLibrary(CUlibrary *out_library, CUkernel kernel) {
  return call("cuKernelGetLibrary", Needs::kInit,
              [&](Call &) { give(out_library, world().kernels.get(kernel)->library_handle()); });
}

SIMULATED_EXPORT CUresult cuKernelGetName(const char **out_name, CUkernel kernel) {
  return call("cuKernelGetName", Needs::kInit,
              [&](Call &) { give(out_name, world().kernels.get(kernel)->name().c_str()); });
}

SIMULATED_EXPORT CUresult cuKernelGetParamInfo(CUkernel kernel, size_t index, size_t *out_offset,
                                               size_t *out_size) {
  return call("cuKernelGetParamInfo", Needs::kInit, [&](Call &) {
    tell_parameter(world().kernels.get(kernel)->code(), index, out_offset, out_size);
  });
}

namespace {

// In the primary context of the device, as the attributes of a kernel are told by device.
Function &kernel_on(CUkernel kernel, CUdevice device) {
  Context *primary = device_of(device).primary;
  require(primary != nullptr && !primary->destroyed(), CUDA_ERROR_INVALID_CONTEXT);
  return *world().functions.get(world().kernels.get(kernel)->function_in(*primary));
}

}  // namespace

SIMULATED_EXPORT CUresult cuKernelGetAttribute(int *out_value, CUfunction_attribute attribute,
                                               CUkernel kernel, CUdevice device) {
  return call("cuKernelGetAttribute", Needs::kInit,
              [&](Call &) { give(out_value, kernel_on(kernel, device).attribute(attribute)); });
}

SIMULATED_EXPORT CUresult cuKernelSetAttribute(CUfunction_attribute attribute, int value,
                                               CUkernel kernel, CUdevice device) {
  return call("cuKernelSetAttribute", Needs::kInit,
              [&](Call &) { kernel_on(kernel, device).set_attribute(attribute, value); });
}
