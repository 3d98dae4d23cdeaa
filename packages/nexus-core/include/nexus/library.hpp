// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_LIBRARY_HPP_
#define NEXUS_LIBRARY_HPP_

#include <nexus/buffer.hpp>
#include <nexus/kernel.hpp>
#include <nexus/object.hpp>
#include <nexus/properties.hpp>

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

  /// Throws NXS_InvalidKernelName if the library has no such kernel; the text has similar names.
  Kernel getKernel(std::string_view name) const {
    return detail::result<Kernel>(nexus_library_get_kernel, get(), detail::toString(name));
  }

  /// Returns a buffer of a variable of the library's code, of bytes, by its symbol; view() gives it
  /// a type. Kernels read what is written to it. It keeps the code loaded. A copy or fill without a
  /// stream waits for all work submitted to the device. Throws NXS_InvalidValue if there is no such
  /// variable, or it can't be written; the text has similar names.
  Buffer getGlobal(std::string_view name) const {
    return detail::result<Buffer>(nexus_library_get_global, get(), detail::toString(name));
  }

  /// Defined in <nexus/device.hpp>.
  Device getDevice() const;

  /// Returns the description of a library from a kernel catalog; without one, no properties.
  Properties getInfo() const { return detail::result<Properties>(nexus_library_get_info, get()); }

  /// Returns the names of the library's kernels. Throws NXS_InvalidProperty if the backend can't
  /// tell.
  std::vector<std::string> getKernelNames() const {
    return getProperty<std::vector<std::string>>(NP_KernelNames);
  }

  /// Returns all kernels of the library.
  std::vector<Kernel> getKernels() const {
    std::vector<Kernel> kernels;
    for (const std::string &name : getKernelNames()) {
      kernels.push_back(getKernel(name));
    }
    return kernels;
  }

  /// Closes the library; its kernels, and work that uses them, keep what they need.
  void close() const { closeObject(); }
};

}  // namespace nexus

#endif  // NEXUS_LIBRARY_HPP_
