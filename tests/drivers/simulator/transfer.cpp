// SPDX-License-Identifier: Apache-2.0
#include "transfer.hpp"

#include "context.hpp"
#include "graph.hpp"
#include "memory.hpp"
#include "stream.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

namespace simulator {
namespace {

bool known(const Place &place) {
  return world().allocations.find(place.begin) != nullptr;
}

void check_place(const Place &place, size_t size) {
  require(place.begin != 0);
  if (place.side == Side::kDevice || (place.side == Side::kUnified && known(place))) {
    (void)device_range(place.begin, size);
    return;
  }
  const Allocation *found = world().allocations.find(place.begin);
  require(found == nullptr || !found->on_device());
}

bool pageable(const Place &place) {
  return place.side != Side::kDevice && !known(place);
}

Result check_place_running(const Place &place, size_t size) {
  return place.side == Side::kDevice ? check_running(place.begin, size) : kSuccess;
}

template <class T>
void fill_rows(const Fill &fill) {
  for (size_t row = 0; row < fill.rows; ++row) {
    auto *first = reinterpret_cast<T *>(fill.begin + row * fill.pitch);
    std::fill_n(first, fill.width, static_cast<T>(fill.value));
  }
}

void wait_well(Call &call, const Point &end) {
  wait_for(call.lock, end);
  require(call.context->failure() == kSuccess, call.context->failure());
}

}  // namespace

Result planned_fault(const char *kind) {
  const Lock lock(world().mutex);
  return world().log.begin(kind);
}

void Copy::check() const {
  check_place(to, size);
  check_place(from, size);
}

Result Copy::run() const {
  if (const Result planned = planned_fault("copy"); planned != kSuccess) return planned;
  Result result = check_place_running(to, size);
  if (result == kSuccess) result = check_place_running(from, size);
  if (result != kSuccess) return result;
  std::memmove(reinterpret_cast<void *>(to.begin), reinterpret_cast<const void *>(from.begin),
               size);
  return kSuccess;
}

// Calls each(to, from) with the addresses of each row.
template <class Each>
static void each_row(const RowCopy &copy, const Each &each) {
  for (size_t slice = 0; slice < copy.slices; ++slice) {
    for (size_t row = 0; row < copy.rows; ++row) {
      each(copy.to.begin + (slice * copy.to_height + row) * copy.to_pitch,
           copy.from.begin + (slice * copy.from_height + row) * copy.from_pitch);
    }
  }
}

void RowCopy::check() const {
  require(to_pitch >= bytes && from_pitch >= bytes);
  require(to_pitch <= INT32_MAX && from_pitch <= INT32_MAX);
  require(slices == 1 || (to_height >= rows && from_height >= rows));
  each_row(*this, [&](uintptr_t into, uintptr_t out_of) {
    Copy{{into, to.side}, {out_of, from.side}, bytes}.check();
  });
}

Result RowCopy::run() const {
  Result result = kSuccess;
  each_row(*this, [&](uintptr_t into, uintptr_t out_of) {
    if (result != kSuccess) return;
    result = Copy{{into, to.side}, {out_of, from.side}, bytes}.run();
  });
  return result;
}

void Fill::check() const {
  require(element == 1 || element == 2 || element == 4);
  require(begin != 0 && begin % element == 0);
  require(rows <= 1 || (pitch >= width * element && pitch % element == 0));
  (void)device_range(begin, extent());
}

Result Fill::run() const {
  if (const Result planned = planned_fault("fill"); planned != kSuccess) return planned;
  if (const Result result = check_running(begin, extent()); result != kSuccess) return result;
  if (element == 1) fill_rows<uint8_t>(*this);
  if (element == 2) fill_rows<uint16_t>(*this);
  if (element == 4) fill_rows<uint32_t>(*this);
  return kSuccess;
}

void copy_async(Call &call, Handle stream, const Copy &copy) {
  const auto in = stream_of(call, stream);
  if (copy.size == 0) return;
  copy.check();
  if (in->capturing()) return (void)submit(*in, copy);
  if (pageable(copy.from)) {
    const auto *first = reinterpret_cast<const char *>(copy.from.begin);
    const auto staged = std::make_shared<std::vector<char>>(first, first + copy.size);
    const Copy later{copy.to, on_host(staged->data()), copy.size};
    const Point end = in->add([later, staged] { return later.run(); });
    if (pageable(copy.to)) wait_for(call.lock, end);
    return;
  }
  const Point end = in->add([copy] { return copy.run(); });
  if (pageable(copy.to)) wait_well(call, end);
}

void copy_async(Call &call, Handle stream, const RowCopy &copy) {
  const auto in = stream_of(call, stream);
  if (copy.empty()) return;
  copy.check();
  require(!in->capturing() && !pageable(copy.to) && !pageable(copy.from));
  (void)in->add([copy] { return copy.run(); });
}

void copy_now(Call &call, const Copy &copy) {
  if (copy.size == 0) return;
  copy.check();
  wait_well(call, call.context->legacy()->add([copy] { return copy.run(); }));
}

void fill_async(Call &call, Handle stream, const Fill &fill) {
  const auto in = stream_of(call, stream);
  if (fill.empty()) return;
  fill.check();
  submit(*in, fill);
}

}  // namespace simulator
