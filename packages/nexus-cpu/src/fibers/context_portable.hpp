// SPDX-License-Identifier: Apache-2.0
// Stack switching by POSIX calls, for other processors; each switch is a system call. Included by
// context.hpp.
#ifndef NEXUS_CPU_CONTEXT_PORTABLE_HPP_
#define NEXUS_CPU_CONTEXT_PORTABLE_HPP_

#include <nexus-api/nxs.h>
#include <ucontext.h>
#include <cfenv>
#include <cstddef>
#include <cstdint>

namespace nexus_cpu NXS_HIDDEN {

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

}  // namespace nexus_cpu

#endif  // NEXUS_CPU_CONTEXT_PORTABLE_HPP_
