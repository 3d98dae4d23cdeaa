// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_HIP_KERNEL_HPP_
#define NEXUS_HIP_KERNEL_HPP_

#include "compile/code_object.hpp"
#include "device/device.hpp"

#include <nexus-plugin/base/handle_table.hpp>
#include <nexus-plugin/gpu/kernel.hpp>
#include <nexus-plugin/gpu/library.hpp>
#include <string>
#include <string_view>

namespace nexus_hip NXS_HIDDEN {

using nexus_plugin::Ref;

// A code object that HIP has loaded for one device. Immutable; any thread may use it.
class Library : public nexus_plugin::gpu::LoadedLibrary<Gpu> {
 public:
  // bytes: a code object, or a bundle with one for the device. Throws NXS_InvalidBinary.
  Library(Device &device, std::string_view bytes, const std::string &path);

  const char *format() const noexcept { return "hsaco"; }
  // Finds a kernel by its symbol, expression or plain name. Throws NXS_InvalidKernelName with
  // similar names.
  const CodeKernel &kernel(const std::string &name) const;

 private:
  std::string code_;
  CodeObject object_;
};

extern constinit HandleTable<Library, NXS_ObjectType_Library> libraries;

// A function of a library. Immutable; any thread may use it.
class Kernel : public nexus_plugin::gpu::LoadedKernel<Gpu> {
 public:
  // Throws NXS_InvalidKernelName, NXS_NotSupported for one that calls the host, and
  // NXS_InvalidKernelDefinition for one with too many arguments.
  Kernel(Ref<Library> library, const std::string &name);

  const CodeKernel &code() const noexcept { return *code_; }

 private:
  void read_arguments();

  const CodeKernel *code_;  // of the library
};

extern constinit HandleTable<Kernel, NXS_ObjectType_Kernel> kernels;

}  // namespace nexus_hip

#endif  // NEXUS_HIP_KERNEL_HPP_
