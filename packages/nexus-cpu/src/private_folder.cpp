// SPDX-License-Identifier: Apache-2.0
#include "private_folder.hpp"

#include <fcntl.h>
#include <unistd.h>
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

[[noreturn]] void throw_not_made(const std::string &path, int reason) {
  if (reason == EMFILE || reason == ENFILE) {
    throw nexus_plugin::Error(NXS_OutOfResources, "no file can be opened for the compiler in '",
                              path, "': ", std::strerror(reason),
                              "; close some files, or raise the limit of open files");
  }
  throw nexus_plugin::Error(NXS_OutOfResources, "no temporary folder can be made as '", path,
                            "': ", std::strerror(reason),
                            "; set TMPDIR to a folder that can be written");
}

}  // namespace

PrivateFolder::PrivateFolder() : path_(temporary_base() + "/nexus-XXXXXX") {
  if (mkdtemp(path_.data()) == nullptr) throw_not_made(path_, errno);  // mode 0700
  for (int &kept : kept_) {
    kept = open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (kept >= 0) continue;
    const int reason = errno;
    close_kept();
    rmdir(path_.c_str());
    throw_not_made(path_, reason);
  }
}

PrivateFolder::~PrivateFolder() {
  close_kept();
  // Twice: a program that was just killed may have been writing while the first went through.
  std::error_code failed;
  std::filesystem::remove_all(path_, failed);
  if (failed) std::filesystem::remove_all(path_, failed);
}

void PrivateFolder::close_kept() noexcept {
  for (int &kept : kept_) {
    if (kept >= 0) close(kept);
    kept = -1;
  }
}

}  // namespace nexus_cpu
