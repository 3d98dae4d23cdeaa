// SPDX-License-Identifier: Apache-2.0
// Stack switching on x86-64, with System V's calling convention. Included by context.hpp.
#ifndef NEXUS_CPU_CONTEXT_X86_HPP_
#define NEXUS_CPU_CONTEXT_X86_HPP_

#include <nexus-api/nxs.h>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace nexus_cpu NXS_HIDDEN {

struct Context {
  void *stack;  // rsp; points to r15, r14, r13, r12, rbx, rbp, and the address to go on at
  uint32_t mxcsr;
  uint16_t x87;
};

// Defined in context_x86.cpp.
extern "C" NXS_HIDDEN void nexus_cpu_switch_context(Context *from, Context *to) noexcept;

inline void take_modes(Context &context, const Context &other) noexcept {
  context.mxcsr = other.mxcsr;
  context.x87 = other.x87;
}

inline void read_modes(Context &context) noexcept {
  asm volatile("stmxcsr %0\n\tfnstcw %1" : "=m"(context.mxcsr), "=m"(context.x87));
}

inline void prepare(Context &context, void *stack, std::size_t size, void (*entry)(Context *)) {
  // The stack is aligned below entry's return address, which is 0, so that stack walks end here.
  constexpr std::size_t kRegisters = 6;
  auto top = (reinterpret_cast<uintptr_t>(stack) + size) & ~uintptr_t{15};
  top -= (kRegisters + 2) * sizeof(void *);
  auto *slots = reinterpret_cast<void **>(top);
  std::memset(slots, 0, (kRegisters + 2) * sizeof(void *));
  std::memcpy(slots + kRegisters, &entry, sizeof(entry));
  context.stack = slots;
  read_modes(context);
}

// Loads the modes only if they differ, since that takes longer than everything else. Bits 0 to 5 of
// mxcsr are status flags, not modes.
//
// The compiler turns the call at the end into a jump if nothing follows it.
[[gnu::always_inline]] inline void switch_context(Context &from, Context &to) noexcept {
  read_modes(from);
  if (((from.mxcsr ^ to.mxcsr) & ~uint32_t{0x3f}) != 0) asm volatile("ldmxcsr %0" ::"m"(to.mxcsr));
  if (from.x87 != to.x87) asm volatile("fldcw %0" ::"m"(to.x87));
  nexus_cpu_switch_context(&from, &to);
}

}  // namespace nexus_cpu

#endif  // NEXUS_CPU_CONTEXT_X86_HPP_
