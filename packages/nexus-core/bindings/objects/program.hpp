// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "python/bindings.hpp"

namespace nexus::python {

/// Device.compile(source, ...).
Library compileLibrary(py::handle self, py::handle source, py::handle language, py::handle name,
                       py::handle options, py::handle defines, py::handle includePaths,
                       py::handle optimization, py::handle fastMath, py::handle debug,
                       py::handle lineInfo, py::handle standard, py::handle extra,
                       py::handle relocatable, py::handle nameExpressions);

}  // namespace nexus::python
