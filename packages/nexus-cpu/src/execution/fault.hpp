// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_CPU_FAULT_HPP_
#define NEXUS_CPU_FAULT_HPP_

#include <nexus-api/nxs.h>
#include <cstdint>
#include <optional>

namespace nexus_cpu NXS_HIDDEN {

// A memory access that the processor refused.
struct Fault {
  enum class Access { kUnknown, kRead, kWrite };
  std::optional<uintptr_t> address;  // empty if the system does not report it
  Access access = Access::kUnknown;
};

// While it exists, faults (SIGSEGV, SIGBUS) of its thread call caught(context, fault), on the
// faulting stack or on the signal stack. caught must not return. All other faults go to the
// previous signal handler.
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
