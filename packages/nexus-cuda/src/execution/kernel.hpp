// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_CUDA_KERNEL_HPP_
#define NEXUS_CUDA_KERNEL_HPP_

#include "compile/code.hpp"
#include "device/device.hpp"

#include <cstddef>
#include <cstdint>
#include <nexus-plugin/base/handle_table.hpp>
#include <nexus-plugin/gpu/kernel.hpp>
#include <nexus-plugin/gpu/library.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nexus_cuda NXS_HIDDEN {

using nexus_plugin::Ref;

// Code that the driver has loaded for one device. Immutable; any thread may use it.
class Library : public nexus_plugin::gpu::LoadedLibrary<Gpu> {
 public:
  // bytes: a cubin, a fatbin or PTX; other code is compiled or linked first. Throws
  // NXS_InvalidBinary.
  Library(Device &device, std::string_view bytes, const std::string &path);

  const char *format() const noexcept { return format_name(format_); }

  // Returns the bytes of a variable in device memory; empty if there is no such variable. The
  // device's context must be current.
  std::vector<std::byte> read_variable(const std::string &name) const;

 private:
  void list_kernels();

  CodeFormat format_ = CodeFormat::kUnknown;
};

extern constinit HandleTable<Library, NXS_ObjectType_Library> libraries;

// A function of a library. Any thread may use it.
class Kernel : public nexus_plugin::gpu::LoadedKernel<Gpu> {
 public:
  // Throws NXS_InvalidKernelName with similar names, and NXS_InvalidBinary for a wrong description.
  Kernel(Ref<Library> library, const std::string &name);

  const std::optional<Size3> &required_cluster_size() const noexcept {
    return required_cluster_size_;
  }
  uint64_t constant_memory() const noexcept { return constant_memory_; }  // bytes

 private:
  void find();
  uint64_t ask(CUfunction_attribute attribute) const;
  std::vector<uint64_t> parameter_sizes() const;
  void read_limits();
  void read_arguments();

  CUkernel kernel_ = nullptr;
  std::optional<Size3> required_cluster_size_;
  uint64_t constant_memory_ = 0;
};

extern constinit HandleTable<Kernel, NXS_ObjectType_Kernel> kernels;

}  // namespace nexus_cuda

#endif  // NEXUS_CUDA_KERNEL_HPP_
