// SPDX-License-Identifier: Apache-2.0
#include "base/process.hpp"

#if !defined(_WIN32)
#include <pthread.h>
#endif

namespace nexus::core {
namespace {

std::atomic<uint64_t> generation{1};

}  // namespace

std::mutex &tableMutex() noexcept {
  // Never destroyed: threads may still log while the process exits.
  static std::mutex &mutex = *new std::mutex;
  return mutex;
}

#if !defined(_WIN32)
namespace {

[[maybe_unused]] const int registered =
    pthread_atfork([] { tableMutex().lock(); }, [] { tableMutex().unlock(); },
                   [] {
                     generation.fetch_add(1, std::memory_order_relaxed);
                     tableMutex().unlock();
                   });

}  // namespace
#endif

uint64_t processGeneration() noexcept {
  return generation.load(std::memory_order_relaxed);
}

}  // namespace nexus::core
