// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_CUDA_KERNEL_HPP_
#define NEXUS_CUDA_KERNEL_HPP_

#include "compile/code.hpp"
#include "device/queue.hpp"

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <nexus-plugin/base/handle_table.hpp>
#include <nexus-plugin/kernel/kernel_description.hpp>
#include <nexus-plugin/kernel/library.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nexus_cuda NXS_HIDDEN {

// Code that the driver has loaded for one device. Immutable; any thread may use it.
class Library : public nexus_plugin::LibraryFile {
 public:
  // bytes: a cubin, a fatbin or PTX; other code is compiled or linked first. Throws
  // NXS_InvalidBinary.
  Library(Device &device, std::string_view bytes, const std::string &path);
  ~Library();
  Library(const Library &) = delete;
  Library &operator=(const Library &) = delete;

  Device &device() const noexcept { return *device_; }
  CUlibrary handle() const noexcept { return library_; }
  const char *format() const noexcept { return format_name(format_); }

  // Returns the symbol of a kernel by its symbol, expression or plain name; name if there is none.
  std::string symbol_of(const std::string &name) const {
    std::string symbol = symbol_of_name(name, names_, symbols_);
    return symbol.empty() ? name : symbol;
  }

  // Returns the kernels' names in alphabetical order; empty if the driver does not list them.
  const std::vector<std::string> &kernel_names() const noexcept { return kernel_names_; }

  // Returns the bytes of a variable in device memory; empty if there is no such variable. The
  // device's context must be current.
  std::vector<std::byte> read_variable(const std::string &name) const;

 private:
  void load(const std::string &bytes);
  void list_kernels();

  Device *device_;
  CodeFormat format_ = CodeFormat::kUnknown;
  CUlibrary library_ = nullptr;
  NameTable names_;
  std::vector<std::string> symbols_, kernel_names_;
};

extern constinit HandleTable<Library, NXS_ObjectType_Library> libraries;

// A function of a library. Any thread may use it.
class Kernel {
 public:
  // Throws NXS_InvalidKernelName with similar names, and NXS_InvalidBinary for a wrong description.
  Kernel(Ref<Library> library, const std::string &name);

  Device &device() const noexcept { return library_->device(); }
  const std::string &name() const noexcept { return name_; }
  CUfunction function() const noexcept { return function_; }

  // Returns whether the names and kinds of the arguments are known.
  bool described() const noexcept { return portable_; }
  // Returns whether the number and sizes of the arguments are known, and so specs().
  bool counted() const noexcept { return counted_; }
  // Returns the arguments, without the grid's size that portable kernels have as last parameter.
  std::span<const nexus_plugin::ArgumentSpec> specs() const noexcept { return specs_; }
  // Returns whether the kernel is written in the portable language. Then its arguments in local
  // memory are offsets into dynamic shared memory.
  bool portable() const noexcept { return portable_; }

  const std::optional<Size3> &required_group_size() const noexcept {
    return description_.group_size;
  }
  const std::optional<Size3> &required_cluster_size() const noexcept {
    return required_cluster_size_;
  }
  uint64_t max_group_items() const noexcept { return max_group_items_; }
  uint64_t shared_memory() const noexcept { return shared_memory_; }      // static bytes of a block
  uint64_t local_memory() const noexcept { return local_memory_; }        // bytes of a thread
  uint64_t registers() const noexcept { return registers_; }              // of a thread
  uint64_t constant_memory() const noexcept { return constant_memory_; }  // bytes

  // Returns the threads of a block with which the most warps run at the same time. Keeps the
  // driver's last answer.
  uint64_t best_group_items(uint64_t dynamic_shared) const;
  // Lets launches use that many bytes of dynamic shared memory. Throws NXS_OutOfResources if the
  // device has too little.
  void allow_dynamic_shared(uint64_t bytes) const;

 private:
  void find();
  uint64_t ask(CUfunction_attribute attribute) const;
  std::vector<uint64_t> parameter_sizes() const;
  void read_limits();
  void read_arguments();

  Ref<Library> library_;  // keeps the code loaded
  std::string name_;
  CUkernel kernel_ = nullptr;
  CUfunction function_ = nullptr;
  nexus_plugin::KernelDescription description_;  // owns the texts of specs_
  bool portable_ = false, counted_ = false;
  std::vector<nexus_plugin::ArgumentSpec> specs_;
  std::optional<Size3> required_cluster_size_;
  uint64_t max_group_items_ = 1, shared_memory_ = 0, local_memory_ = 0, registers_ = 0;
  uint64_t constant_memory_ = 0;
  mutable std::mutex mutex_;
  mutable uint64_t allowed_dynamic_ = 0;  // bytes
  struct BestGroup {
    uint64_t dynamic_shared, items;
  };
  mutable std::optional<BestGroup> best_;  // the driver's last answer
};

extern constinit HandleTable<Kernel, NXS_ObjectType_Kernel> kernels;

}  // namespace nexus_cuda

#endif  // NEXUS_CUDA_KERNEL_HPP_
