// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nexus/command.hpp>

#include "bindings.hpp"
#include "scalar.hpp"

namespace nexus::python {

/// One argument, checked and packed: a buffer, or a scalar where the buffer is empty.
struct ArgumentValue {
  std::uint32_t index;
  Buffer buffer;
  Scalar scalar;
};

/// What set_arg(index, value, dtype) passes to the kernel: a buffer, or a scalar in the width that
/// the kernel, dtype or the value itself tells. TypeError or ValueError where it does not fit.
ArgumentValue readArgument(const Kernel &kernel, std::uint32_t index, py::handle value,
                           py::handle dtype);

/// Called without the GIL.
void setArgument(const Command &command, const ArgumentValue &argument);

}  // namespace nexus::python
