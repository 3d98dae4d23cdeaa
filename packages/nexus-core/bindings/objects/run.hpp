// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "types/instance.hpp"

namespace nexus::python {

void bindRun(py::class_<Held<Schedule>> &cls);

}  // namespace nexus::python
