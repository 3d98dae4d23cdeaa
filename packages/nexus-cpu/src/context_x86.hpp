// SPDX-License-Identifier: Apache-2.0
// The switch of stacks on x86-64, in System V's calling convention. Included by context.hpp.
#ifndef NEXUS_CPU_CONTEXT_X86_HPP_
#define NEXUS_CPU_CONTEXT_X86_HPP_

#include <nexus-api/nxs.h>
#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__AVX512F__)
#define NEXUS_CPU_AVX512_REGISTERS                                                              \
  "xmm16", "xmm17", "xmm18", "xmm19", "xmm20", "xmm21", "xmm22", "xmm23", "xmm24", "xmm25",     \
      "xmm26", "xmm27", "xmm28", "xmm29", "xmm30", "xmm31", "k1", "k2", "k3", "k4", "k5", "k6", \
      "k7",
#else
#define NEXUS_CPU_AVX512_REGISTERS
#endif

namespace nexus_cpu NXS_HIDDEN {

struct Context {
  void *stack;  // rsp
  void *frame;  // rbp
  void *next;   // the instruction to go on with
  uint32_t mxcsr;
  uint16_t x87;
};

inline void take_modes(Context &context, const Context &other) noexcept {
  context.mxcsr = other.mxcsr;
  context.x87 = other.x87;
}

inline void read_modes(Context &context) noexcept {
  asm volatile("stmxcsr %0\n\tfnstcw %1" : "=m"(context.mxcsr), "=m"(context.x87));
}

inline void prepare(Context &context, void *stack, std::size_t size, void (*entry)(Context *)) {
  // As after a call: the stack is aligned below the address to return to, which is 0, so that
  // whoever walks the stack ends here.
  auto top = (reinterpret_cast<uintptr_t>(stack) + size) & ~uintptr_t{15};
  top -= sizeof(void *);
  *reinterpret_cast<void **>(top) = nullptr;
  context.stack = reinterpret_cast<void *>(top);
  context.frame = nullptr;
  std::memcpy(&context.next, &entry, sizeof(entry));
  read_modes(context);
}

// The modes are loaded only where they differ, since that takes longer than all the rest. Bits 0
// to 5 of mxcsr are no modes: they say what has happened.
//
// No call and no return: each of the two would leave the processor's prediction of returns one
// step off, and every return after it would be mispredicted.
[[gnu::always_inline]] inline void switch_context(Context &from, Context &to) noexcept {
  read_modes(from);
  if (((from.mxcsr ^ to.mxcsr) & ~uint32_t{0x3f}) != 0) asm volatile("ldmxcsr %0" ::"m"(to.mxcsr));
  if (from.x87 != to.x87) asm volatile("fldcw %0" ::"m"(to.x87));
  Context *left = &from;
  Context *entered = &to;
  // A register that the compiler may have given a meaning of its own, rbp, is kept by hand.
  asm volatile(
      "leaq 1f(%%rip), %%rax\n\t"
      "movq %%rsp, 0(%%rsi)\n\t"
      "movq %%rbp, 8(%%rsi)\n\t"
      "movq %%rax, 16(%%rsi)\n\t"
      "movq 0(%%rdi), %%rsp\n\t"
      "movq 8(%%rdi), %%rbp\n\t"
      "jmpq *16(%%rdi)\n"
      "1:\n\t"
      "endbr64"
      : "+S"(left), "+D"(entered)
      :
      : "rax", "rbx", "rcx", "rdx", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "xmm0",
        "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11",
        "xmm12", "xmm13", "xmm14", "xmm15", NEXUS_CPU_AVX512_REGISTERS "memory", "cc");
}

}  // namespace nexus_cpu

#endif  // NEXUS_CPU_CONTEXT_X86_HPP_
