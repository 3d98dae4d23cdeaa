// SPDX-License-Identifier: Apache-2.0
#include "memory/row_copy.hpp"

#include <utility>

#include "memory/runs.hpp"

namespace nexus::core {

namespace {

// A call of the driver takes some us, as copies of single runs do; a row takes 1 ns on an H100.
constexpr uint64_t kLeastRows = 16;

// Returns whether a dimension can be the slices of those rows.
bool isSliceOf(const Dimension &slice, const Dimension &row) {
  const auto fits = [&](int64_t Dimension::*stride) {
    return slice.*stride >= row.*stride * static_cast<int64_t>(row.length) &&
           slice.*stride % (row.*stride) == 0;
  };
  return fits(&Dimension::view) && fits(&Dimension::packed);
}

RowPlan planOf(const Layout &layout) {
  const Runs runs = runsOf(layout);
  const auto bytes = static_cast<int64_t>(runs.bytes);
  // Dimensions of length 1 stand for no rows and no slices.
  std::vector<Dimension> all{{1, bytes, bytes}};
  int64_t packed = bytes;
  for (std::size_t i = runs.lengths.size(); i-- > 0;) {
    all.push_back({runs.lengths[i], runs.strides[i], packed});
    packed *= static_cast<int64_t>(runs.lengths[i]);
  }
  const auto is_pitch = [&](int64_t stride) { return stride >= bytes && stride <= INT32_MAX; };
  RowPlan plan;
  plan.bytes = runs.bytes;
  uint64_t most = 0;
  std::size_t best_row = 0, best_slice = 0;
  for (std::size_t row = 0; row < all.size(); ++row) {
    const Dimension &rows = all[row];
    if (!is_pitch(rows.view) || !is_pitch(rows.packed)) continue;
    const auto step = [&](int64_t stride) { return stride * static_cast<int64_t>(rows.length); };
    const Dimension none{1, step(rows.view), step(rows.packed)};
    for (std::size_t slice = 0; slice < all.size(); ++slice) {
      if (slice != 0 && (slice == row || !isSliceOf(all[slice], rows))) continue;
      const uint64_t count = rows.length * all[slice].length;
      if (count <= most) continue;
      most = count;
      plan.row = rows;
      plan.slice = slice == 0 ? none : all[slice];
      best_row = row;
      best_slice = slice;
    }
  }
  for (std::size_t i = 1; i < all.size(); ++i) {
    if (i == best_row || i == best_slice) continue;
    plan.calls.push_back(all[i]);
    plan.call_count *= all[i].length;
  }
  return plan;
}

// Submits the calls of a plan. Kept until they are submitted, which may be later.
struct RowMove {
  RowPlan plan;
  Move move;
  Part view, packed;  // the ranges of all elements
  uint64_t first;     // bytes from the view's lowest element to the one at index 0

  nxs_ticket submit(Queue &queue) const {
    std::vector<uint64_t> at(plan.calls.size());
    auto view_at = static_cast<int64_t>(view.range.offset + first);
    auto packed_at = static_cast<int64_t>(packed.range.offset);
    for (;;) {
      const nxs_ticket ticket = call(queue, view_at, packed_at);
      std::size_t i = 0;
      for (; i < at.size(); ++i) {
        const Dimension &over = plan.calls[i];
        view_at += over.view;
        packed_at += over.packed;
        if (++at[i] < over.length) break;
        view_at -= over.view * static_cast<int64_t>(over.length);
        packed_at -= over.packed * static_cast<int64_t>(over.length);
        at[i] = 0;
      }
      if (i == at.size()) return ticket;
    }
  }

 private:
  nxs_ticket call(Queue &queue, int64_t view_at, int64_t packed_at) const {
    const auto rangeAt = [&](const Part &part, int64_t offset, int64_t Dimension::*stride) {
      return nxs_buffer_range{sizeof(nxs_buffer_range), part.range.buffer,
                              static_cast<uint64_t>(offset), plan.extentOf(stride)};
    };
    const nxs_buffer_range ranges[] = {rangeAt(packed, packed_at, &Dimension::packed),
                                       rangeAt(view, view_at, &Dimension::view)};
    const auto pitch = [&](int64_t Dimension::*stride, const Dimension &of) {
      return static_cast<uint64_t>(of.*stride);
    };
    const bool pack = move == Move::Pack;
    const auto to = pack ? &Dimension::packed : &Dimension::view;
    const auto from = pack ? &Dimension::view : &Dimension::packed;
    const nxs_rows rows{sizeof(nxs_rows),
                        plan.bytes,
                        {plan.row.length, plan.slice.length},
                        {pitch(to, plan.row), pitch(to, plan.slice)},
                        {pitch(from, plan.row), pitch(from, plan.slice)}};
    return queue.call(&nxs_functions::CopyRows, "copy rows of a buffer", queue.id(),
                      &ranges[pack ? 0 : 1], &ranges[pack ? 1 : 0], &rows);
  }
};

}  // namespace

std::optional<RowPlan> rowsOf(const Buffer &view) {
  const Device *const device = view.device();
  if (device == nullptr || !device->plugin().has(NXS_Capability_RowCopies)) return std::nullopt;
  RowPlan plan = planOf(view.layout());
  if (plan.bytes > INT32_MAX ||
      (plan.call_count > 1 && plan.row.length * plan.slice.length < kLeastRows))
    return std::nullopt;
  return plan;
}

Ref<Buffer> packedLike(const Buffer &view) {
  Layout layout;
  layout.size = view.size();
  layout.shape = {layout.size};
  return make<Buffer>(
      make<Memory>(*view.device(), layout.size, nxs_buffer_settings{0}, nullptr, ForeignOwner{}),
      uint64_t{0}, std::move(layout));
}

void moveRows(Queue &queue, const RowPlan &plan, Move move, const Buffer &view,
              const Buffer &packed, bool ordered) {
  const Part packed_part(packed, queue.device(), "buffer", "stream");
  const RowMove rows{plan, move, Part(*rangeOf(view), queue.device(), "buffer", "stream"),
                     packed_part, view.layout().first};
  enqueueUse(queue, {rows.view.memory.get(), rows.packed.memory.get()}, ordered, false,
             "a copy of rows", [rows](Queue &into) { return rows.submit(into); });
}

}  // namespace nexus::core
