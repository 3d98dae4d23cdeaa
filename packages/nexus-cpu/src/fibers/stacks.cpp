// SPDX-License-Identifier: Apache-2.0
#include "fibers/stacks.hpp"

#include "fibers/fiber.hpp"

#include <sys/mman.h>
#include <unistd.h>
#include <cerrno>
#include <charconv>
#include <nexus-plugin/host.hpp>
#include <string_view>
#include <system_error>
#include <utility>

namespace nexus_cpu NXS_HIDDEN {
namespace {

constexpr std::size_t kLeastStack = 16 * 1024;
constexpr std::size_t kMostStack = 64 * 1024 * 1024;
#if defined(NEXUS_CPU_ASAN)
constexpr std::size_t kUsualStack = 256 * 1024;  // the sanitizer needs larger frames
#else
constexpr std::size_t kUsualStack = 64 * 1024;
#endif

std::size_t choose_stack_size() {
  const std::string_view text = nexus_plugin::get_config("fiber_stack");
  if (text.empty()) return kUsualStack;
  std::size_t wanted = 0;
  const char *end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, wanted);
  if (error == std::errc() && stop == end && wanted >= kLeastStack && wanted <= kMostStack) {
    return wanted;
  }
  nexus_plugin::log(NXS_LogLevel_Warning, "the setting cpu.fiber_stack is '", text,
                    "', which is not a number of bytes from ", kLeastStack, " to ", kMostStack,
                    "; it is ignored");
  return kUsualStack;
}

#if defined(__linux__)
// Returns whether the system has guards (Linux 6.13) that take no entry of the process's list of
// mappings, which is too short for many threads with large groups. An emulator may accept unknown
// advice, so one that accepts invalid advice is not believed.
bool system_has_guards(void *page, std::size_t size) noexcept {
  constexpr int kNoAdvice = 0x7fffff00;
  return madvise(page, size, kNoAdvice) != 0;
}
#endif

bool install_guard(std::byte *guard) noexcept {
#if defined(__linux__)
  constexpr int kGuardInstall = 102;  // MADV_GUARD_INSTALL, missing in older headers
  static const bool usable = system_has_guards(guard, Stacks::kGuard);
  if (usable && madvise(guard, Stacks::kGuard, kGuardInstall) == 0) return true;
#endif
  return mprotect(guard, Stacks::kGuard, PROT_NONE) == 0;
}

}  // namespace

std::size_t fiber_stack_size() {
  static const std::size_t size = choose_stack_size();
  return size;
}

Stacks::Stacks(std::size_t count, std::size_t size) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  size_ = (size + page - 1) / page * page;
  int flags = MAP_PRIVATE | MAP_ANONYMOUS;
#if defined(MAP_NORESERVE)
  flags |= MAP_NORESERVE;
#endif
#if defined(MAP_STACK)
  flags |= MAP_STACK;  // prevents huge pages, of which stacks would use little
#endif
  void *memory = mmap(nullptr, count * stride(), PROT_READ | PROT_WRITE, flags, -1, 0);
  if (memory == MAP_FAILED) throw std::system_error(errno, std::generic_category());
  for (std::size_t i = 0; i < count; ++i) {
    if (install_guard(static_cast<std::byte *>(memory) + i * stride())) continue;
    const int reason = errno;
    (void)munmap(memory, count * stride());
    throw std::system_error(reason, std::generic_category());
  }
  memory_ = static_cast<std::byte *>(memory);
  count_ = count;
}

Stacks::~Stacks() {
  if (memory_ != nullptr) (void)munmap(memory_, count_ * stride());
}

Stacks::Stacks(Stacks &&other) noexcept
    : memory_(std::exchange(other.memory_, nullptr)), count_(other.count_), size_(other.size_) {}

}  // namespace nexus_cpu
