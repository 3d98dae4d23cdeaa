// SPDX-License-Identifier: Apache-2.0
//
// Compiled without exceptions (cmake/python-module.cmake): there pthread_cleanup_push is no object
// with a destructor, but jumps back to its own frame before a frame of C++ is unwound.
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

PyObject *callUntilTheEnd(PyObject *function, PyObject *argument) {
  PyObject *result = nullptr;
  pthread_cleanup_push(sleepUntilTheProcessEnds, nullptr);
  result = PyObject_CallOneArg(function, argument);
  pthread_cleanup_pop(0);
  return result;
}

}  // namespace nexus::python
