// SPDX-License-Identifier: Apache-2.0
//
// Switching between stacks of the same thread.
//
//   struct Context                         the saved state of a stack; initially all 0
//   prepare(context, stack, size, entry)   makes it start with entry(context) on a stack
//   read_modes(context)                    stores the thread's floating-point modes in it
//   take_modes(context, other)             makes it go on with other's modes
//   switch_context(from, to)               saves the current state in from and goes on as to
//
// A switch keeps what the platform's calling convention lets a function keep: registers and
// floating-point modes. The signal mask is the thread's, and is not switched. Shadow stacks (x86's
// CET, Arm's GCS) are not switched either: if the process has enabled them, the first switch
// faults.
#ifndef NEXUS_CPU_CONTEXT_HPP_
#define NEXUS_CPU_CONTEXT_HPP_

#include <nexus-api/nxs.h>
#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__x86_64__) && !defined(__ILP32__) && !defined(NEXUS_CPU_UCONTEXT)
#define NEXUS_CPU_CONTEXT_X86 1
#elif defined(__aarch64__) && !defined(NEXUS_CPU_UCONTEXT)
#define NEXUS_CPU_CONTEXT_ARM 1
#else
#include <ucontext.h>
#include <cfenv>
#endif

namespace nexus_cpu NXS_HIDDEN {

#if defined(NEXUS_CPU_CONTEXT_X86)

// System V's calling convention.
struct Context {
  void *stack;  // rsp; points to r15, r14, r13, r12, rbx, rbp, and the address to go on at
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

// Loads the modes only if they differ, since that takes longer than everything else. Bits 0 to 5 of
// mxcsr are status flags, not modes.
[[gnu::always_inline]] inline void load_modes(const Context &from, const Context &to) noexcept {
  if (((from.mxcsr ^ to.mxcsr) & ~uint32_t{0x3f}) != 0) asm volatile("ldmxcsr %0" ::"m"(to.mxcsr));
  if (from.x87 != to.x87) asm volatile("fldcw %0" ::"m"(to.x87));
}

// The stack is aligned below entry's return address, which is 0, so that stack walks end here.
inline constexpr std::size_t kSavedSlots = 8, kEntrySlot = 6;

#elif defined(NEXUS_CPU_CONTEXT_ARM)

// AAPCS64's calling convention.
struct Context {
  void *stack;  // sp; points to d8 to d15, x19 to x28, x29, and the address to go on at
  uint64_t fpcr;
};

inline void take_modes(Context &context, const Context &other) noexcept {
  context.fpcr = other.fpcr;
}

inline void read_modes(Context &context) noexcept {
  asm volatile("mrs %0, fpcr" : "=r"(context.fpcr));
}

// Loads the modes only if they differ, since that takes longer than everything else.
[[gnu::always_inline]] inline void load_modes(const Context &from, const Context &to) noexcept {
  if (from.fpcr != to.fpcr) asm volatile("msr fpcr, %0" ::"r"(to.fpcr));
}

inline constexpr std::size_t kSavedSlots = 20, kEntrySlot = 19;

#else

// POSIX calls, for other processors; each switch is a system call.
struct Context {
  void *stack;  // the lowest byte
  ucontext_t saved;
  std::fenv_t modes;
  void (*entry)(Context *);
};

inline void take_modes(Context &context, const Context &other) noexcept {
  context.modes = other.modes;
}

inline void read_modes(Context &context) noexcept {
  (void)std::fegetenv(&context.modes);
}

// makecontext passes only arguments of type int.
inline void enter_context(unsigned high, unsigned low) {
  const uintptr_t address = (static_cast<uintptr_t>(high) << 16 << 16) | low;
  auto *context = reinterpret_cast<Context *>(address);
  (void)std::fesetenv(&context->modes);
  context->entry(context);
}

inline void prepare(Context &context, void *stack, std::size_t size, void (*entry)(Context *)) {
  (void)getcontext(&context.saved);
  read_modes(context);
  context.entry = entry;
  context.stack = stack;
  context.saved.uc_stack.ss_sp = stack;
  context.saved.uc_stack.ss_size = size;
  context.saved.uc_link = nullptr;
  const auto address = reinterpret_cast<uintptr_t>(&context);
  makecontext(&context.saved, reinterpret_cast<void (*)()>(enter_context), 2,
              static_cast<unsigned>(address >> 16 >> 16), static_cast<unsigned>(address));
}

inline void switch_context(Context &from, Context &to) noexcept {
  read_modes(from);
  (void)swapcontext(&from.saved, &to.saved);
  (void)std::fesetenv(&from.modes);
}

#endif

#if defined(NEXUS_CPU_CONTEXT_X86) || defined(NEXUS_CPU_CONTEXT_ARM)

// Defined in context.cpp.
extern "C" NXS_HIDDEN void nexus_cpu_switch_context(Context *from, Context *to) noexcept;

inline void prepare(Context &context, void *stack, std::size_t size, void (*entry)(Context *)) {
  const auto top = (reinterpret_cast<uintptr_t>(stack) + size) & ~uintptr_t{15};
  auto *slots = reinterpret_cast<void **>(top) - kSavedSlots;
  std::memset(slots, 0, kSavedSlots * sizeof(void *));
  std::memcpy(slots + kEntrySlot, &entry, sizeof(entry));
  context.stack = slots;
  read_modes(context);
}

// The compiler turns the call at the end into a jump if nothing follows it.
[[gnu::always_inline]] inline void switch_context(Context &from, Context &to) noexcept {
  read_modes(from);
  load_modes(from, to);
  nexus_cpu_switch_context(&from, &to);
}

#endif

}  // namespace nexus_cpu

#endif  // NEXUS_CPU_CONTEXT_HPP_
