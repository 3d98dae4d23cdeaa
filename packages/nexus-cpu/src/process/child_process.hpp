// SPDX-License-Identifier: Apache-2.0
// Another program: started without a shell, with a limit of time and of words.
#ifndef NEXUS_CPU_CHILD_PROCESS_HPP_
#define NEXUS_CPU_CHILD_PROCESS_HPP_

#include <nexus-api/nxs.h>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace nexus_cpu NXS_HIDDEN {

struct ChildRequest {
  std::vector<std::string> command;      // a path and its arguments
  std::vector<std::string> environment;  // "NAME=value", beside or instead of this process's
  uint64_t timeout;                      // nanoseconds until it is ended with all that it started
  std::size_t most_output;               // bytes of its words that are kept, from the beginning
  bool (*is_interrupted)() noexcept;     // asked now and then; true ends it
};

enum class ChildEnd {
  exited,       // number: its exit code
  killed,       // number: the signal
  timed_out,    // by us
  interrupted,  // by us, since request.is_interrupted said so
  not_started,  // number: errno
  unknown,      // this program lets nobody see how children end (SIGCHLD is ignored)
};

struct ChildResult {
  ChildEnd end;
  int number;
  std::string output;  // what it wrote to its output and its errors
  bool output_cut;
};

// Runs it to its end with nothing to read. In a process group of its own, of which nothing is left
// when this returns, nor, on Linux, when this process dies before. From any thread; the program's
// own handling of signals stays as it is.
ChildResult run_child(const ChildRequest &request);

}  // namespace nexus_cpu

#endif  // NEXUS_CPU_CHILD_PROCESS_HPP_
