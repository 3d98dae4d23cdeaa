// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_CPU_CHILD_LEASH_HPP_
#define NEXUS_CPU_CHILD_LEASH_HPP_

#include <nexus-api/nxs.h>
#include <sys/types.h>

namespace nexus_cpu NXS_HIDDEN {

// Ends a child's process group when this process dies, however it dies: a pipe of which the group
// has the reading end and this process the writing one. When that is closed, the kernel sends
// SIGKILL to the group. A fork of this process closes its copy of the writing end, so that the
// group does not outlive this process for the fork's sake. PR_SET_PDEATHSIG would reach the child
// alone, not what a compiler's driver starts, and would come when the thread ends that started it.
// On Linux; elsewhere it does nothing.
class ChildLeash {
 public:
  ChildLeash();
  ~ChildLeash();
  ChildLeash(const ChildLeash &) = delete;
  ChildLeash &operator=(const ChildLeash &) = delete;

  // The file that the child is to have as kFile; negative: none.
  int reader() const noexcept { return reader_; }
  static constexpr int kFile = 3;

  // Once the group exists.
  void tie(pid_t group) noexcept;

 private:
  int reader_ = -1;
  int writer_ = -1;
};

}  // namespace nexus_cpu

#endif  // NEXUS_CPU_CHILD_LEASH_HPP_
