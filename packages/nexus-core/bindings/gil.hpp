// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pybind11/pybind11.h>

namespace nexus::python {

/// Calls function without the GIL, so that other Python threads run meanwhile. Around everything
/// that waits, loads a plug-in or takes a lock that another thread holds over either.
template <class Function>
auto withoutGil(Function &&function) {
  struct Released {
    PyThreadState *state = PyEval_SaveThread();
    ~Released() { PyEval_RestoreThread(state); }
  } released;
  return function();
}

}  // namespace nexus::python
