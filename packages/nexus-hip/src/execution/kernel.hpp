// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_HIP_KERNEL_HPP_
#define NEXUS_HIP_KERNEL_HPP_

#include "compile/code_object.hpp"
#include "device/device.hpp"

#include <cstdint>
#include <nexus-plugin/base/handle_table.hpp>
#include <nexus-plugin/kernel/kernel.hpp>
#include <nexus-plugin/kernel/library.hpp>
#include <nexus-plugin/kernel/name_table.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nexus_hip NXS_HIDDEN {

using nexus_plugin::member;
using nexus_plugin::Ref;
using nexus_plugin::Value;

// A code object for one device. Immutable; any thread may use it. HIP has not loaded it.
class Library : public nexus_plugin::LibraryFile {
 public:
  // bytes: a code object, or a bundle with one for the device. Throws NXS_InvalidBinary.
  Library(Device &device, std::string_view bytes, const std::string &path);

  Device &device() const noexcept { return *device_; }
  // What HIP loads.
  const std::string &code() const noexcept { return code_; }
  // The target that the code is for, such as "gfx90a".
  std::string target() const { return object_.target.name(); }

  // Finds a kernel by its symbol, expression or plain name. Throws NXS_InvalidKernelName with
  // similar names.
  const CodeKernel &kernel(const std::string &name) const;
  // In alphabetical order.
  const std::vector<std::string> &kernel_names() const noexcept { return kernel_names_; }

 private:
  Device *device_;
  std::string code_;
  CodeObject object_;
  nexus_plugin::NameTable names_;
  std::vector<std::string> symbols_, kernel_names_;
};

extern constinit HandleTable<Library, NXS_ObjectType_Library> libraries;

// A function of a library. Immutable; any thread may use it.
class Kernel {
 public:
  // Throws NXS_InvalidKernelName, NXS_NotSupported for one that calls the host, and
  // NXS_InvalidKernelDefinition for one with too many arguments.
  Kernel(Ref<Library> library, const std::string &name);

  Device &device() const noexcept { return library_->device(); }
  const std::string &name() const noexcept { return name_; }
  const CodeKernel &code() const noexcept { return *code_; }

  // Returns whether the names of the arguments are known: whether it is of the portable language,
  // in which arguments in local memory are offsets, and the grid size is the last parameter.
  bool described() const noexcept { return code_->description.has_value(); }
  // Without the hidden one of the portable language.
  std::span<const nexus_plugin::ArgumentSpec> specs() const noexcept { return specs_; }
  bool counted() const noexcept { return true; }

  std::optional<Size3> required_group_size() const;
  uint64_t max_group_items() const noexcept { return code_->max_group_items; }

 private:
  Ref<Library> library_;  // owns *code_
  std::string name_;
  const CodeKernel *code_;
  std::vector<nexus_plugin::ArgumentSpec> specs_;
};

extern constinit HandleTable<Kernel, NXS_ObjectType_Kernel> kernels;

}  // namespace nexus_hip

#endif  // NEXUS_HIP_KERNEL_HPP_
