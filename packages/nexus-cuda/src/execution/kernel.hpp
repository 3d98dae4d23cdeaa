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

// Code that the driver has loaded for one device. Immutable, so any thread may use it.
class Library : public nexus_plugin::LibraryFile {
 public:
  // bytes: a cubin, a fatbin, PTX, or what becomes one of them. Throws NXS_InvalidBinary with the
  // reason.
  Library(Device &device, std::string_view bytes, const std::string &path);
  ~Library();
  Library(const Library &) = delete;
  Library &operator=(const Library &) = delete;

  Device &device() const noexcept { return *device_; }
  CUlibrary handle() const noexcept { return library_; }
  const char *format() const noexcept { return format_name(format_); }

  // The driver's name of a kernel: of a template, by its expression, or the name itself.
  std::string symbol_of(const std::string &name) const {
    std::string symbol = symbol_of_name(name, names_, symbols_);
    return symbol.empty() ? name : symbol;
  }

  // The names of its kernels in alphabetical order; empty where the driver does not list them.
  const std::vector<std::string> &kernel_names() const noexcept { return kernel_names_; }

  // The bytes of a variable in the device's memory; empty where there is none of that name. With
  // the device's context current.
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

// A function of a library. Immutable but for what it asks of the driver, so any thread may use it.
class Kernel {
 public:
  // Throws Error(NXS_InvalidKernelName) with the names that are near.
  Kernel(Ref<Library> library, const std::string &name);

  Device &device() const noexcept { return library_->device(); }
  const std::string &name() const noexcept { return name_; }
  CUfunction function() const noexcept { return function_; }

  // Returns whether names and kinds of the arguments are known.
  bool described() const noexcept { return portable_; }
  // Returns whether at least their number and sizes are; specs() are of those.
  bool counted() const noexcept { return counted_; }
  // Without the hidden one.
  std::span<const nexus_plugin::ArgumentSpec> specs() const noexcept { return specs_; }
  // Of the portable language: arguments in local memory are offsets, and the size of the grid is
  // the last parameter.
  bool portable() const noexcept { return portable_; }

  // Where it was written for one group size.
  const std::optional<Size3> &required_group_size() const noexcept {
    return description_.group_size;
  }
  // Likewise for one cluster size.
  const std::optional<Size3> &required_cluster_size() const noexcept {
    return required_cluster_size_;
  }
  uint64_t max_group_items() const noexcept { return max_group_items_; }
  uint64_t shared_memory() const noexcept { return shared_memory_; }      // bytes that it declares
  uint64_t local_memory() const noexcept { return local_memory_; }        // bytes of a thread
  uint64_t registers() const noexcept { return registers_; }              // of a thread
  uint64_t constant_memory() const noexcept { return constant_memory_; }  // bytes

  // Work items of the groups that keep the device busiest, with that much dynamic shared memory.
  // Asks the driver once for each amount in turn.
  uint64_t best_group_items(uint64_t dynamic_shared) const;
  // Lets launches have so much dynamic shared memory, at least. Throws NXS_OutOfResources where the
  // device has not enough.
  void allow_dynamic_shared(uint64_t bytes) const;

 private:
  void find();
  uint64_t ask(CUfunction_attribute attribute) const;
  std::vector<uint64_t> parameter_sizes() const;
  void read_limits();
  void read_arguments();

  Ref<Library> library_;  // keeps the code
  std::string name_;
  CUkernel kernel_ = nullptr;
  CUfunction function_ = nullptr;
  nexus_plugin::KernelDescription description_;  // keeps the texts of specs_
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
  mutable std::optional<BestGroup> best_;  // the newest answer
};

extern constinit HandleTable<Kernel, NXS_ObjectType_Kernel> kernels;

}  // namespace nexus_cuda

#endif  // NEXUS_CUDA_KERNEL_HPP_
