// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_CPU_LIBRARY_HPP_
#define NEXUS_CPU_LIBRARY_HPP_

#include "objects/device.hpp"

#include <map>
#include <nexus-plugin/base/handle_table.hpp>
#include <nexus-plugin/kernel/library.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nexus_cpu NXS_HIDDEN {

// The prefix of the name of a kernel's descriptor, a constant; the kernel's name follows.
inline constexpr const char *kDescriptorPrefix = "nexus_cpu_kernel_";

// A loaded shared library. It is loaded from a private copy in memory, so that libraries of the
// same name or content have separate variables, and so that the file may be rebuilt while loaded.
// If that fails, it is loaded from its path.
class SharedObject {
 public:
  // bytes: the whole library; path: its file, empty if it is in memory. Throws
  // Error(NXS_InvalidBinary) with the reason.
  SharedObject(std::string_view bytes, const std::string &path);
  ~SharedObject();
  SharedObject(const SharedObject &) = delete;
  SharedObject &operator=(const SharedObject &) = delete;

  // Returns NULL if neither this library nor one that it is linked to has the symbol.
  void *find(const std::string &symbol) const noexcept;

 private:
  void *handle_ = nullptr;
};

// A kernel library. Immutable, so any thread may use it.
class Library : public nexus_plugin::LibraryFile {
 public:
  // Throws NXS_InvalidBinary with the reason.
  Library(const Device &device, std::string_view bytes, const std::string &path);

  // Reads a library's file. Throws the reason if it can't be one.
  static std::string read_file(const std::string &path);

  const SharedObject &object() const noexcept { return object_; }

  // The names of all possible kernels in alphabetical order: kernels with descriptors and every
  // other exported function.
  const std::vector<std::string> &callable_names() const noexcept { return names_.callable; }
  // The names of actual kernels. Functions carry no type information, so if some kernels have
  // descriptors, the other functions are considered helpers.
  const std::vector<std::string> &kernel_names() const noexcept { return names_.kernels; }

  // Returns the bytes of an exported variable that can be written. Throws NXS_InvalidValue with
  // similar names.
  std::span<std::byte> global(const std::string &name) const;

 private:
  struct Names {
    std::vector<std::string> callable;
    std::vector<std::string> kernels;
    std::map<std::string, uint64_t> variables;  // their sizes in bytes
  };
  static Names find_names(std::string_view bytes);

  SharedObject object_;
  Names names_;
};

extern constinit nexus_plugin::HandleTable<Library, NXS_ObjectType_Library> libraries;

}  // namespace nexus_cpu

#endif  // NEXUS_CPU_LIBRARY_HPP_
