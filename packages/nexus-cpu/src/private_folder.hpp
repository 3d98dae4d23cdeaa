// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_CPU_PRIVATE_FOLDER_HPP_
#define NEXUS_CPU_PRIVATE_FOLDER_HPP_

#include <nexus-api/nxs.h>
#include <string>

namespace nexus_cpu NXS_HIDDEN {

// A new folder that only this user may look into, removed with all that is in it.
class PrivateFolder {
 public:
  // In TMPDIR, else /tmp. Throws NXS_OutOfResources.
  PrivateFolder();
  ~PrivateFolder();
  PrivateFolder(const PrivateFolder &) = delete;
  PrivateFolder &operator=(const PrivateFolder &) = delete;

  // Absolute, without a slash at its end.
  const std::string &path() const noexcept { return path_; }

 private:
  std::string path_;
};

}  // namespace nexus_cpu

#endif  // NEXUS_CPU_PRIVATE_FOLDER_HPP_
