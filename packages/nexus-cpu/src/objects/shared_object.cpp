// SPDX-License-Identifier: Apache-2.0
#include "objects/shared_object.hpp"

#include "fibers/barrier.hpp"

#include <dlfcn.h>
#include <unistd.h>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <nexus-plugin/binary_check.hpp>
#include <nexus-plugin/error.hpp>
#if defined(__linux__)
#include <linux/memfd.h>
#include <sys/syscall.h>
#endif

namespace nexus_cpu NXS_HIDDEN {
namespace {

using nexus_plugin::Error;

bool write_all(int file, std::string_view bytes) noexcept {
  while (!bytes.empty()) {
    const ssize_t count = write(file, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

// A file that holds the bytes while they are loaded.
class LoadableCopy {
 public:
  explicit LoadableCopy(std::string_view bytes) {
    if (!open_in_memory() && !open_temporary()) {
      throw Error(NXS_OutOfResources, "no place for a copy of the library: ", std::strerror(errno),
                  "; set TMPDIR to a folder that can be written");
    }
    if (!write_all(file_, bytes)) {
      const int reason = errno;
      remove();
      throw Error(NXS_OutOfResources, "no room for a copy of the library: ", std::strerror(reason));
    }
  }
  ~LoadableCopy() { remove(); }
  LoadableCopy(const LoadableCopy &) = delete;
  LoadableCopy &operator=(const LoadableCopy &) = delete;

  const char *path() const noexcept { return path_.c_str(); }

 private:
  bool open_in_memory() {
#if defined(__linux__)
    // A system call, since glibc has memfd_create only since 2.27.
    file_ = static_cast<int>(syscall(SYS_memfd_create, "nexus-kernels", MFD_CLOEXEC));
    if (file_ < 0) return false;
    path_ = unique_path("/proc/self/fd/", std::to_string(file_));
    if (access(path_.c_str(), R_OK) == 0) return true;  // else: no /proc here
    close(file_);
    file_ = -1;
#endif
    return false;
  }

  // Returns a path that no other copy has, since the loader takes equal paths for the same library
  // and file numbers are reused. The path contains an additional slash for each 1 among a counter's
  // bits.
  static std::string unique_path(std::string path, const std::string &name) {
    static std::atomic<uint32_t> counter{0};
    for (uint32_t bits = counter.fetch_add(1, std::memory_order_relaxed); bits != 0; bits >>= 1) {
      path += (bits & 1) != 0 ? ".//" : "./";
    }
    return path + name;
  }

  bool open_temporary() {
    const char *folder = std::getenv("TMPDIR");
    path_ = std::string(folder != nullptr && *folder != '\0' ? folder : "/tmp") +
            "/nexus-kernels-XXXXXX";
    file_ = mkstemp(path_.data());  // private: mode 0600
    temporary_ = file_ >= 0;
    return temporary_;
  }

  void remove() noexcept {
    if (file_ >= 0) close(file_);
    if (temporary_) unlink(path_.c_str());
    file_ = -1;
    temporary_ = false;
  }

  int file_ = -1;
  bool temporary_ = false;
  std::string path_;
};

std::string loader_message() {
  const char *text = dlerror();
  return text == nullptr ? "no reason given" : text;
}

}  // namespace

SharedObject::SharedObject(std::string_view bytes, const std::string &path) {
  const std::string what = path.empty() ? "the library in memory" : "'" + path + "'";
  if (const std::string wrong = nexus_plugin::checkBinary(what, bytes.data(), bytes.size());
      !wrong.empty()) {
    throw Error(NXS_InvalidBinary, wrong);
  }
  offer_barrier();
  {
    const LoadableCopy copy(bytes);
    handle_ = dlopen(copy.path(), RTLD_NOW | RTLD_LOCAL);
  }
  if (handle_ != nullptr) return;
  std::string reason = loader_message();
  // A library that finds its dependencies through its own folder ($ORIGIN) can only be loaded from
  // there.
  if (!path.empty()) {
    const std::string place = path.find('/') == std::string::npos ? "./" + path : path;
    handle_ = dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle_ != nullptr) return;
    reason = loader_message();
  }
  throw Error(NXS_InvalidBinary, what, " can't be loaded: ", reason);
}

SharedObject::~SharedObject() {
  dlclose(handle_);
}

void *SharedObject::find(const std::string &symbol) const noexcept {
  void *found = dlsym(handle_, symbol.c_str());
  (void)dlerror();
  return found;
}

}  // namespace nexus_cpu
