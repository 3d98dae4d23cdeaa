// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_LIBRARY_HPP_
#define NEXUS_LIBRARY_HPP_

#include <nexus/kernel.hpp>
#include <nexus/object.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace nexus {

class Device;

/// A loaded library of kernels. Made by Device::loadLibrary.
class Library : public Object {
 public:
  Library() noexcept = default;
  /// Takes over the caller's reference.
  explicit Library(nexus_library *object) noexcept : Object(object) {}

  /// NXS_InvalidKernelName where the library has no such kernel; the text names near ones.
  Kernel getKernel(std::string_view name) const {
    nexus_kernel *kernel = nullptr;
    detail::check(nexus_library_get_kernel(get(), detail::toString(name), &kernel));
    return Kernel(kernel);
  }

  /// Defined in <nexus/device.hpp>.
  Device getDevice() const;

  /// The names of the library's kernels. NXS_InvalidProperty where the backend can't tell.
  std::vector<std::string> getKernelNames() const {
    return getProperty<std::vector<std::string>>(NP_KernelNames);
  }

  /// All kernels of the library.
  std::vector<Kernel> getKernels() const {
    std::vector<Kernel> kernels;
    for (const std::string &name : getKernelNames()) {
      kernels.push_back(getKernel(name));
    }
    return kernels;
  }

  /// Ends the library; its kernels and the work that uses them live on until released.
  void close() const { closeObject(); }
};

}  // namespace nexus

#endif  // NEXUS_LIBRARY_HPP_
