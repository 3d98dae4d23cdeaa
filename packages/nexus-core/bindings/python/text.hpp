// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "python/bindings.hpp"

namespace nexus::python {

/// Returns the UTF-8 of a str. TypeError for others; ValueError for one with a lone surrogate,
/// which UTF-8 can't represent.
std::string parseText(py::handle value, const std::string &parameter);

/// Returns a path from a str, bytes or os.PathLike; as parseText(), and ValueError for one with a
/// NUL, which no file has. wanted completes "<parameter> has to be".
std::string parsePath(py::handle value, const std::string &parameter, const std::string &wanted);

}  // namespace nexus::python
