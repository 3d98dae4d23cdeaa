// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pybind11/pybind11.h>

#include "python/bindings.hpp"

namespace nexus::python {

/// Pickles events shared between processes; others raise the reason.
void setupEventPickling(PyHeapTypeObject *heapType);

/// Adds the function that their pickles call.
void registerEventImport(py::module_ &module);

}  // namespace nexus::python
