// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_SIMULATED_CUDA_LIBRARY_HPP_
#define NEXUS_SIMULATED_CUDA_LIBRARY_HPP_

#include "../kernels/simulated_kernel.h"
#include "call.hpp"
#include "image.hpp"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace simulated_cuda {

// Code that the host runs, loaded. Each has variables of its own.
class HostObject {
 public:
  explicit HostObject(const std::string &bytes);  // throws CUDA_ERROR_INVALID_IMAGE
  ~HostObject();
  HostObject(const HostObject &) = delete;
  HostObject &operator=(const HostObject &) = delete;

  const nexus_simulated_image *image() const { return image_; }
  const std::vector<std::string> &kernel_names() const { return names_; }
  // NULL where there is none.
  const nexus_simulated_kernel *kernel(const std::string &name) const;
  // A variable, whose size is told; 0 where there is none.
  uintptr_t variable(const std::string &name, size_t *out_size) const;

 private:
  void *library_ = nullptr;
  const nexus_simulated_image *image_ = nullptr;
  std::vector<std::string> names_;  // as the image has the kernels
};

// Code in one context.
class Module : public std::enable_shared_from_this<Module> {
 public:
  Module(Context &context, const Image &image);
  ~Module();
  Module(const Module &) = delete;
  Module &operator=(const Module &) = delete;

  Context *context() const { return context_; }
  const Image &image() const { return image_; }
  const std::shared_ptr<HostObject> &object() const { return object_; }
  // A variable as memory of the device; throws CUDA_ERROR_NOT_FOUND.
  const Allocation &global(const std::string &name);
  // Throws CUDA_ERROR_NOT_FOUND.
  CUfunction function(const std::string &name);
  std::vector<std::string> kernel_names() const;
  void unload();

  CUmodule handle = nullptr;

 private:
  Context *context_;
  Image image_;
  std::shared_ptr<HostObject> object_;
  std::map<std::string, uintptr_t> globals_;
  std::map<std::string, CUfunction> functions_;
};

// A kernel in one context.
class Function {
 public:
  Function(Module &module, std::string name);

  Module &module() const { return *module_; }
  Context *context() const { return module_->context(); }
  const std::string &name() const { return name_; }
  // NULL where the code can't run here, as a real cubin.
  const nexus_simulated_kernel *code() const { return code_; }
  const std::shared_ptr<HostObject> &object() const { return module_->object(); }

  int attribute(CUfunction_attribute which) const;
  void set_attribute(CUfunction_attribute which, int value);

 private:
  Module *module_;
  std::string name_;
  const nexus_simulated_kernel *code_;
  std::map<int, int> attributes_;
};

// Code for all contexts, loaded into each when it is first used there.
class Library {
 public:
  explicit Library(const void *code);

  Module &module_in(Context &context);
  Context *context() const { return nullptr; }
  CUkernel kernel(CUlibrary self, const std::string &name);
  std::vector<std::string> kernel_names() const;
  void unload();
  void forget(const Context &context);

 private:
  Image image_;
  std::shared_ptr<HostObject> described_;  // for what it says of itself; not run
  std::map<Context *, std::shared_ptr<Module>> modules_;
  std::map<std::string, CUkernel> kernels_;
};

// A kernel of a library.
class Kernel {
 public:
  Kernel(Library &library, CUlibrary handle, std::string name, const nexus_simulated_kernel *code)
      : library_(&library), library_handle_(handle), name_(std::move(name)), code_(code) {}

  Library &library() const { return *library_; }
  CUlibrary library_handle() const { return library_handle_; }
  const std::string &name() const { return name_; }
  const nexus_simulated_kernel *code() const { return code_; }
  CUfunction function_in(Context &context) { return library_->module_in(context).function(name_); }

 private:
  Library *library_;
  CUlibrary library_handle_;
  std::string name_;
  const nexus_simulated_kernel *code_;
};

// A function, or a kernel given for one, in the current context.
std::shared_ptr<Function> function_of(Call &call, CUfunction handle);

// The parameters of a kernel, told for cuKernelGetParamInfo and cuFuncGetParamInfo.
void tell_parameter(const nexus_simulated_kernel *code, size_t index, size_t *out_offset,
                    size_t *out_size);

void unload_all(const Context &context);

}  // namespace simulated_cuda

#endif  // NEXUS_SIMULATED_CUDA_LIBRARY_HPP_
