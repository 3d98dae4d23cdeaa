// SPDX-License-Identifier: Apache-2.0
#include "execution/fault.hpp"
#include <signal.h>
#include <cerrno>
#include <mutex>
#if defined(__linux__) && defined(__x86_64__)
#include <ucontext.h>
#endif

namespace nexus_cpu NXS_HIDDEN {
namespace {

thread_local FaultWatch *watching = nullptr;

// The previous signal handlers.
struct sigaction before_segv, before_bus;

Fault::Access access_of([[maybe_unused]] const void *context) noexcept {
#if defined(__linux__) && defined(__x86_64__)
  constexpr greg_t kPageFault = 14, kWriteBit = 2;
  const auto &registers = static_cast<const ucontext_t *>(context)->uc_mcontext.gregs;
  if (registers[REG_TRAPNO] == kPageFault) {
    return (registers[REG_ERR] & kWriteBit) != 0 ? Fault::Access::kWrite : Fault::Access::kRead;
  }
#endif
  return Fault::Access::kUnknown;
}

// Passes the signal to the previous handler.
void pass_on(int number, siginfo_t *info, void *context) noexcept {
  const struct sigaction &before = number == SIGSEGV ? before_segv : before_bus;
  if ((before.sa_flags & SA_SIGINFO) != 0) return before.sa_sigaction(number, info, context);
  if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) {
    return before.sa_handler(number);
  }
  (void)sigaction(number, &before, nullptr);
  // A fault is raised again on return; a signal that was sent is not.
  if (info->si_code <= 0) (void)raise(number);
}

void handle(int number, siginfo_t *info, void *context) {
  const int saved = errno;
  if (info->si_code > 0) {  // a fault, not a signal that was sent
    Fault fault;
    const bool has_address = number == SIGSEGV
                                 ? info->si_code == SEGV_MAPERR || info->si_code == SEGV_ACCERR
                                 : info->si_code == BUS_ADRERR;
    if (has_address) fault.address = reinterpret_cast<uintptr_t>(info->si_addr);
    fault.access = access_of(context);
    // The watcher leaves this handler by a jump, so the signal must be unblocked here for the next
    // fault.
    if (watching != nullptr) {
      (void)pthread_sigmask(SIG_SETMASK, &static_cast<ucontext_t *>(context)->uc_sigmask, nullptr);
      watching->give(fault);
    }
  }
  errno = saved;
  pass_on(number, info, context);
}

void install() noexcept {
  struct sigaction action = {};
  action.sa_sigaction = handle;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;  // so that other handlers can handle a stack overflow
  (void)sigemptyset(&action.sa_mask);
  (void)sigaction(SIGSEGV, &action, &before_segv);
  (void)sigaction(SIGBUS, &action, &before_bus);
}

}  // namespace

FaultWatch::FaultWatch(Caught caught, void *context) noexcept
    : caught_(caught), context_(context), outer_(watching) {
  static std::once_flag installed;
  std::call_once(installed, install);
  watching = this;
}

FaultWatch::~FaultWatch() {
  watching = outer_;
}

}  // namespace nexus_cpu
