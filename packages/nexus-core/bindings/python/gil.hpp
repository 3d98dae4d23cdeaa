// SPDX-License-Identifier: Apache-2.0
//
// A free-threaded Python has no GIL. There a thread "holds the GIL" in the comments of this module
// if it is attached to the interpreter, as any number of threads can be at the same time: what they
// share needs a lock (shared_state.hpp).
#pragma once

#include <Python.h>

namespace nexus::python {

/// PyEval_RestoreThread and PyGILState_Ensure, also for a thread that outlives the interpreter.
///
/// Python before 3.14 ends such a daemon thread by pthread_exit when it asks for the GIL. Unwinding
/// C++ frames then ends the process: by std::terminate in a destructor, or by SIGSEGV in a wheel
/// with its own unwinder. These functions instead sleep until the process exits.
void takeGil(PyThreadState *state);
PyGILState_STATE ensureGil();

/// Call when the interpreter is about to end, on this thread. Waits of other threads are then
/// cancelled; raising that would run Python code in a C++ handler, through which such a thread
/// can't be ended.
void beginTheEnd();
/// Call before raising, with the GIL held: once the interpreter is ending, it returns only on the
/// ending thread and in callbacks.
void stayAtTheEnd();

/// Calls function(argument), or function(argument, second), and drops the caller's references to
/// them, on a thread that may outlive the interpreter, as above. Returns a new reference.
/// Exceptions go to sys.unraisablehook, as does the present error if argument is nullptr; then it
/// returns nullptr. With raises, Python's error is set instead. Call it with the GIL held.
PyObject *callUntilTheEnd(PyObject *function, PyObject *argument, PyObject *second = nullptr,
                          bool raises = false);

/// Calls function without the GIL, so that other Python threads run meanwhile. Use it around
/// everything that waits, loads a plug-in or takes a lock that another thread holds while it does.
template <class Function>
auto withoutGil(Function &&function) {
  struct Released {
    PyThreadState *state = PyEval_SaveThread();
    ~Released() { takeGil(state); }
  } released;
  return function();
}

}  // namespace nexus::python
