// SPDX-License-Identifier: Apache-2.0
//
// Arrays with gaps between their elements, or in another order than C's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "python/bindings.hpp"

namespace nexus::python {

/// The places of an array's elements.
struct Strides {
  /// The distance in bytes of neighbours along each dimension; empty: C order without gaps.
  std::vector<std::int64_t> bytes;
  std::uint64_t first = 0;   ///< Bytes from the lowest element to the one at index 0.
  std::uint64_t extent = 0;  ///< Bytes from the lowest to the end of the highest element.

  bool contiguous() const noexcept { return bytes.empty(); }
};

/// Returns the places from a shape and strides in bytes, whose numbers are equal. ValueError, with
/// the parameter's name, if the elements are in no memory.
Strides readStrides(const std::vector<std::uint64_t> &shape, std::vector<std::int64_t> bytes,
                    std::uint64_t itemsize, const std::string &parameter);

}  // namespace nexus::python
