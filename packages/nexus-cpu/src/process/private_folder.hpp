// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_CPU_PRIVATE_FOLDER_HPP_
#define NEXUS_CPU_PRIVATE_FOLDER_HPP_

#include <nexus-api/nxs.h>
#include <array>
#include <string>

namespace nexus_cpu NXS_HIDDEN {

// A new folder that only this user may look into, removed with all that is in it.
class PrivateFolder {
 public:
  // In TMPDIR, else /tmp. The first of a process removes those there whose process died without
  // doing so. Throws NXS_OutOfResources.
  PrivateFolder();
  ~PrivateFolder();
  PrivateFolder(const PrivateFolder &) = delete;
  PrivateFolder &operator=(const PrivateFolder &) = delete;

  // Absolute, without a slash at its end.
  const std::string &path() const noexcept { return path_; }

 private:
  void open_kept();
  void close_kept() noexcept;

  std::string path_;
  // Open files that removing needs, one for each level of folders: it works also where the process
  // has no other left.
  std::array<int, 6> kept_ = {-1, -1, -1, -1, -1, -1};
};

}  // namespace nexus_cpu

#endif  // NEXUS_CPU_PRIVATE_FOLDER_HPP_
