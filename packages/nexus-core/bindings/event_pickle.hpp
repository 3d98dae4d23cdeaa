// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pybind11/pybind11.h>

#include "bindings.hpp"

namespace nexus::python {

/// Pickles events that processes share, and refuses the others in words.
void setupEventPickling(PyHeapTypeObject *heapType);

/// Adds what their pickles call.
void registerEventImport(py::module_ &module);

}  // namespace nexus::python
