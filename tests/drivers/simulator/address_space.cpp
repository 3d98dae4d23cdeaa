// SPDX-License-Identifier: Apache-2.0
#include "address_space.hpp"

#include <sys/mman.h>
#include <unistd.h>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iterator>

namespace simulator {
namespace {

constexpr size_t kPage = 4096;
constexpr size_t kAlignment = 512;

size_t round_up(size_t size, size_t unit) {
  return (size + unit - 1) / unit * unit;
}

}  // namespace

AddressSpace::AddressSpace(uint64_t capacity)
    : size_(round_up(std::max(capacity * 4, uint64_t{16} << 30), kPage)) {
  file_ = memfd_create("simulated-gpu", MFD_CLOEXEC);
  void *range = MAP_FAILED;
  if (file_ >= 0 && ftruncate(file_, static_cast<off_t>(size_)) == 0) {
    range = mmap(nullptr, size_, PROT_NONE, MAP_SHARED | MAP_NORESERVE, file_, 0);
  }
  if (range == MAP_FAILED) {
    std::perror("simulated GPU: no addresses for its memory");
    std::abort();
  }
  begin_ = reinterpret_cast<uintptr_t>(range);
}

size_t AddressSpace::pages(size_t size) {
  return round_up(size, kPage) + kPage;
}

uintptr_t AddressSpace::allocate(size_t size) {
  if (size > size_ / 2) return 0;
  const size_t need = pages(size);
  uintptr_t place = 0;
  if (size_ - next_ >= need) {
    place = begin_ + next_;
    next_ += need;
  } else {
    const auto fits = std::find_if(freed_.begin(), freed_.end(),
                                   [need](const auto &each) { return each.second >= need; });
    if (fits == freed_.end()) return 0;
    place = fits->first;
    const size_t rest = fits->second - need;
    freed_.erase(fits);
    if (rest != 0) freed_[place + need] = rest;
  }
  if (mprotect(reinterpret_cast<void *>(place), need - kPage, PROT_READ | PROT_WRITE) != 0) {
    free(place, size);
    return 0;
  }
  return place + (need - kPage) - round_up(size, kAlignment);
}

void AddressSpace::free(uintptr_t begin, size_t size) {
  const size_t held = pages(size);
  uintptr_t place = begin / kPage * kPage;
  auto *memory = reinterpret_cast<void *>(place);
  (void)madvise(memory, held - kPage, MADV_REMOVE);
  (void)mprotect(memory, held - kPage, PROT_NONE);
  size_t free_size = held;
  auto after = freed_.lower_bound(place);
  if (after != freed_.end() && after->first == place + free_size) {
    free_size += after->second;
    after = freed_.erase(after);
  }
  if (after != freed_.begin()) {
    const auto before = std::prev(after);
    if (before->first + before->second == place) {
      before->second += free_size;
      return;
    }
  }
  freed_[place] = free_size;
}

}  // namespace simulator
