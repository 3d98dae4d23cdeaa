// SPDX-License-Identifier: Apache-2.0
// The switch of stacks on 64-bit Arm, in AAPCS64's calling convention. Included by context.hpp.
#ifndef NEXUS_CPU_CONTEXT_ARM_HPP_
#define NEXUS_CPU_CONTEXT_ARM_HPP_

#include <nexus-api/nxs.h>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace nexus_cpu NXS_HIDDEN {

struct Context {
  void *stack;  // sp
  void *frame;  // x29
  void *next;   // the instruction to go on with
  uint64_t fpcr;
};

inline void take_modes(Context &context, const Context &other) noexcept {
  context.fpcr = other.fpcr;
}

inline void read_modes(Context &context) noexcept {
  asm volatile("mrs %0, fpcr" : "=r"(context.fpcr));
}

inline void prepare(Context &context, void *stack, std::size_t size, void (*entry)(Context *)) {
  context.stack =
      reinterpret_cast<void *>((reinterpret_cast<uintptr_t>(stack) + size) & ~uintptr_t{15});
  context.frame = nullptr;
  std::memcpy(&context.next, &entry, sizeof(entry));
  read_modes(context);
}

// The modes are loaded only where they differ, since that takes longer than all the rest.
//
// No call and no return: each of the two would leave the processor's prediction of returns one
// step off. By x16, from which a jump may also land where only calls may (BTI).
[[gnu::always_inline]] inline void switch_context(Context &from, Context &to) noexcept {
  read_modes(from);
  if (from.fpcr != to.fpcr) asm volatile("msr fpcr, %0" ::"r"(to.fpcr));
  register Context *entered asm("x0") = &to;
  register Context *left asm("x1") = &from;
  // x29, which may be the frame's, is kept by hand; x18 is the platform's. x30 is 0 where
  // a function begins, so that whoever walks the stack ends there.
  asm volatile(
      "adr x9, 1f\n\t"
      "mov x10, sp\n\t"
      "stp x10, x29, [x1]\n\t"
      "str x9, [x1, #16]\n\t"
      "ldp x10, x29, [x0]\n\t"
      "ldr x16, [x0, #16]\n\t"
      "mov sp, x10\n\t"
      "mov x30, xzr\n\t"
      "br x16\n"
      "1:\n\t"
      "hint #36"  // bti j
      : "+r"(entered), "+r"(left)
      :
      : "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13", "x14", "x15",
        "x16", "x17", "x19", "x20", "x21", "x22", "x23", "x24", "x25", "x26", "x27", "x28", "x30",
        "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11", "v12", "v13",
        "v14", "v15", "v16", "v17", "v18", "v19", "v20", "v21", "v22", "v23", "v24", "v25", "v26",
        "v27", "v28", "v29", "v30", "v31", "memory", "cc");
}

}  // namespace nexus_cpu

#endif  // NEXUS_CPU_CONTEXT_ARM_HPP_
