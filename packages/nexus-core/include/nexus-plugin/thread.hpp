// SPDX-License-Identifier: Apache-2.0
// Threads that run no code of the program's.
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

// Threads that are started while it lives take none of the process's signals, which are for the
// program's own threads: Ctrl-C ends a sleep of Python's main thread only where it comes to that
// one. What a fault of the thread itself raises comes to it as ever.
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

// A std::thread that takes no signals. Not for what calls the program back or starts processes,
// which would inherit that.
template <class Function, class... Arguments>
std::thread start_thread(Function &&function, Arguments &&...arguments) {
  const SignalsForOthers taken;
  return std::thread(std::forward<Function>(function), std::forward<Arguments>(arguments)...);
}

}  // namespace nexus_plugin

#endif  // NEXUS_PLUGIN_THREAD_HPP_
