// SPDX-License-Identifier: Apache-2.0
#include "child_leash.hpp"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>
#include <array>

namespace nexus_cpu NXS_HIDDEN {

#if defined(__linux__) && defined(F_SETSIG)

ChildLeash::ChildLeash() {
  std::array<int, 2> ends = {-1, -1};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return;
  // Above the child's files, so that giving it one of them is a copy, which exec does not close.
  reader_ = fcntl(ends[0], F_DUPFD_CLOEXEC, kFile + 1);
  writer_ = fcntl(ends[1], F_DUPFD_CLOEXEC, kFile + 1);
  for (const int end : ends) close(end);
}

void ChildLeash::tie(pid_t group) noexcept {
  if (reader_ < 0 || writer_ < 0) return;
  fcntl(reader_, F_SETOWN, -group);
  fcntl(reader_, F_SETSIG, SIGKILL);
  fcntl(reader_, F_SETFL, O_ASYNC);
}

#else

ChildLeash::ChildLeash() = default;
void ChildLeash::tie(pid_t) noexcept {}

#endif

ChildLeash::~ChildLeash() {
  for (const int end : {reader_, writer_}) {
    if (end >= 0) close(end);
  }
}

}  // namespace nexus_cpu
