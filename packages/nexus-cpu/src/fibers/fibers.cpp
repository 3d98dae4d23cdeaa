// SPDX-License-Identifier: Apache-2.0
#include "fibers/fibers.hpp"

#include "system/setting.hpp"

#include <sys/mman.h>
#include <unistd.h>
#include <cerrno>
#include <system_error>
#include <utility>

namespace nexus_cpu NXS_HIDDEN {
namespace {

bool install_guard(std::byte *guard) noexcept {
#if defined(__linux__)
  // Guards of Linux 6.13 take no entry of the process's list of mappings, which is too short for
  // many threads with large groups. An emulator may accept unknown advice, so the result is ignored
  // if invalid advice is accepted too.
  constexpr int kGuardInstall = 102;  // MADV_GUARD_INSTALL, missing in older headers
  constexpr int kNoAdvice = 0x7fffff00;
  static const bool usable = madvise(guard, Stacks::kGuard, kNoAdvice) != 0;
  if (usable && madvise(guard, Stacks::kGuard, kGuardInstall) == 0) return true;
#endif
  return mprotect(guard, Stacks::kGuard, PROT_NONE) == 0;
}

}  // namespace

std::size_t fiber_stack_size() {
#if defined(NEXUS_CPU_ASAN)
  constexpr uint64_t kUsual = 256 * 1024;  // the sanitizer needs larger frames
#else
  constexpr uint64_t kUsual = 64 * 1024;
#endif
  static const uint64_t size = number_setting("fiber_stack", 16 * 1024, 64 * 1024 * 1024,
                                              "a number of bytes from 16384 to 67108864")
                                   .value_or(kUsual);
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

namespace {

// Stacks at the same offset in a page would compete for a few cache sets, so neighbours start at
// different offsets.
constexpr std::size_t kColours = 16;
constexpr std::size_t kColourStep = 256;  // bytes
constexpr std::size_t kColourSpace = kColours * kColourStep;

}  // namespace

Fibers &Fibers::mine() {
  thread_local Fibers fibers;
  return fibers;
}

Fibers::~Fibers() {
  if (user != nullptr) {
    for (Part &part : parts_) part.stacks.leave();
    (void)fibers_.release();
    return;
  }
  for (std::size_t i = 1; i < count_; ++i) end_fiber(fibers_[i]);
}

void Fibers::reserve(std::size_t count, Entry entry) {
  if (count <= count_) return;
  if (fibers_ == nullptr) {
    // Room for the largest group and one more; its pages are allocated when first touched.
    fibers_ = std::make_unique_for_overwrite<Fiber[]>(kMaxGroupItems + 1);
    fibers_[0] = Fiber{};
    count_ = 1;
  }
  if (count == count_) return;
  parts_.reserve(parts_.size() + 1);
  parts_.push_back({count_, Stacks(count - count_, fiber_stack_size() + kColourSpace)});
  for (; count_ < count; ++count_) {
    fibers_[count_] = Fiber{};
    begin(count_, entry);
  }
}

void Fibers::drop(Entry entry) {
  for (std::size_t i = 1; i < count_; ++i) begin(i, entry);
}

void Fibers::begin(std::size_t index, Entry entry) {
  auto part = parts_.rbegin();
  while (part->first > index) ++part;
  const std::size_t size = part->stacks.size() - index % kColours * kColourStep;
  begin_fiber(fibers_[index], part->stacks.begin(index - part->first), size, entry);
}

}  // namespace nexus_cpu
