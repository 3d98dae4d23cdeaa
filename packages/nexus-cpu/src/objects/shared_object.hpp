// SPDX-License-Identifier: Apache-2.0
// The operating system's side of a kernel library.
#ifndef NEXUS_CPU_SHARED_OBJECT_HPP_
#define NEXUS_CPU_SHARED_OBJECT_HPP_

#include <nexus-api/nxs.h>
#include <string>
#include <string_view>

namespace nexus_cpu NXS_HIDDEN {

// A loaded shared library. It is always loaded from a copy of its own in memory,
// so that two libraries of the same name or content have separate variables, and
// a file that is rebuilt while loaded disturbs nobody.
class SharedObject {
 public:
  // bytes: the whole library; path: where they come from, empty for memory.
  // Throws Error(NXS_InvalidBinary) with the reason.
  SharedObject(std::string_view bytes, const std::string &path);
  ~SharedObject();
  SharedObject(const SharedObject &) = delete;
  SharedObject &operator=(const SharedObject &) = delete;

  // NULL where there is no such symbol, in this library or in those it is linked to.
  void *find(const std::string &symbol) const noexcept;

 private:
  void *handle_ = nullptr;
};

}  // namespace nexus_cpu

#endif  // NEXUS_CPU_SHARED_OBJECT_HPP_
