// SPDX-License-Identifier: Apache-2.0
#include "execution/guarded_memory.hpp"

#include <sys/mman.h>
#include <unistd.h>
#include <algorithm>
#include <cstring>
#include <nexus-plugin/error.hpp>
#include <nexus-plugin/host.hpp>
#include <string_view>

namespace nexus_cpu NXS_HIDDEN {
namespace {

// The inaccessible bytes on each side. They take address space only, and are many, since wrong
// indices are often far off.
constexpr std::size_t kGuard = std::size_t{64} << 20;
constexpr std::byte kCanary{0xc5};

bool read_setting() {
  const std::string_view text = nexus_plugin::get_config("guard");
  if (text.empty() || text == "0" || text == "1") return text == "1";
  nexus_plugin::log(NXS_LogLevel_Warning, "the setting cpu.guard is '", text,
                    "', which is not 0 or 1; it is ignored");
  return false;
}

std::size_t to_pages(std::size_t size) noexcept {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return (size + page - 1) / page * page;
}

}  // namespace

bool GuardedMemory::wanted() {
  static const bool setting = read_setting();
  return setting;
}

GuardedMemory::GuardedMemory(uint64_t size) : size_(static_cast<std::size_t>(size)) {
  int flags = MAP_PRIVATE | MAP_ANONYMOUS;
#if defined(MAP_NORESERVE)
  flags |= MAP_NORESERVE;
#endif
  const std::size_t whole = accessible() + 2 * kGuard;
  void *memory = mmap(nullptr, whole, PROT_NONE, flags, -1, 0);
  if (memory != MAP_FAILED) {
    std::byte *first = static_cast<std::byte *>(memory) + kGuard;
    if (mprotect(first, accessible(), PROT_READ | PROT_WRITE) == 0) {
      pages_ = first;
      std::fill(pages_, data(), kCanary);
      return;
    }
    (void)munmap(memory, whole);
  }
  throw nexus_plugin::Error(NXS_MemObjectAllocationFailure, "size is ", size,
                            " bytes, and the system has no memory for them between guard pages; "
                            "release buffers, or set NEXUS_CPU_GUARD=0");
}

GuardedMemory::~GuardedMemory() {
  if (pages_ != nullptr) (void)munmap(pages_ - kGuard, accessible() + 2 * kGuard);
}

std::byte *GuardedMemory::data() const noexcept {
  return pages_ + (accessible() - size_);
}

bool GuardedMemory::covers(uintptr_t address) const noexcept {
  const uintptr_t first = reinterpret_cast<uintptr_t>(pages_) - kGuard;
  return pages_ != nullptr && address >= first && address - first < accessible() + 2 * kGuard;
}

std::optional<int64_t> GuardedMemory::find_overwritten() const noexcept {
  std::byte *const found = std::find_if(pages_, data(), [](std::byte b) { return b != kCanary; });
  if (found == data()) return {};
  const int64_t offset = found - data();
  std::fill(found, data(), kCanary);
  return offset;
}

std::size_t GuardedMemory::accessible() const noexcept {
  return to_pages(size_);
}

}  // namespace nexus_cpu
