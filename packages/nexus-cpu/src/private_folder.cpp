// SPDX-License-Identifier: Apache-2.0
#include "private_folder.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <nexus-plugin/error.hpp>
#include <system_error>

namespace nexus_cpu NXS_HIDDEN {
namespace {

std::string temporary_base() {
  const char *named = std::getenv("TMPDIR");
  const std::filesystem::path folder = named != nullptr && *named != '\0' ? named : "/tmp";
  std::error_code failed;
  const std::filesystem::path absolute = std::filesystem::absolute(folder, failed);
  std::string path = failed ? folder.string() : absolute.string();
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path;
}

}  // namespace

PrivateFolder::PrivateFolder() : path_(temporary_base() + "/nexus-XXXXXX") {
  if (mkdtemp(path_.data()) != nullptr) return;  // mode 0700
  throw nexus_plugin::Error(NXS_OutOfResources, "no temporary folder can be made as '", path_,
                            "': ", std::strerror(errno),
                            "; set TMPDIR to a folder that can be written");
}

PrivateFolder::~PrivateFolder() {
  // Twice: a program that was just killed may have been writing while the first went through.
  std::error_code failed;
  std::filesystem::remove_all(path_, failed);
  if (failed) std::filesystem::remove_all(path_, failed);
  if (failed) std::filesystem::remove(path_, failed);  // needs no open file, if it is empty
}

}  // namespace nexus_cpu
