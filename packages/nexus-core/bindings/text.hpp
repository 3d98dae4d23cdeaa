// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "bindings.hpp"

namespace nexus::python {

/// The UTF-8 of a str. TypeError for others; ValueError for one with a lone surrogate, which UTF-8
/// has no form for.
std::string parseText(py::handle value, const std::string &parameter);

/// The same of a path: a str, bytes or os.PathLike; ValueError also for one with a NUL, which no
/// file has. wanted completes "<parameter> has to be".
std::string parsePath(py::handle value, const std::string &parameter, const std::string &wanted);

}  // namespace nexus::python
