// SPDX-License-Identifier: Apache-2.0
// Another program, started without a shell, with a limit of time and of output; and a private
// folder for it.
#ifndef NEXUS_CPU_CHILD_PROCESS_HPP_
#define NEXUS_CPU_CHILD_PROCESS_HPP_

#include <nexus-api/nxs.h>
#include <array>
#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

namespace nexus_cpu NXS_HIDDEN {

struct ChildRequest {
  std::vector<std::string> command;      // a path and its arguments
  std::vector<std::string> environment;  // "NAME=value", beside or instead of this process's
  std::chrono::steady_clock::time_point deadline;  // when it is ended with all that it started
  std::size_t most_output;                         // bytes that are kept, from the beginning
  bool (*is_interrupted)() noexcept;               // asked now and then; true ends it
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
  ChildEnd end = ChildEnd::exited;
  int number = 0;
  std::string output;  // what it wrote to its output and its errors
  bool output_cut = false;
};

// Runs it to its end with nothing to read, in a process group of its own. Nothing of the group is
// left when this returns, nor, on Linux, when this process dies before. Thread-safe; the program's
// own handling of signals stays as it is.
ChildResult run_child(const ChildRequest &request);

// A new folder that only this user may look into, removed with all that is in it.
class PrivateFolder {
 public:
  // In TMPDIR, else /tmp. The first of a process removes those there whose process died without
  // doing so. Throws NXS_OutOfResources.
  PrivateFolder();
  ~PrivateFolder();
  PrivateFolder(const PrivateFolder &) = delete;
  PrivateFolder &operator=(const PrivateFolder &) = delete;

  // Absolute, without a slash at its end.
  const std::string &path() const noexcept { return path_; }

 private:
  bool open_and_lock();
  void close_kept() noexcept;

  std::string path_;
  // Open files that removing needs, one for each level of folders: it works also where the process
  // has no other left.
  std::array<int, 6> kept_ = {-1, -1, -1, -1, -1, -1};
};

}  // namespace nexus_cpu

#endif  // NEXUS_CPU_CHILD_PROCESS_HPP_
