// SPDX-License-Identifier: Apache-2.0
// Threads that run only the backend's code.
#ifndef NEXUS_PLUGIN_THREAD_HPP_
#define NEXUS_PLUGIN_THREAD_HPP_

#include <nexus-api/nxs.h>

#include <thread>
#include <utility>

#ifndef _WIN32
#include <pthread.h>
#include <signal.h>
#endif

namespace nexus_plugin NXS_HIDDEN {

// Blocks signals in this thread while it lives, and permanently in threads started meanwhile. The
// program's own threads must receive them: Ctrl-C interrupts a sleep of Python's main thread only
// if that thread gets the signal. Signals of the thread's own faults are not blocked.
class SignalsForOthers {
 public:
  SignalsForOthers() noexcept {
#ifndef _WIN32
    sigset_t others;
    sigfillset(&others);
    for (const int own : {SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGSYS, SIGTRAP}) {
      sigdelset(&others, own);
    }
    pthread_sigmask(SIG_BLOCK, &others, &before_);
#endif
  }
  ~SignalsForOthers() {
#ifndef _WIN32
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
#endif
  }
  SignalsForOthers(const SignalsForOthers &) = delete;
  SignalsForOthers &operator=(const SignalsForOthers &) = delete;

#ifndef _WIN32
 private:
  sigset_t before_;
#endif
};

// Starts a thread that blocks signals. Not for one that calls the program or starts processes,
// which would inherit the blocked signals.
template <class Function, class... Arguments>
std::thread start_thread(Function &&function, Arguments &&...arguments) {
  const SignalsForOthers taken;
  return std::thread(std::forward<Function>(function), std::forward<Arguments>(arguments)...);
}

}  // namespace nexus_plugin

#endif  // NEXUS_PLUGIN_THREAD_HPP_
