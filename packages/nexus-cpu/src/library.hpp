// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_CPU_LIBRARY_HPP_
#define NEXUS_CPU_LIBRARY_HPP_

#include "shared_object.hpp"

#include <nexus-plugin/handle_table.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace nexus_cpu NXS_HIDDEN {

// A kernel library. Immutable, so any thread may use it.
class Library {
 public:
  Library(std::string_view bytes, const std::string &path);

  const std::string &path() const noexcept { return path_; }  // empty: from memory
  uint64_t size() const noexcept { return size_; }            // bytes
  const SharedObject &object() const noexcept { return object_; }

  // The names of the kernels, in alphabetical order: those that describe
  // themselves, and every other function that the library shows.
  const std::vector<std::string> &kernel_names() const noexcept { return kernel_names_; }

 private:
  std::string path_;
  uint64_t size_;
  SharedObject object_;
  std::vector<std::string> kernel_names_;
};

extern constinit nexus_plugin::HandleTable<Library, NXS_ObjectType_Library> libraries;

}  // namespace nexus_cpu

#endif  // NEXUS_CPU_LIBRARY_HPP_
