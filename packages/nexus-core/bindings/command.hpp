// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nexus/command.hpp>

#include "bindings.hpp"

namespace nexus::python {

/// Command.set_arg(index, value, dtype): a buffer, or a scalar in the width that the kernel, dtype
/// or the value itself tells.
void setArgument(const Command &command, std::uint32_t index, py::handle value, py::handle dtype);

}  // namespace nexus::python
