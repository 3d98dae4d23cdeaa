// SPDX-License-Identifier: Apache-2.0
#include "execution/command.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace nexus_cuda NXS_HIDDEN {
namespace {

// The bytes that two-dimensional fills write, which are slow. Copies then double the filled part.
constexpr uint64_t kInRows = 64 * 1024;

// Returns the size of the shortest pattern that gives the same bytes when repeated.
uint64_t period_of(const std::byte *pattern, uint64_t size) {
  while (size > 1 && std::memcmp(pattern, pattern + size / 2, size / 2) == 0) size /= 2;
  return size;
}

// Returns the size of the widest element that the driver can fill with: no larger than the period,
// and aligned at the address.
unsigned element_of(CUdeviceptr address, uint64_t period) {
  for (const unsigned size : {4U, 2U}) {
    if (period >= size && address % size == 0) return size;
  }
  return 1;
}

unsigned read_element(const std::byte *bytes, unsigned size) {
  unsigned value = 0;
  std::memcpy(&value, bytes, size);  // the driver and we are little-endian
  return value;
}

CUresult enqueue_fill(const FillStep &fill, CUstream stream) noexcept {
  const bool plain = fill.height == 1;
  const auto byte = static_cast<unsigned char>(fill.value);
  const auto half = static_cast<unsigned short>(fill.value);
  switch (fill.elementSize) {
    case 1:
      return plain
                 ? cu.MemsetD8Async(fill.dst, byte, fill.width, stream)
                 : cu.MemsetD2D8Async(fill.dst, fill.pitch, byte, fill.width, fill.height, stream);
    case 2:
      return plain
                 ? cu.MemsetD16Async(fill.dst, half, fill.width, stream)
                 : cu.MemsetD2D16Async(fill.dst, fill.pitch, half, fill.width, fill.height, stream);
    default:
      return plain ? cu.MemsetD32Async(fill.dst, fill.value, fill.width, stream)
                   : cu.MemsetD2D32Async(fill.dst, fill.pitch, fill.value, fill.width, fill.height,
                                         stream);
  }
}

// Returns the steps that fill size bytes, a multiple of pattern_size: 1, 2, 4, 8 or 16.
DeviceSteps fill_steps(CUdeviceptr address, uint64_t size, const std::byte *pattern,
                       uint64_t pattern_size) {
  const uint64_t period = period_of(pattern, pattern_size);
  const unsigned element = element_of(address, period);
  if (element == period) {
    return {FillStep{address, 0, read_element(pattern, element), element, size / element, 1}};
  }
  DeviceSteps steps;
  const uint64_t in_rows = std::min(size, kInRows);
  for (uint64_t at = 0; at < period; at += element) {
    steps.push_back(FillStep{address + at, period, read_element(pattern + at, element), element, 1,
                             in_rows / period});
  }
  for (uint64_t filled = in_rows; filled < size;) {
    const uint64_t more = std::min(filled, size - filled);
    steps.push_back(CopyStep{address + filled, address, more});
    filled += more;
  }
  return steps;
}

CUdeviceptr address_of(const nexus_plugin::BufferRange<Buffer> &range) {
  return range.buffer->address() + range.offset;
}

}  // namespace

CUresult add_step(const DeviceStep &step, CUgraph graph, CUcontext context,
                  CUgraphNode &last) noexcept {
  const CUgraphNode before = last;
  const size_t count = before == nullptr ? 0 : 1;
  if (const auto *fill = std::get_if<FillStep>(&step)) {
    return cu.GraphAddMemsetNode(&last, graph, &before, count, fill, context);
  }
  const auto *copy = std::get_if<CopyStep>(&step);
  CUDA_MEMCPY3D node{};
  node.srcMemoryType = CU_MEMORYTYPE_UNIFIED;
  node.srcDevice = copy->source;
  node.dstMemoryType = CU_MEMORYTYPE_UNIFIED;
  node.dstDevice = copy->destination;
  node.WidthInBytes = copy->size;
  node.Height = 1;
  node.Depth = 1;
  return cu.GraphAddMemcpyNode(&last, graph, &before, count, &node, context);
}

Transfer::Transfer(nexus_plugin::BufferTransfer<Buffer> checked)
    : BufferTransfer(std::move(checked)) {
  if (empty()) return;
  if (is_copy()) {
    steps_ = {CopyStep{address_of(to()), address_of(from()), from().size}};
  } else {
    steps_ = fill_steps(address_of(to()), to().size, pattern().data(), pattern().size());
  }
}

void Transfer::used_in(const PooledStream &pooled) const noexcept {
  to().buffer->used_in(pooled);
  if (is_copy()) from().buffer->used_in(pooled);
}

void Transfer::enqueue(Enqueuing &work) const {
  for (const DeviceStep &step : steps_) {
    const auto *fill = std::get_if<FillStep>(&step);
    const auto *copy = std::get_if<CopyStep>(&step);
    work.check(fill != nullptr
                   ? enqueue_fill(*fill, work.stream)
                   : cu.MemcpyAsync(copy->destination, copy->source, copy->size, work.stream),
               is_copy() ? "copying a buffer to a buffer" : "filling a buffer");
  }
}

nxs_ticket Transfer::submit_to(Stream &stream) const {
  return stream.submit([&](Enqueuing &work) {
    used_in(stream.pooled());
    enqueue(work);
  });
}

}  // namespace nexus_cuda
