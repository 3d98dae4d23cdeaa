// SPDX-License-Identifier: Apache-2.0
#include "memory/runs.hpp"

#include "base/data_type.hpp"

namespace nexus::core {

Runs runsOf(const Layout &layout) {
  Runs runs;
  runs.bytes = dataTypeBits(layout.data_type) / 8;
  std::size_t rank = layout.shape.size();
  for (; rank > 0; --rank) {
    const uint64_t length = layout.shape[rank - 1];
    if (length == 1) continue;
    if (layout.strides[rank - 1] != static_cast<int64_t>(runs.bytes)) break;
    runs.bytes *= length;
  }
  for (std::size_t i = 0; i < rank; ++i) {
    if (layout.shape[i] == 1) continue;
    runs.lengths.push_back(layout.shape[i]);
    runs.strides.push_back(layout.strides[i]);
  }
  return runs;
}

Ref<Buffer> rangeOf(const Buffer &view) {
  Layout layout;
  layout.size = layout.extent = view.layout().extent;
  layout.shape = {layout.size};
  return make<Buffer>(view.memory(), view.offset(), std::move(layout));
}

}  // namespace nexus::core
