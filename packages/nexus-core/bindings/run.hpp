// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bindings.hpp"

namespace nexus::python {

/// Adds Schedule.run. After registerSchedule and registerStream.
void registerRun(py::module_ &module);

}  // namespace nexus::python
