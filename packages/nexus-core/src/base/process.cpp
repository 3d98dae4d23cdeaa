// SPDX-License-Identifier: Apache-2.0
#include "base/process.hpp"

#include <atomic>
#include <string>

#include "base/error.hpp"

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

void requireSameProcess(uint64_t of, const char *what) {
  if (of != processGeneration()) {
    throw Failure(NXS_InvalidOperation,
                  std::string("This ") + what +
                      " was made before a fork() and can't be used in the child process; make a "
                      "new one here, or start the process with the method 'spawn'.");
  }
}

}  // namespace nexus::core
