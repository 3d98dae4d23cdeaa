// SPDX-License-Identifier: Apache-2.0
// Files that a compiler reads besides the program's text and its own installation.
#ifndef NEXUS_CPU_OUTSIDE_FILES_HPP_
#define NEXUS_CPU_OUTSIDE_FILES_HPP_

#include <nexus-api/nxs.h>
#include <string>
#include <vector>

namespace nexus_cpu NXS_HIDDEN {

struct OutsideFiles {
  std::vector<std::string> include_folders;  // of flags such as -I and of variables such as CPATH
  bool others = false;                       // whether flags name other files: libraries, profiles
};

// Returns the files named by a user's flags and by the environment.
OutsideFiles outside_files(const std::vector<std::string> &flags, bool cxx);

}  // namespace nexus_cpu

#endif  // NEXUS_CPU_OUTSIDE_FILES_HPP_
