// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "python/bindings.hpp"
#include "types/parameter.hpp"

namespace nexus::python {

/// Returns a non-negative int from a Python int or numpy integer. TypeError for others, including
/// bool; ValueError if it is below lowest or above 2^63 - 1.
std::uint64_t parseCount(py::handle value, const Parameter &parameter, std::uint64_t lowest = 0);

/// Accepts an int, or a list or tuple of one to three of them, each at least lowest; None is an
/// empty extent.
Extent parseExtent(py::handle value, const Parameter &parameter, std::uint64_t lowest = 1);

/// Accepts a bool, also numpy's. TypeError for others, to detect misplaced arguments.
bool parseBool(py::handle value, const Parameter &parameter);

/// Accepts seconds as a float or int; None is forever. ValueError for negative numbers and NaN.
Timeout parseTimeout(py::handle value);

/// Accepts a tuple of ints of at least 0. () is the shape of one element.
std::vector<std::uint64_t> parseShape(py::handle value, const Parameter &parameter);

/// The arguments of a launch from Python. For options that the program did not give, None or the
/// default.
struct LaunchArguments {
  py::handle groupSize, gridSize, localMemory, groupCount, clusterSize, cooperative, programmatic;

  /// Returns whether there is a size. TypeError if there is an option without a size.
  bool present() const;
  /// TypeError and ValueError with the parameter's name.
  Launch parse() const;
};

}  // namespace nexus::python
