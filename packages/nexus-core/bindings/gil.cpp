// SPDX-License-Identifier: Apache-2.0
//
// Compiled without exceptions (cmake/python-module.cmake): then pthread_cleanup_push jumps back to
// its frame before any frame of C++ is unwound, which a destructor or a catch (...) would turn into
// the end of the process, and which is undefined where the wheel has an unwinder of its own.
#include "gil.hpp"

#include <pthread.h>
#include <unistd.h>

namespace nexus::python {
namespace {

void sleepUntilTheProcessEnds(void *) {
  for (;;) {
    pause();
  }
}

}  // namespace

void takeGil(PyThreadState *state) {
  pthread_cleanup_push(sleepUntilTheProcessEnds, nullptr);
  PyEval_RestoreThread(state);
  pthread_cleanup_pop(0);
}

PyGILState_STATE ensureGil() {
  PyGILState_STATE state = PyGILState_UNLOCKED;
  pthread_cleanup_push(sleepUntilTheProcessEnds, nullptr);
  state = PyGILState_Ensure();
  pthread_cleanup_pop(0);
  return state;
}

}  // namespace nexus::python
