// SPDX-License-Identifier: Apache-2.0
#include "library.hpp"

#include "context.hpp"
#include "device.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>

namespace simulated_cuda {

Library::Library(const void *code)
    : image_(parse_image(code, world().devices.front()->architecture())) {
  if (!image_.host_object.empty()) described_ = std::make_shared<HostObject>(image_.host_object);
}

Module &Library::module_in(Context &context) {
  auto &module = modules_[&context];
  if (module == nullptr) {
    module = std::make_shared<Module>(context, image_);
    module->handle = world().modules.add(module);
  }
  return *module;
}

std::vector<std::string> Library::kernel_names() const {
  return described_ == nullptr ? image_.names : described_->kernel_names();
}

CUkernel Library::kernel(CUlibrary self, const std::string &name) {
  if (const auto found = kernels_.find(name); found != kernels_.end()) return found->second;
  const auto names = kernel_names();
  require(std::find(names.begin(), names.end(), name) != names.end(), CUDA_ERROR_NOT_FOUND);
  const auto *code = described_ == nullptr ? nullptr : described_->kernel(name);
  return kernels_[name] = world().kernels.add(std::make_shared<Kernel>(*this, self, name, code));
}

void Library::unload() {
  for (const auto &[name, kernel] : kernels_) (void)world().kernels.take(kernel);
  for (const auto &[context, module] : modules_) module->unload();
  kernels_.clear();
  modules_.clear();
}

void Library::forget(const Context &context) {
  modules_.erase(const_cast<Context *>(&context));
}

std::shared_ptr<Function> function_of(Call &call, CUfunction handle) {
  World &all = world();
  const auto kernel = all.kernels.all().find(reinterpret_cast<CUkernel>(handle));
  if (kernel != all.kernels.all().end()) handle = kernel->second->function_in(*call.context);
  return all.functions.get(handle);
}

namespace {

CUresult load(const char *name, CUlibrary *out_library, const void *code) {
  return call(name, Needs::kInit, [&](Call &) {
    require(out_library != nullptr);
    *out_library = world().libraries.add(std::make_shared<Library>(code));
  });
}

}  // namespace
}  // namespace simulated_cuda

using namespace simulated_cuda;

SIMULATED_EXPORT CUresult cuLibraryLoadData(CUlibrary *out_library, const void *code, int *,
                                            void **, unsigned, int *, void **, unsigned) {
  return load("cuLibraryLoadData", out_library, code);
}

SIMULATED_EXPORT CUresult cuLibraryLoadFromFile(CUlibrary *out_library, const char *path, int *,
                                                void **, unsigned, int *, void **, unsigned) {
  std::string text;
  if (path != nullptr) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream bytes;
    bytes << file.rdbuf();
    text = bytes.str();
  }
  if (text.empty()) {
    return call("cuLibraryLoadFromFile", Needs::kInit, [&](Call &) {
      fail(path == nullptr ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_FILE_NOT_FOUND);
    });
  }
  return load("cuLibraryLoadFromFile", out_library, text.c_str());
}

SIMULATED_EXPORT CUresult cuLibraryUnload(CUlibrary library) {
  return call("cuLibraryUnload", Needs::kInit,
              [&](Call &) { world().libraries.take(library)->unload(); });
}

SIMULATED_EXPORT CUresult cuLibraryGetKernel(CUkernel *out_kernel, CUlibrary library,
                                             const char *name) {
  return call("cuLibraryGetKernel", Needs::kInit, [&](Call &) {
    const auto &asked = world().libraries.get(library);
    require(out_kernel != nullptr && name != nullptr);
    *out_kernel = asked->kernel(library, name);
  });
}

SIMULATED_EXPORT CUresult cuLibraryGetKernelCount(unsigned *out_count, CUlibrary library) {
  return call("cuLibraryGetKernelCount", Needs::kInit, [&](Call &) {
    give(out_count, static_cast<unsigned>(world().libraries.get(library)->kernel_names().size()));
  });
}

SIMULATED_EXPORT CUresult cuLibraryEnumerateKernels(CUkernel *out_kernels, unsigned capacity,
                                                    CUlibrary library) {
  return call("cuLibraryEnumerateKernels", Needs::kInit, [&](Call &) {
    const auto asked = world().libraries.get(library);
    require(out_kernels != nullptr);
    for (const std::string &name : asked->kernel_names()) {
      if (capacity-- == 0) break;
      *out_kernels++ = asked->kernel(library, name);
    }
  });
}

SIMULATED_EXPORT CUresult cuLibraryGetModule(CUmodule *out_module, CUlibrary library) {
  return call("cuLibraryGetModule", Needs::kContext, [&](Call &call) {
    give(out_module, world().libraries.get(library)->module_in(*call.context).handle);
  });
}

SIMULATED_EXPORT CUresult cuLibraryGetGlobal(CUdeviceptr *out_memory, size_t *out_size,
                                             CUlibrary library, const char *name) {
  return call("cuLibraryGetGlobal", Needs::kContext, [&](Call &call) {
    const auto &asked = world().libraries.get(library);
    require(name != nullptr);
    const Allocation &found = asked->module_in(*call.context).global(name);
    if (out_memory != nullptr) *out_memory = found.begin;
    if (out_size != nullptr) *out_size = found.size;
  });
}
