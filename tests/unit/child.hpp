// SPDX-License-Identifier: Apache-2.0
//
// A child of fork() that tells how it went.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

namespace check {

/// How a child that runs body ends, as waitpid tells it: its exit status is 0 where body returns
/// true. A child that hangs is ended.
template <class Body>
int statusOfChild(const Body &body) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    _exit(body() ? 0 : 1);
  }
  int status = -1;
  return waitpid(child, &status, 0) == child ? status : -1;
}

}  // namespace check
