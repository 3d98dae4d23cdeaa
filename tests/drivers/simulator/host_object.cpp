// SPDX-License-Identifier: Apache-2.0
#include "host_object.hpp"

#include "../kernels/form.hpp"
#include "failure.hpp"

#include <dlfcn.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>

namespace simulator {

namespace {

// The file by a name that no other has had: the loader takes a name that it knows for the library
// that it has. Slashes and dots that mean nothing spell a number.
std::string path_of(int file) {
  static std::atomic<uint32_t> loaded{0};
  std::string path = "/proc/" + std::to_string(getpid()) + "/fd/";
  for (uint32_t number = ++loaded; number != 0; number /= 2) path += number % 2 == 0 ? "./" : ".//";
  return path + std::to_string(file);
}

}  // namespace

// Loaded from a file without a name, so that the same code is loaded as often as is asked.
HostObject::HostObject(const std::string &bytes) {
  const int file = memfd_create("simulated-kernels", MFD_CLOEXEC);
  require(file >= 0, kOperatingSystem);
  size_t written = 0;
  while (written < bytes.size()) {
    const ssize_t some = write(file, bytes.data() + written, bytes.size() - written);
    if (some <= 0) break;
    written += static_cast<size_t>(some);
  }
  if (written == bytes.size()) library_ = dlopen(path_of(file).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library_ == nullptr) std::fprintf(stderr, "simulated driver: %s\n", dlerror());
  close(file);
  require(library_ != nullptr, kInvalidImage);
  image_ = static_cast<const nexus_simulated_image *>(dlsym(library_, "nexus_simulated_image"));
  if (image_ == nullptr || image_->version != NEXUS_SIMULATED_VERSION) {
    dlclose(library_);
    fail(kInvalidImage);
  }
  names_ = simulated_kernels::kernel_names(*image_);
}

HostObject::~HostObject() {
  dlclose(library_);
}

const nexus_simulated_kernel *HostObject::kernel(const std::string &name) const {
  const auto found = std::find(names_.begin(), names_.end(), name);
  return found == names_.end() ? nullptr : image_->begin[found - names_.begin()];
}

uintptr_t HostObject::variable(const std::string &name, size_t *out_size) const {
  void *found = dlsym(library_, name.c_str());
  Dl_info info;
  void *entry = nullptr;
  if (found == nullptr || dladdr1(found, &info, &entry, RTLD_DL_SYMENT) == 0 || entry == nullptr) {
    return 0;
  }
  const auto *symbol = static_cast<const ElfW(Sym) *>(entry);
  // Not what another library of the process has by that name, nor a function.
  const bool own = info.dli_sname != nullptr && name == info.dli_sname &&
                   ELF64_ST_TYPE(symbol->st_info) == STT_OBJECT;
  if (!own) return 0;
  *out_size = symbol->st_size;
  return reinterpret_cast<uintptr_t>(found);
}

}  // namespace simulator
