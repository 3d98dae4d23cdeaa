// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_CPU_FAULT_HPP_
#define NEXUS_CPU_FAULT_HPP_

#include <nexus-api/nxs.h>
#include <cstdint>
#include <optional>

namespace nexus_cpu NXS_HIDDEN {

// A use of memory that the processor refused.
struct Fault {
  enum class Access { kUnknown, kRead, kWrite };
  std::optional<uintptr_t> address;  // where the system tells it
  Access access = Access::kUnknown;
};

// While it lives, faults (SIGSEGV, SIGBUS) of this thread are given to caught(context, fault),
// which is called on the faulting stack or on the signal stack and must not return. Every other
// fault goes to whoever handled the signal before.
class FaultWatch {
 public:
  using Caught = void (*)(void *context, const Fault &fault) noexcept;

  FaultWatch(Caught caught, void *context) noexcept;
  ~FaultWatch();
  FaultWatch(const FaultWatch &) = delete;
  FaultWatch &operator=(const FaultWatch &) = delete;

  void give(const Fault &fault) const noexcept { caught_(context_, fault); }

 private:
  Caught caught_;
  void *context_;
  FaultWatch *outer_;
};

}  // namespace nexus_cpu

#endif  // NEXUS_CPU_FAULT_HPP_
