// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nexus/command.hpp>

#include "python/bindings.hpp"
#include "values/scalar.hpp"

namespace nexus::python {

/// One argument, checked and packed: a buffer or, if that is empty, a scalar.
struct ArgumentValue {
  std::uint32_t index;
  Buffer buffer;
  Scalar scalar;
};

/// Converts the arguments of set_arg(index, value, dtype): to a buffer, or to a scalar with the
/// type of the kernel, of dtype or of the value. TypeError or ValueError if it does not fit.
ArgumentValue readArgument(const Kernel &kernel, std::uint32_t index, py::handle value,
                           py::handle dtype);

/// Returns a value that is not a buffer as a scalar, with the type of the kernel or of the value.
/// described: the kernel's description of the argument; nullptr if there is none.
Scalar packArgument(const Argument *described, const Parameter &parameter, py::handle value,
                    py::handle dtype);

/// Returns the index of the argument that a key names: an int from 0 to 63, or the argument's name.
/// kernel may be empty; then names are refused.
std::uint32_t argumentIndex(const Kernel &kernel, py::handle key, const char *parameter);

/// Call it without the GIL.
void setArgument(const Command &command, const ArgumentValue &argument);

}  // namespace nexus::python
