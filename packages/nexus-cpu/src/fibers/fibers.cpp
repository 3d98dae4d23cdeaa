// SPDX-License-Identifier: Apache-2.0
#include "fibers/fibers.hpp"

#include "fibers/limits.hpp"

#include <cstdint>
#include <utility>

namespace nexus_cpu NXS_HIDDEN {
namespace {

// Stacks at the same offset in a page would compete for a few cache sets, so neighbours start at
// different offsets.
constexpr std::size_t kColours = 16;
constexpr std::size_t kColourStep = 256;  // bytes
constexpr std::size_t kColourSpace = kColours * kColourStep;

}  // namespace

Fibers &Fibers::mine() {
  thread_local Fibers fibers;
  return fibers;
}

Fibers::~Fibers() {
  if (user != nullptr) {
    for (Part &part : parts_) part.stacks.leave();
    (void)fibers_.release();
    return;
  }
  for (std::size_t i = 1; i < count_; ++i) end_fiber(fibers_[i]);
}

void Fibers::reserve(std::size_t count, Entry entry) {
  if (count <= count_) return;
  if (fibers_ == nullptr) {
    // Room for the largest group and one more; its pages are allocated when first touched.
    fibers_ = std::make_unique_for_overwrite<Fiber[]>(kMaxGroupItems + 1);
    fibers_[0] = Fiber{};
    count_ = 1;
  }
  if (count == count_) return;
  parts_.reserve(parts_.size() + 1);
  parts_.push_back({count_, Stacks(count - count_, fiber_stack_size() + kColourSpace)});
  for (; count_ < count; ++count_) {
    fibers_[count_] = Fiber{};
    begin(count_, entry);
  }
}

void Fibers::drop(Entry entry) {
  for (std::size_t i = 1; i < count_; ++i) begin(i, entry);
}

void Fibers::begin(std::size_t index, Entry entry) {
  auto part = parts_.rbegin();
  while (part->first > index) ++part;
  const std::size_t size = part->stacks.size() - index % kColours * kColourStep;
  begin_fiber(fibers_[index], part->stacks.begin(index - part->first), size, entry);
}

}  // namespace nexus_cpu
