// SPDX-License-Identifier: Apache-2.0
// Stack switching on 64-bit Arm, with AAPCS64's calling convention. Included by context.hpp.
#ifndef NEXUS_CPU_CONTEXT_ARM_HPP_
#define NEXUS_CPU_CONTEXT_ARM_HPP_

#include <nexus-api/nxs.h>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace nexus_cpu NXS_HIDDEN {

struct Context {
  void *stack;  // sp; points to d8 to d15, x19 to x28, x29, and the address to go on at
  uint64_t fpcr;
};

// Defined in context_arm.cpp.
extern "C" NXS_HIDDEN void nexus_cpu_switch_context(Context *from, Context *to) noexcept;

inline void take_modes(Context &context, const Context &other) noexcept {
  context.fpcr = other.fpcr;
}

inline void read_modes(Context &context) noexcept {
  asm volatile("mrs %0, fpcr" : "=r"(context.fpcr));
}

inline void prepare(Context &context, void *stack, std::size_t size, void (*entry)(Context *)) {
  constexpr std::size_t kSlots = 20;
  const auto top = (reinterpret_cast<uintptr_t>(stack) + size) & ~uintptr_t{15};
  auto *slots = reinterpret_cast<void **>(top) - kSlots;
  std::memset(slots, 0, kSlots * sizeof(void *));
  std::memcpy(slots + kSlots - 1, &entry, sizeof(entry));
  context.stack = slots;
  read_modes(context);
}

// Loads the modes only if they differ, since that takes longer than everything else.
[[gnu::always_inline]] inline void switch_context(Context &from, Context &to) noexcept {
  read_modes(from);
  if (from.fpcr != to.fpcr) asm volatile("msr fpcr, %0" ::"r"(to.fpcr));
  nexus_cpu_switch_context(&from, &to);
}

}  // namespace nexus_cpu

#endif  // NEXUS_CPU_CONTEXT_ARM_HPP_
