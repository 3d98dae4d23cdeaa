// SPDX-License-Identifier: Apache-2.0
#include "fibers/plain_range.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <nexus-plugin/kernel/arguments.hpp>
#include <utility>

namespace nexus_cpu NXS_HIDDEN {
namespace {

template <std::size_t>
using Pointer = void *;

template <std::size_t... Index>
void call_row(void (*function)(), PlainRow &row) {
  using Kernel = void (*)(Pointer<Index>..., int32_t *, int32_t *, void *, void *);
  const auto kernel = reinterpret_cast<Kernel>(function);
  // The function may write to the arrays; each call gets fresh ones.
  int32_t launch_size[6];
  int32_t launch_id[6];
  for (; row.launch_id[3] < row.end && !row.others_done; ++row.launch_id[3]) {
    std::memcpy(launch_size, row.launch_size, sizeof(launch_size));
    std::memcpy(launch_id, row.launch_id, sizeof(launch_id));
    kernel(row.arguments[Index]..., launch_size, launch_id, row.local_memory, row.barrier);
  }
}

template <std::size_t... Index>
constexpr PlainCaller caller_for(std::index_sequence<Index...>) {
  return call_row<Index...>;
}

template <std::size_t... Count>
constexpr std::array<PlainCaller, sizeof...(Count)> make_callers(std::index_sequence<Count...>) {
  return {caller_for(std::make_index_sequence<Count>())...};
}

constexpr auto callers = make_callers(std::make_index_sequence<nexus_plugin::kMaxArguments + 1>());

}  // namespace

PlainCaller plain_caller(std::size_t argument_count) noexcept {
  return callers[argument_count];
}

PlainRange::PlainRange(const Kernel &kernel, const nexus_cpu_sizes &sizes,
                       FiberGroup &groups) noexcept
    : kernel_(kernel), sizes_(sizes), groups_(groups), barrier_{{reached}, this} {
  row_.arguments = kernel.arguments;
  row_.local_memory = kernel.local_memory;
  row_.barrier = static_cast<Barrier *>(&barrier_);
  std::copy_n(sizes.group_count, 3, row_.launch_size);
  std::copy_n(sizes.group_size, 3, row_.launch_size + 3);
}

void PlainRange::run(uint64_t begin, uint64_t end) noexcept {
  for (uint64_t group = begin; group < end; ++group) run_group(group);
}

void PlainRange::run_group(uint64_t group) noexcept {
  const auto count_x = static_cast<uint64_t>(sizes_.group_count[0]);
  const auto count_y = static_cast<uint64_t>(sizes_.group_count[1]);
  const std::array<uint64_t, 3> at = {group % count_x, group / count_x % count_y,
                                      group / count_x / count_y};
  std::array<int32_t, 3> items{};  // the group's items within the grid
  for (std::size_t d = 0; d < 3; ++d) {
    row_.launch_id[d] = static_cast<int32_t>(at[d]);
    const int32_t first = row_.launch_id[d] * sizes_.group_size[d];
    items[d] = std::min(sizes_.group_size[d], sizes_.grid_size[d] - first);
  }
  row_.end = items[0];
  row_.others_done = false;
  for (row_.launch_id[5] = 0; row_.launch_id[5] < items[2]; ++row_.launch_id[5]) {
    for (row_.launch_id[4] = 0; row_.launch_id[4] < items[1]; ++row_.launch_id[4]) {
      row_.launch_id[3] = 0;
      kernel_.caller(kernel_.function, row_);
      if (row_.others_done) return;
    }
  }
}

// Called by _cpu_barrier.
void PlainRange::reached(void *barrier) {
  PlainRange &range = *static_cast<OwnBarrier *>(static_cast<Barrier *>(barrier))->range;
  FiberGroup &groups = range.groups_;
  if (groups.on_fiber() || range.row_.others_done) return groups.wait(0);
  const int32_t *id = range.row_.launch_id;
  groups.start({run_item, &range, {id[0], id[1], id[2]}}, id + 3, 0);
  range.row_.others_done = true;
}

// Runs on a fiber.
void PlainRange::run_item(const void *self, const int32_t *item) {
  const auto &range = *static_cast<const PlainRange *>(self);
  PlainRow row = range.row_;
  std::copy_n(item, 3, row.launch_id + 3);
  row.end = item[0] + 1;
  range.kernel_.caller(range.kernel_.function, row);
}

}  // namespace nexus_cpu
