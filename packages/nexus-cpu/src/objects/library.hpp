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

  // The names that can be asked for as kernels, in alphabetical order: the kernels that
  // describe themselves, and every other function that the library shows.
  const std::vector<std::string> &callable_names() const noexcept { return names_.callable; }
  // What is surely meant as one. A function says nothing of what it takes, so where
  // some kernels describe themselves, the others are taken for their helpers.
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
