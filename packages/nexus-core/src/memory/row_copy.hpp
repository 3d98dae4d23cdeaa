// SPDX-License-Identifier: Apache-2.0
//
// Copies between a view with gaps, or in another order than C's, and packed memory of its device,
// by nxsCopyRows.
#pragma once

#include <optional>
#include <vector>

#include "memory/copy_order.hpp"

namespace nexus::core {

/// A dimension over which runs are spread: their number, and the bytes between neighbours in the
/// view and in packed memory.
struct Dimension {
  uint64_t length;
  int64_t view;
  int64_t packed;
};

/// How the device copies the runs of a view: the rows and slices of one call, and the dimensions
/// over which calls are repeated.
struct RowPlan {
  uint64_t bytes = 0;
  Dimension row{1, 0, 0}, slice{1, 0, 0};
  std::vector<Dimension> calls;
  uint64_t call_count = 1;

  uint64_t extentOf(int64_t Dimension::*stride) const {
    return (row.length - 1) * static_cast<uint64_t>(row.*stride) +
           (slice.length - 1) * static_cast<uint64_t>(slice.*stride) + bytes;
  }
};

/// Returns how the device copies the view's rows; nothing if it does not.
std::optional<RowPlan> rowsOf(const Buffer &view);

/// Returns memory on the view's device for its elements, packed.
Ref<Buffer> packedLike(const Buffer &view);

enum class Move { Pack, Unpack };
/// Enqueues the copy of a view's elements to packed memory, or back. ordered as in enqueueUse().
void moveRows(Queue &queue, const RowPlan &plan, Move move, const Buffer &view,
              const Buffer &packed, bool ordered);

}  // namespace nexus::core
