// SPDX-License-Identifier: Apache-2.0
// The loading of kernel libraries by the operating system.
#ifndef NEXUS_CPU_SHARED_OBJECT_HPP_
#define NEXUS_CPU_SHARED_OBJECT_HPP_

#include <nexus-api/nxs.h>
#include <string>
#include <string_view>

namespace nexus_cpu NXS_HIDDEN {

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

}  // namespace nexus_cpu

#endif  // NEXUS_CPU_SHARED_OBJECT_HPP_
