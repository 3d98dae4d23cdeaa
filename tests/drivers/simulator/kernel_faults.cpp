// SPDX-License-Identifier: Apache-2.0
#include "kernel_faults.hpp"

#include <signal.h>
#include <ucontext.h>
#include <array>
#include <cstdint>
#include <memory>
#include <mutex>

namespace simulator {
namespace {

struct Fault {
  int signal;
  Result result;
};
constexpr std::array<Fault, 4> kFaults = {{{SIGSEGV, kIllegalAddress},
                                           {SIGBUS, kIllegalAddress},
                                           {SIGILL, kIllegalInstruction},
                                           {SIGFPE, kLaunchFailed}}};

// Of this thread, while it runs a kernel's code.
thread_local void *stack_of_kernel = nullptr;
thread_local void (*when_failed)(Result) = nullptr;
thread_local Result why = kSuccess;

std::array<struct sigaction, kFaults.size()> handlers_before;

void go_on_failed() {
  const auto failed = when_failed;
  failed(why);
}

// The thread continues with go_on_failed(), at the start of its stack; the kernel's frames are
// dropped.
void redirect(ucontext_t *context) {
  constexpr uintptr_t kFrame = 4096;  // below the frame of whoever called the kernel
  const uintptr_t top = (reinterpret_cast<uintptr_t>(stack_of_kernel) - kFrame) & ~uintptr_t{15};
#if defined(__x86_64__)
  context->uc_mcontext.gregs[REG_RSP] = static_cast<greg_t>(top - sizeof(void *));
  context->uc_mcontext.gregs[REG_RIP] = reinterpret_cast<greg_t>(&go_on_failed);
#elif defined(__aarch64__)
  context->uc_mcontext.sp = top;
  context->uc_mcontext.pc = reinterpret_cast<uintptr_t>(&go_on_failed);
#else
#error "The registers of this processor are not known here."
#endif
}

void pass_on(const struct sigaction &before, int signal, siginfo_t *info, void *context) {
  if ((before.sa_flags & SA_SIGINFO) != 0 && before.sa_sigaction != nullptr) {
    before.sa_sigaction(signal, info, context);
  } else if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) {
    before.sa_handler(signal);
  } else {
    ::signal(signal, SIG_DFL);  // the instruction faults again
  }
}

void handle(int signal, siginfo_t *info, void *context) {
  for (size_t i = 0; i < kFaults.size(); ++i) {
    if (kFaults[i].signal != signal) continue;
    if (when_failed == nullptr) return pass_on(handlers_before[i], signal, info, context);
    why = kFaults[i].result;
    redirect(static_cast<ucontext_t *>(context));
  }
}

// A stack for the handler, since a kernel may have used up its own.
void take_signal_stack() {
  constexpr size_t kSize = 64 * 1024;
  stack_t present;
  if (sigaltstack(nullptr, &present) != 0 || (present.ss_flags & SS_DISABLE) == 0) return;
  thread_local std::unique_ptr<char[]> memory;
  memory = std::make_unique<char[]>(kSize);
  stack_t stack{};
  stack.ss_sp = memory.get();
  stack.ss_size = kSize;
  (void)sigaltstack(&stack, nullptr);
}

}  // namespace

void begin_kernel_code(void *stack, void (*failed)(Result failure)) {
  stack_of_kernel = stack;
  when_failed = failed;
}

void end_kernel_code() {
  when_failed = nullptr;
}

void *kernel_stack() {
  return stack_of_kernel;
}

void catch_faults_of_kernels() {
  static std::mutex one_at_a_time;
  const std::lock_guard lock(one_at_a_time);
  take_signal_stack();
  for (size_t i = 0; i < kFaults.size(); ++i) {
    struct sigaction present{};
    (void)sigaction(kFaults[i].signal, nullptr, &present);
    if ((present.sa_flags & SA_SIGINFO) != 0 && present.sa_sigaction == handle) continue;
    handlers_before[i] = present;
    struct sigaction ours{};
    ours.sa_sigaction = handle;
    ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
    (void)sigaction(kFaults[i].signal, &ours, nullptr);
  }
}

}  // namespace simulator
