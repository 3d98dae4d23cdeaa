// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "bindings.hpp"
#include "parameter.hpp"

namespace nexus::python {

/// A non-negative int from a Python int or numpy integer; TypeError for others, bool among them,
/// ValueError where it is below lowest or above 2^63 - 1.
std::uint64_t parseCount(py::handle value, const Parameter &parameter, std::uint64_t lowest = 0);

/// An int, or a list or tuple of one to three of them, each at least lowest; None: no extent.
Extent parseExtent(py::handle value, const Parameter &parameter, std::uint64_t lowest = 1);

/// A bool, also numpy's. TypeError for others, so that a slip of arguments is seen.
bool parseBool(py::handle value, const Parameter &parameter);

/// Seconds as a float or int, None being forever. ValueError for negative ones and NaN.
Timeout parseTimeout(py::handle value);

/// A shape: a tuple of ints of at least 0. () is the shape of one element.
std::vector<std::uint64_t> parseShape(py::handle value, const Parameter &parameter);

/// What Python is given of a launch. As a command's options are: all None or the default where
/// nobody set one.
struct LaunchArguments {
  py::handle groupSize, gridSize, localMemory, groupCount, clusterSize, cooperative, programmatic;

  /// Returns whether there is a size; TypeError where there is none and an option was given.
  bool present() const;
  /// TypeError and ValueError with the parameter's name.
  Launch parse() const;
};

}  // namespace nexus::python
