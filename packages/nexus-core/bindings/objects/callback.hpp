// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "python/bindings.hpp"

namespace nexus::python {

void addCallback(const Stream &stream, py::handle function);

}  // namespace nexus::python
