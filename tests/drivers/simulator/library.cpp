// SPDX-License-Identifier: Apache-2.0
#include "library.hpp"

#include "../kernels/form.hpp"
#include "context.hpp"
#include "device.hpp"

#include <algorithm>

namespace simulator {
namespace {

void check_name(const std::vector<std::string> &names, const std::string &name) {
  require(std::find(names.begin(), names.end(), name) != names.end(), kNotFound);
}

int find_static_shared(const HostObject *object, const std::string &name) {
  size_t size = 0;
  const uintptr_t description =
      object == nullptr ? 0 : object->variable("nexus_kernel_" + name, &size);
  if (description == 0) return 0;
  const void *bytes = reinterpret_cast<const void *>(description);
  return static_cast<int>(simulated_kernels::shared_bytes(bytes));
}

}  // namespace

Module &Module::make(Context &context, const Code &code) {
  const auto made = std::make_shared<Module>(context, code);
  made->handle = world().modules.add(made);
  return *made;
}

Module::Module(Context &context, const Code &code)
    : context_(&context), names_(code.names), interpreted_(code.interpreted) {
  if (!code.host_object.empty()) object_ = std::make_shared<HostObject>(code.host_object);
}

void Module::unload() {
  World &all = world();
  for (const auto &[name, begin] : globals_) all.allocations.remove(begin);
  for (const auto &[name, function] : functions_) (void)all.functions.take(function);
  globals_.clear();
  functions_.clear();
  (void)all.modules.take(handle);
}

const Allocation &Module::global(const std::string &name) {
  Allocations &all = world().allocations;
  if (const auto found = globals_.find(name); found != globals_.end()) {
    return *all.at(found->second);
  }
  require(object_ != nullptr, kNotFound);
  Allocation made;
  made.begin = object_->variable(name, &made.size);
  require(made.begin != 0 && made.size != 0, kNotFound);
  made.kind = MemoryKind::kGlobal;
  made.context = context_;
  made.device = &context_->device();
  globals_[name] = made.begin;
  return all.add(made);
}

const std::vector<std::string> &Module::kernel_names() const {
  return object_ == nullptr ? names_ : object_->kernel_names();
}

std::shared_ptr<const Interpreted> Module::interpreted(const std::string &name) const {
  const auto found = interpreted_.find(name);
  return found == interpreted_.end() ? nullptr : found->second;
}

Handle Module::function(const std::string &name) {
  if (const auto found = functions_.find(name); found != functions_.end()) return found->second;
  check_name(kernel_names(), name);
  return functions_[name] = world().functions.add(std::make_shared<Function>(*this, name));
}

Function::Function(Module &module, std::string name)
    : module_(&module),
      name_(std::move(name)),
      code_(module.object() == nullptr ? nullptr : module.object()->kernel(name_)),
      static_shared_(find_static_shared(module.object().get(), name_)) {
  const Device &device = module.context()->device();
  const int bound = code_ == nullptr ? 0 : static_cast<int>(code_->max_threads);
  max_threads_ = bound == 0 ? device.attribute(kMaxThreadsPerBlock) : bound;
  max_dynamic_shared = device.attribute(kMaxSharedPerBlock) - static_shared_;
}

int Function::active_blocks(int block_size, size_t dynamic_shared) const {
  require(block_size > 0);
  const Device &device = context()->device();
  if (block_size > max_threads_) return 0;
  const int warp = device.attribute(kWarpSize);
  const int threads = (block_size + warp - 1) / warp * warp;
  const int by_threads = device.attribute(kMaxThreadsPerMultiprocessor) / threads;
  const size_t shared = dynamic_shared + static_cast<size_t>(static_shared_);
  if (shared > static_cast<size_t>(device.attribute(kMaxSharedPerBlockOptIn))) return 0;
  const auto room = static_cast<size_t>(device.attribute(kMaxSharedPerMultiprocessor));
  const int by_shared = shared == 0 ? by_threads : static_cast<int>(room / shared);
  return std::min({by_threads, by_shared, device.attribute(kMaxBlocksPerMultiprocessor)});
}

Function::BestSize Function::best_size(const std::function<size_t(int)> &shared_of,
                                       int limit) const {
  const Device &device = context()->device();
  const int warp = device.attribute(kWarpSize);
  const int largest = limit > 0 ? std::min(limit, max_threads_) : max_threads_;
  int most = 0;
  BestSize best{};
  for (int size = (largest + warp - 1) / warp * warp; size > 0; size -= warp) {
    const int tried = std::min(size, largest);
    const int active = active_blocks(tried, shared_of(tried));
    if (active * tried <= most) continue;
    most = active * tried;
    best = {tried, active * device.attribute(kMultiprocessors)};
  }
  require(best.block != 0, kLaunchOutOfResources);
  return best;
}

Library::Library(Code code) : code_(std::move(code)) {
  if (!code_.host_object.empty()) described_ = std::make_shared<HostObject>(code_.host_object);
}

Module &Library::module_in(Context &context) {
  auto &module = modules_[&context];
  if (module == nullptr) module = &Module::make(context, code_);
  return *module;
}

const std::vector<std::string> &Library::kernel_names() const {
  return described_ == nullptr ? code_.names : described_->kernel_names();
}

Handle Library::kernel(const std::string &name) {
  if (const auto found = kernels_.find(name); found != kernels_.end()) return found->second;
  check_name(kernel_names(), name);
  const auto *code = described_ == nullptr ? nullptr : described_->kernel(name);
  Kernel made{this, name, code};
  return kernels_[name] = world().kernels.add(std::make_shared<Kernel>(std::move(made)));
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

std::shared_ptr<Function> function_of(Call &call, Handle handle) {
  const auto &kernels = world().kernels.all();
  const auto kernel = kernels.find(handle);
  if (kernel != kernels.end()) handle = kernel->second->function_in(*call.context);
  return world().functions.get(handle);
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

}  // namespace simulator
