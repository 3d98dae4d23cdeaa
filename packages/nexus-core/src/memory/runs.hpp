// SPDX-License-Identifier: Apache-2.0
//
// The bytes of views with gaps between their elements, or in another order than C's.
#pragma once

#include <vector>

#include "memory/buffer.hpp"

namespace nexus::core {

/// The runs of a layout's elements that lie side by side: their bytes, and the dimensions over
/// which they are spread.
struct Runs {
  uint64_t bytes = 0;
  std::vector<uint64_t> lengths;
  std::vector<int64_t> strides;
};
/// Of a layout that is not contiguous.
Runs runsOf(const Layout &layout);

/// Returns the view's range, from its lowest to its highest element, as a buffer of bytes.
Ref<Buffer> rangeOf(const Buffer &view);

}  // namespace nexus::core
