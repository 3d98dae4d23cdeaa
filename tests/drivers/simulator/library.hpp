// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_SIMULATOR_LIBRARY_HPP_
#define NEXUS_SIMULATOR_LIBRARY_HPP_

#include "call.hpp"
#include "host_object.hpp"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace simulator {

// A kernel that the simulator runs itself, in one thread.
struct Interpreted {
  virtual ~Interpreted() = default;
  // By a stream's thread. parameters: packed as offset_of() says.
  virtual Result run(const unsigned char *parameters) const = 0;

  size_t offset_of(size_t parameter) const {
    size_t offset = 0;
    for (size_t i = 0; i < parameter; ++i) offset += (sizes[i] + 7) / 8 * 8;
    return offset;
  }
  std::vector<size_t> sizes;  // of the parameters
};

// The contents of code that a program gives to the driver.
struct Code {
  std::string host_object;         // the shared object that runs on the host; empty: there is none
  std::vector<std::string> names;  // of the kernels, where the code can't run here
  std::map<std::string, std::shared_ptr<const Interpreted>> interpreted = {};
};

// Code in one context.
class Module : public std::enable_shared_from_this<Module> {
 public:
  // Loads it, and gives it a handle.
  static Module &make(Context &context, const Code &code);
  Module(Context &context, const Code &code);

  Context *context() const { return context_; }
  const std::shared_ptr<HostObject> &object() const { return object_; }
  // A variable as memory of the device; throws kNotFound.
  const Allocation &global(const std::string &name);
  // Throws kNotFound.
  Handle function(const std::string &name);
  // NULL for any other kernel.
  std::shared_ptr<const Interpreted> interpreted(const std::string &name) const;
  const std::vector<std::string> &kernel_names() const;
  void unload();

  Handle handle = nullptr;

 private:
  Context *context_;
  std::shared_ptr<HostObject> object_;
  std::vector<std::string> names_;
  std::map<std::string, std::shared_ptr<const Interpreted>> interpreted_;
  std::map<std::string, uintptr_t> globals_;
  std::map<std::string, Handle> functions_;
};

// A kernel in one context.
class Function {
 public:
  Function(Module &module, std::string name);

  Context *context() const { return module_->context(); }
  const std::string &name() const { return name_; }
  // NULL if the code can't run here, like a real compiler's.
  const nexus_simulated_kernel *code() const { return code_; }
  const std::shared_ptr<HostObject> &object() const { return module_->object(); }
  std::shared_ptr<const Interpreted> interpreted() const { return module_->interpreted(name_); }

  int max_threads() const { return max_threads_; }      // of a block
  int static_shared() const { return static_shared_; }  // bytes, as are those below
  int max_dynamic_shared = 0;
  bool large_clusters = false;  // larger than every device of the kind allows

  // Blocks of a cluster.
  unsigned largest_cluster() const { return large_clusters ? 16 : 8; }
  // Returns how many blocks of a size fit on a multiprocessor.
  int active_blocks(int block_size, size_t dynamic_shared) const;
  // The size of a block, up to a limit (0: none), that keeps the most threads active, and how many
  // such blocks the device takes. shared_of: the dynamic shared memory of a block of a size.
  struct BestSize {
    int block, blocks;
  };
  BestSize best_size(const std::function<size_t(int)> &shared_of, int limit) const;

 private:
  Module *module_;
  std::string name_;
  const nexus_simulated_kernel *code_;
  int max_threads_;
  int static_shared_;
};

// Code for all contexts, loaded into each when it is first used there.
class Library {
 public:
  explicit Library(Code code);

  Module &module_in(Context &context);
  Handle kernel(const std::string &name);
  const std::vector<std::string> &kernel_names() const;
  void unload();
  void forget(const Context &context);

 private:
  Code code_;
  std::shared_ptr<HostObject> described_;  // for what it says of itself; not run
  std::map<Context *, Module *> modules_;
  std::map<std::string, Handle> kernels_;
};

// A kernel of a library.
struct Kernel {
  Library *library;
  std::string name;
  const nexus_simulated_kernel *code;

  Handle function_in(Context &context) { return library->module_in(context).function(name); }
};

// A function, or a kernel given for one, in the current context.
std::shared_ptr<Function> function_of(Call &call, Handle handle);

void unload_all(const Context &context);

}  // namespace simulator

#endif  // NEXUS_SIMULATOR_LIBRARY_HPP_
