// SPDX-License-Identifier: Apache-2.0
//
// Shared by the files of the Python module. Each class has its own file with a function that
// registers it; module.cpp calls them.
//
// The first line of a docstring is the function's typed signature: tools/gen_stubs.py makes the
// stub file from it.
#pragma once

#include <nexus.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

namespace nexus::python {

namespace py = pybind11;

void registerProperties(py::module_ &module);
void registerRuntime(py::module_ &module);
void registerDevice(py::module_ &module);
void registerBuffer(py::module_ &module);
void registerMemoryResource(py::module_ &module);
void registerObjectCode(py::module_ &module);
void registerObjectCodeFunctions(py::module_ &module);
void registerProgram(py::module_ &module);
void registerLibrary(py::module_ &module);
void registerKernel(py::module_ &module);
void registerStream(py::module_ &module);
void registerEvent(py::module_ &module);
void registerSchedule(py::module_ &module);
void registerCommand(py::module_ &module);
void registerSystem(py::module_ &module);

}  // namespace nexus::python
