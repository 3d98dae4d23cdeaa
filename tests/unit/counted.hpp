// SPDX-License-Identifier: Apache-2.0
//
// Counts the allocations of all threads, standing before the C library's functions. A sanitizer's
// build leaves those to the sanitizer, and NEXUS_TESTS_COUNT is not defined. One file of a program
// includes it.
#pragma once

#include <cstddef>

#include <atomic>

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define NEXUS_TESTS_COUNT

namespace counted {

inline std::atomic<bool> counting{false};
inline std::atomic<int> allocations{0};

inline void note(std::atomic<int> &counter) noexcept {
  if (counting.load(std::memory_order_relaxed)) counter.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace counted

extern "C" {

void *__libc_malloc(std::size_t size);
void *__libc_calloc(std::size_t count, std::size_t size);
void *__libc_realloc(void *memory, std::size_t size);

void *malloc(std::size_t size) {
  counted::note(counted::allocations);
  return __libc_malloc(size);
}
void *calloc(std::size_t count, std::size_t size) {
  counted::note(counted::allocations);
  return __libc_calloc(count, size);
}
void *realloc(void *memory, std::size_t size) {
  counted::note(counted::allocations);
  return __libc_realloc(memory, size);
}

}  // extern "C"

#endif
