// SPDX-License-Identifier: Apache-2.0
#include "context.hpp"
#include "device.hpp"
#include "library.hpp"
#include "memory.hpp"

#include <algorithm>

namespace simulated_cuda {

Module::Module(Context &context, const Image &image) : context_(&context), image_(image) {
  if (!image.host_object.empty()) object_ = std::make_shared<HostObject>(image.host_object);
}

Module::~Module() = default;

void Module::unload() {
  World &all = world();
  for (const auto &[name, begin] : globals_) all.allocations.remove(begin);
  for (const auto &[name, function] : functions_) (void)all.functions.take(function);
  globals_.clear();
  functions_.clear();
  if (handle != nullptr) (void)all.modules.take(handle);
}

const Allocation &Module::global(const std::string &name) {
  Allocations &all = world().allocations;
  if (const auto found = globals_.find(name); found != globals_.end())
    return *all.at(found->second);
  require(object_ != nullptr, CUDA_ERROR_NOT_FOUND);
  Allocation made;
  made.begin = object_->variable(name, &made.size);
  require(made.begin != 0 && made.size != 0, CUDA_ERROR_NOT_FOUND);
  made.kind = MemoryKind::kGlobal;
  made.context = context_;
  made.device = &context_->device();
  globals_[name] = made.begin;
  return all.add(made);
}

std::vector<std::string> Module::kernel_names() const {
  return object_ == nullptr ? image_.names : object_->kernel_names();
}

CUfunction Module::function(const std::string &name) {
  if (const auto found = functions_.find(name); found != functions_.end()) return found->second;
  const auto names = kernel_names();
  require(std::find(names.begin(), names.end(), name) != names.end(), CUDA_ERROR_NOT_FOUND);
  return functions_[name] = world().functions.add(std::make_shared<Function>(*this, name));
}

void unload_all(const Context &context) {
  World &all = world();
  std::vector<std::shared_ptr<Module>> mine;
  for (const auto &[handle, module] : all.modules.all()) {
    if (module->context() == &context) mine.push_back(module);
  }
  for (const auto &[handle, library] : all.libraries.all()) library->forget(context);
  for (const auto &module : mine) module->unload();
}

namespace {

CUresult load(const char *name, CUmodule *out_module, const void *code) {
  return call(name, Needs::kContext, [&](Call &call) {
    require(out_module != nullptr);
    const Image image = parse_image(code, call.context->device().architecture());
    auto made = std::make_shared<Module>(*call.context, image);
    made->handle = world().modules.add(made);
    *out_module = made->handle;
  });
}

}  // namespace
}  // namespace simulated_cuda

using namespace simulated_cuda;

SIMULATED_EXPORT CUresult cuModuleLoadData(CUmodule *out_module, const void *code) {
  return load("cuModuleLoadData", out_module, code);
}

SIMULATED_EXPORT CUresult cuModuleLoadDataEx(CUmodule *out_module, const void *code, unsigned,
                                             int *, void **) {
  return load("cuModuleLoadDataEx", out_module, code);
}

SIMULATED_EXPORT CUresult cuModuleLoadFatBinary(CUmodule *out_module, const void *code) {
  return load("cuModuleLoadFatBinary", out_module, code);
}

SIMULATED_EXPORT CUresult cuModuleUnload(CUmodule module) {
  return call("cuModuleUnload", Needs::kContext, [&](Call &call) {
    const auto unloaded = world().modules.get(module);
    call.context->wait(call);
    unloaded->unload();
  });
}

SIMULATED_EXPORT CUresult cuModuleGetFunction(CUfunction *out_function, CUmodule module,
                                              const char *name) {
  return call("cuModuleGetFunction", Needs::kContext, [&](Call &) {
    const auto &asked = world().modules.get(module);
    require(out_function != nullptr && name != nullptr);
    *out_function = asked->function(name);
  });
}

SIMULATED_EXPORT CUresult cuModuleGetGlobal_v2(CUdeviceptr *out_memory, size_t *out_size,
                                               CUmodule module, const char *name) {
  return call("cuModuleGetGlobal", Needs::kContext, [&](Call &) {
    const auto &asked = world().modules.get(module);
    require(name != nullptr);
    const Allocation &found = asked->global(name);
    if (out_memory != nullptr) *out_memory = found.begin;
    if (out_size != nullptr) *out_size = found.size;
  });
}

SIMULATED_EXPORT CUresult cuModuleGetFunctionCount(unsigned *out_count, CUmodule module) {
  return call("cuModuleGetFunctionCount", Needs::kContext, [&](Call &) {
    give(out_count, static_cast<unsigned>(world().modules.get(module)->kernel_names().size()));
  });
}

SIMULATED_EXPORT CUresult cuModuleEnumerateFunctions(CUfunction *out_functions, unsigned capacity,
                                                     CUmodule module) {
  return call("cuModuleEnumerateFunctions", Needs::kContext, [&](Call &) {
    const auto asked = world().modules.get(module);
    require(out_functions != nullptr);
    for (const std::string &name : asked->kernel_names()) {
      if (capacity-- == 0) break;
      *out_functions++ = asked->function(name);
    }
  });
}

SIMULATED_EXPORT CUresult cuModuleGetLoadingMode(int *out_mode) {
  return call("cuModuleGetLoadingMode", Needs::kInit,
              [&](Call &) { give(out_mode, 2); });  // CU_MODULE_LAZY_LOADING
}
