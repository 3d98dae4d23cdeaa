// SPDX-License-Identifier: Apache-2.0
//
// Arrays with gaps between their elements, or in another order than C's.
#pragma once

#include <nexus/buffer.hpp>

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

/// Returns a shape for C functions, where NULL means none.
inline const std::uint64_t *lengthsOf(const std::vector<std::uint64_t> &shape) noexcept {
  static constexpr std::uint64_t noLengths = 0;
  return shape.empty() ? &noLengths : shape.data();
}

/// Returns the places of a buffer's elements.
Strides stridesOf(const Buffer &buffer);

/// Returns a view of the memory of base, which is the range of an array with that type, shape and
/// strides.
Buffer viewIn(const Buffer &base, nxs_data_type type, const std::vector<std::uint64_t> &shape,
              const Strides &strides);

}  // namespace nexus::python
