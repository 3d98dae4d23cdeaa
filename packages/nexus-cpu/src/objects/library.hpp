// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_CPU_LIBRARY_HPP_
#define NEXUS_CPU_LIBRARY_HPP_

#include "objects/device.hpp"
#include "objects/shared_object.hpp"

#include <nexus-plugin/handle_table.hpp>
#include <nexus-plugin/library.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace nexus_cpu NXS_HIDDEN {

// A kernel library. Immutable, so any thread may use it.
class Library : public nexus_plugin::LibraryFile {
 public:
  // Throws NXS_InvalidBinary with the reason.
  Library(const Device &device, std::string_view bytes, const std::string &path);

  const SharedObject &object() const noexcept { return object_; }

  // The names of all possible kernels in alphabetical order: kernels with descriptors and every
  // other exported function.
  const std::vector<std::string> &callable_names() const noexcept { return names_.callable; }
  // The names of actual kernels. Functions carry no type information, so if some kernels have
  // descriptors, the other functions are considered helpers.
  const std::vector<std::string> &kernel_names() const noexcept { return names_.kernels; }

 private:
  struct Names {
    std::vector<std::string> callable;
    std::vector<std::string> kernels;
  };
  static Names find_names(std::string_view bytes);

  SharedObject object_;
  Names names_;
};

extern constinit nexus_plugin::HandleTable<Library, NXS_ObjectType_Library> libraries;

}  // namespace nexus_cpu

#endif  // NEXUS_CPU_LIBRARY_HPP_
