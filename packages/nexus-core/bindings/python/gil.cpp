// SPDX-License-Identifier: Apache-2.0
//
// Compiled without exceptions (cmake/python-module.cmake): then pthread_cleanup_push is not an
// object with a destructor, but jumps back to its own frame before C++ frames are unwound.
#include "python/gil.hpp"

#include <pthread.h>
#include <unistd.h>

#include <atomic>

namespace nexus::python {
namespace {

std::atomic<bool> ending{false};
pthread_t ender;  // the thread that ends the interpreter; valid once ending is set
thread_local bool calledBack = false;

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

void beginTheEnd() {
  ender = pthread_self();
  ending.store(true, std::memory_order_release);
}

void stayAtTheEnd() {
  if (ending.load(std::memory_order_acquire) && !calledBack &&
      pthread_equal(ender, pthread_self()) == 0) {
    PyEval_SaveThread();
    sleepUntilTheProcessEnds(nullptr);
  }
}

PyObject *callUntilTheEnd(PyObject *function, PyObject *argument, PyObject *second, bool raises) {
  PyObject *volatile result = nullptr;  // else pthread_cleanup_push may lose it
  const bool nested = calledBack;
  calledBack = true;
  pthread_cleanup_push(sleepUntilTheProcessEnds, nullptr);
  if (argument != nullptr) {
    result = PyObject_CallFunctionObjArgs(function, argument, second, nullptr);
  }
  if (result == nullptr && !raises) PyErr_WriteUnraisable(function);
  Py_XDECREF(second);
  Py_XDECREF(argument);
  Py_DECREF(function);
  pthread_cleanup_pop(0);
  calledBack = nested;
  return result;
}

}  // namespace nexus::python
