// SPDX-License-Identifier: Apache-2.0
#include "process/private_folder.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <nexus-plugin/error.hpp>
#include <system_error>

namespace nexus_cpu NXS_HIDDEN {
namespace {

constexpr const char *kPrefix = "nexus-compile-";

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

int open_folder(const std::string &path) {
  return open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

// Locks a folder for as long as this process has the file, which dies with it. False where another
// process that removes abandoned folders was quicker. Where a file system knows no locks, none is
// removed.
bool lock_folder(int folder, const std::string &path) {
  if (folder < 0) return false;
  if (flock(folder, LOCK_EX | LOCK_NB) != 0) return errno != EWOULDBLOCK;
  return access(path.c_str(), F_OK) == 0;
}

// Removes a folder of this user's that no living process has locked.
void remove_if_abandoned(const std::string &path) {
  const int folder = open_folder(path);
  if (folder < 0) return;
  struct stat status{};
  if (fstat(folder, &status) == 0 && status.st_uid == geteuid() &&
      flock(folder, LOCK_EX | LOCK_NB) == 0) {
    std::error_code failed;
    std::filesystem::remove_all(path, failed);
  }
  close(folder);
}

// Removes the folders of processes that died.
void remove_abandoned(const std::string &base) {
  std::error_code failed;
  for (std::filesystem::directory_iterator entry(base, failed), end; !failed && entry != end;
       entry.increment(failed)) {
    const std::string name = entry->path().filename().string();
    if (name.starts_with(kPrefix)) remove_if_abandoned(entry->path().string());
  }
}

}  // namespace

PrivateFolder::PrivateFolder() {
  static std::once_flag cleaned;
  const std::string base = temporary_base();
  std::call_once(cleaned, [&] { remove_abandoned(base); });
  do {
    path_ = base + "/" + kPrefix + "XXXXXX";
    if (mkdtemp(path_.data()) == nullptr) throw_not_made(path_, errno);  // mode 0700
    open_kept();
  } while (!lock_folder(kept_[0], path_));
}

void PrivateFolder::open_kept() {
  close_kept();
  for (int &kept : kept_) {
    kept = open_folder(path_);
    if (kept >= 0) continue;
    const int reason = errno;
    close_kept();
    if (reason == ENOENT) return;  // somebody took it for an abandoned one
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
