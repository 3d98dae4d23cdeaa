// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Python.h>

namespace nexus::python {

/// PyEval_RestoreThread and PyGILState_Ensure, also for a thread that outlives the interpreter.
///
/// Python before 3.14 ends such a thread, a daemon, by pthread_exit when it asks for the GIL. To
/// unwind it through frames of C++ ends the process: std::terminate in a destructor, and SIGSEGV in
/// a wheel that has an unwinder of its own. Here it sleeps until the process is gone.
void takeGil(PyThreadState *state);
PyGILState_STATE ensureGil();

/// The interpreter is about to end, on this thread. What others wait for is cancelled then; to
/// raise it would run Python code in a handler of C++, through which such a thread can't be ended
/// either.
void beginTheEnd();
/// Before something is raised, with the GIL held: does not return at the end, but on its own thread
/// and in callbacks.
void stayAtTheEnd();

/// Calls function(argument) and ends the caller's references to both, on a thread that may outlive
/// the interpreter, as above. What it raises goes to sys.unraisablehook, and so does the error that
/// is set where argument is nullptr. Called with the GIL held.
void callUntilTheEnd(PyObject *function, PyObject *argument);

/// Calls function without the GIL, so that other Python threads run meanwhile. Around everything
/// that waits, loads a plug-in or takes a lock that another thread holds over either.
template <class Function>
auto withoutGil(Function &&function) {
  struct Released {
    PyThreadState *state = PyEval_SaveThread();
    ~Released() { takeGil(state); }
  } released;
  return function();
}

}  // namespace nexus::python
