// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_CPU_KERNEL_HPP_
#define NEXUS_CPU_KERNEL_HPP_

#include "objects/library.hpp"

#include <cstdint>
#include <nexus-plugin/kernel/kernel.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

struct nexus_cpu_kernel;
struct nexus_cpu_range;

namespace nexus_cpu NXS_HIDDEN {

// A function of a library. Immutable, so any thread may use it.
class Kernel {
 public:
  using Range = void (*)(const nexus_cpu_range *range);
  using Plain = void (*)();  // called as described in plain_range.hpp

  // Throws Error(NXS_InvalidKernelName), which suggests similar names.
  Kernel(nexus_plugin::Ref<Library> library, const std::string &name);

  const std::string &name() const noexcept { return name_; }

  // Exactly one of the two is NULL.
  Range range() const noexcept { return range_; }
  Plain plain() const noexcept { return plain_; }

  bool described() const noexcept { return range_ != nullptr; }
  // Empty for a kernel without descriptor.
  std::span<const nexus_plugin::ArgumentSpec> specs() const noexcept { return specs_; }

  // Set if the kernel requires one group size.
  const std::optional<nexus_plugin::Size3> &required_group_size() const noexcept {
    return required_group_size_;
  }
  // The most work items of a group.
  uint64_t max_group_items() const noexcept;
  // The bytes that the kernel declares itself, without those of its arguments.
  uint64_t local_memory() const noexcept { return local_memory_; }

 private:
  void take_descriptor(const nexus_cpu_kernel &described);
  void take_arguments(const nexus_cpu_kernel &described);
  void take_requirements(const nexus_cpu_kernel &described);

  nexus_plugin::Ref<Library> library_;  // keeps the code loaded
  std::string name_;
  Range range_ = nullptr;
  Plain plain_ = nullptr;
  std::vector<nexus_plugin::ArgumentSpec> specs_;
  std::optional<nexus_plugin::Size3> required_group_size_;
  uint64_t local_memory_ = 0;
};

extern constinit nexus_plugin::HandleTable<Kernel, NXS_ObjectType_Kernel> kernels;

}  // namespace nexus_cpu

#endif  // NEXUS_CPU_KERNEL_HPP_
