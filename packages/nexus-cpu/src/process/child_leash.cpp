// SPDX-License-Identifier: Apache-2.0
#include "process/child_leash.hpp"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>
#include <array>

#if defined(__linux__) && defined(F_SETSIG)
#include <pthread.h>
#include <mutex>
#include <set>
#endif

namespace nexus_cpu NXS_HIDDEN {

#if defined(__linux__) && defined(F_SETSIG)

namespace {

// The writing ends that are open.
struct Writers {
  std::mutex mutex;
  std::set<int> files;
};

Writers &writers() {
  static auto *const all = new Writers;  // a thread may compile while the process ends
  return *all;
}

void close_after_fork() {
  for (const int file : writers().files) close(file);
  writers().files.clear();
  writers().mutex.unlock();
}

}  // namespace

ChildLeash::ChildLeash() {
  static const int at_fork = pthread_atfork([] { writers().mutex.lock(); },
                                            [] { writers().mutex.unlock(); }, close_after_fork);
  const std::lock_guard<std::mutex> lock(writers().mutex);
  std::array<int, 2> ends = {-1, -1};
  if (at_fork != 0 || pipe2(ends.data(), O_CLOEXEC) != 0) return;
  // Above the child's files, so that giving it one of them is a copy, which exec does not close.
  reader_ = fcntl(ends[0], F_DUPFD_CLOEXEC, kFile + 1);
  writer_ = fcntl(ends[1], F_DUPFD_CLOEXEC, kFile + 1);
  for (const int end : ends) close(end);
  if (writer_ >= 0) writers().files.insert(writer_);
}

ChildLeash::~ChildLeash() {
  if (reader_ >= 0) close(reader_);
  const std::lock_guard<std::mutex> lock(writers().mutex);
  if (writers().files.erase(writer_) != 0) close(writer_);
}

void ChildLeash::tie(pid_t group) noexcept {
  if (reader_ < 0 || writer_ < 0) return;
  fcntl(reader_, F_SETOWN, -group);
  fcntl(reader_, F_SETSIG, SIGKILL);
  fcntl(reader_, F_SETFL, O_ASYNC);
}

#else

ChildLeash::ChildLeash() = default;
ChildLeash::~ChildLeash() = default;
void ChildLeash::tie(pid_t) noexcept {}

#endif

}  // namespace nexus_cpu
