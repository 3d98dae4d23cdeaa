// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Python.h>

#include <exception>

namespace nexus::python {

/// PyEval_RestoreThread and PyGILState_Ensure, also for a thread that outlives the interpreter.
///
/// Python before 3.14 ends such a thread, a daemon, by pthread_exit when it asks for the GIL. To
/// unwind it through frames of C++ ends the process: std::terminate in a destructor, and SIGSEGV in
/// a wheel that has an unwinder of its own. Here it sleeps until the process is gone.
void takeGil(PyThreadState *state);
PyGILState_STATE ensureGil();

/// The interpreter is about to end. What other threads wait for is cancelled then, and to raise that
/// would run Python code in a handler of C++, where pthread_exit comes as above: of a thread whose
/// call fails from now on, sleepAtTheEnd does not return. Threads of callbacks are no such threads.
void beginTheEnd();
void sleepAtTheEnd();

/// Calls function(argument) and ends the caller's references to both, on a thread that may outlive
/// the interpreter, as above. What it raises goes to sys.unraisablehook, and so does the error that
/// is set where argument is nullptr. Called with the GIL held.
void callUntilTheEnd(PyObject *function, PyObject *argument);

/// Calls function without the GIL, so that other Python threads run meanwhile. Around everything
/// that waits, loads a plug-in or takes a lock that another thread holds over either.
template <class Function>
auto withoutGil(Function &&function) {
  struct Released {
    const int failures = std::uncaught_exceptions();
    PyThreadState *state = PyEval_SaveThread();
    ~Released() {
      if (std::uncaught_exceptions() > failures) sleepAtTheEnd();
      takeGil(state);
    }
  } released;
  return function();
}

}  // namespace nexus::python
