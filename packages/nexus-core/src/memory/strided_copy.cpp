// SPDX-License-Identifier: Apache-2.0
#include "memory/strided_copy.hpp"

#include <cstring>
#include <optional>

#include "memory/copy_order.hpp"
#include "memory/row_copy.hpp"
#include "memory/runs.hpp"

namespace nexus::core {

namespace {

// A copy to the host reads the whole range at once if the range has at most this many times the
// bytes of the elements; reading many short runs takes longer.
constexpr uint64_t kMostStaged = 16;

// Calls move(place, index, count, stride) for each row of runs along the last dimension: the
// place of its first run in the range, and the number of runs before it.
template <typename Move>
void eachRow(const Layout &layout, const Runs &runs, const Move &move) {
  const std::size_t outer = runs.lengths.empty() ? 0 : runs.lengths.size() - 1;
  const uint64_t count = runs.lengths.empty() ? 1 : runs.lengths.back();
  const int64_t stride = runs.strides.empty() ? 0 : runs.strides.back();
  std::vector<uint64_t> at(outer);
  auto place = static_cast<int64_t>(layout.first);
  for (uint64_t index = 0;; index += count) {
    move(place, index, count, stride);
    std::size_t i = outer;
    for (; i > 0; --i) {
      place += runs.strides[i - 1];
      if (++at[i - 1] < runs.lengths[i - 1]) break;
      place -= runs.strides[i - 1] * static_cast<int64_t>(runs.lengths[i - 1]);
      at[i - 1] = 0;
    }
    if (i == 0) return;
  }
}

// Copies a row of runs of Bytes bytes each; 0: as many as bytes says.
template <uint64_t Bytes>
void moveRow(unsigned char *to, int64_t to_stride, const unsigned char *from, int64_t from_stride,
             uint64_t count, uint64_t bytes) {
  for (uint64_t i = 0; i < count; ++i) {
    std::memcpy(to, from, static_cast<std::size_t>(Bytes == 0 ? bytes : Bytes));
    to += to_stride;
    from += from_stride;
  }
}

using MoveRow = decltype(&moveRow<0>);

MoveRow moverOf(uint64_t bytes) {
  switch (bytes) {
    case 1:
      return moveRow<1>;
    case 2:
      return moveRow<2>;
    case 4:
      return moveRow<4>;
    case 8:
      return moveRow<8>;
    default:
      return moveRow<0>;
  }
}

void gatherFrom(const unsigned char *range, const Layout &layout, unsigned char *host) {
  const Runs runs = runsOf(layout);
  const MoveRow move = moverOf(runs.bytes);
  const auto step = static_cast<int64_t>(runs.bytes);
  eachRow(layout, runs, [&](int64_t place, uint64_t index, uint64_t count, int64_t stride) {
    move(host + index * runs.bytes, step, range + place, stride, count, runs.bytes);
  });
}

void scatterTo(unsigned char *range, const Layout &layout, const unsigned char *host) {
  const Runs runs = runsOf(layout);
  const MoveRow move = moverOf(runs.bytes);
  const auto step = static_cast<int64_t>(runs.bytes);
  eachRow(layout, runs, [&](int64_t place, uint64_t index, uint64_t count, int64_t stride) {
    move(range + place, stride, host + index * runs.bytes, step, count, runs.bytes);
  });
}

// Waits for earlier work, and returns the host's address of the range; NULL if the host can't
// access the memory.
unsigned char *visibleRange(const Buffer &view, nexus_stream *stream) {
  const Place at = view.place();
  if (stream == nullptr && at.memory->device() == nullptr) {
    return addressAfterUses(*at.memory) + at.offset;
  }
  Queue &queue = queueFor(stream, *at.memory);
  if (at.memory->device() != nullptr) {
    at.memory->on(queue.device(), "buffer", "stream");  // refuses a stream of another device
  }
  waitForEarlierWork(queue, {at.memory.get()}, stream != nullptr);
  const NativeBuffer::Mapping mapping = at.memory->addressIn(queue);
  if (mapping.address == nullptr) return nullptr;
  if (mapping.use.queue) mapping.use.queue->wait(mapping.use.position, UINT64_MAX);
  return static_cast<unsigned char *>(mapping.address) + at.offset;
}

// Copies each run by copy, and waits, also if one fails: the caller may free the host memory then.
void copyRuns(const Buffer &view, unsigned char *host, nexus_stream *stream, HostCopy copy) {
  const Ref<Buffer> range = rangeOf(view);
  const Ref<Memory> memory = view.memory();
  Queue &queue = queueFor(stream, *memory);
  const Runs runs = runsOf(view.layout());
  const auto wait = [&] { queue.wait(queue.newest(), UINT64_MAX, Interrupt::Ignored); };
  try {
    eachRow(view.layout(), runs,
            [&](int64_t place, uint64_t index, uint64_t count, int64_t stride) {
              for (uint64_t i = 0; i < count; ++i, place += stride) {
                copy(*range, static_cast<uint64_t>(place), host + (index + i) * runs.bytes,
                     runs.bytes, stream, false);
              }
            });
  } catch (const Failure &) {
    wait();
    throw;
  }
  wait();
}

}  // namespace

bool copyOnDevice(Buffer &source, Buffer &destination, nexus_stream *stream) {
  const auto from = source.contiguous() ? std::nullopt : rowsOf(source);
  const auto to = destination.contiguous() ? std::nullopt : rowsOf(destination);
  const bool apart = source.memory().get() != destination.memory().get();
  if (source.device() != destination.device() || !(from || source.contiguous()) ||
      !(to || destination.contiguous()) || !(apart || (from && to))) {
    return false;
  }
  Queue &queue = queueFor(stream, *source.memory());
  const bool ordered = stream != nullptr;
  Ref<Buffer> packed(from ? destination : source);
  if (from && to) packed = packedLike(source);
  if (from) moveRows(queue, *from, Move::Pack, source, *packed, ordered);
  if (to) moveRows(queue, *to, Move::Unpack, destination, *packed, ordered);
  queue.wait(queue.newest(), UINT64_MAX);
  return true;
}

void gather(Buffer &view, void *host, nexus_stream *stream, HostCopy read) {
  const Layout &layout = view.layout();
  const auto rows = rowsOf(view);
  auto *const packed = static_cast<unsigned char *>(host);
  if (const unsigned char *range = visibleRange(view, stream)) {
    gatherFrom(range, layout, packed);
  } else if (rows) {
    const Ref<Buffer> on_device = packedLike(view);
    moveRows(queueFor(stream, *view.memory()), *rows, Move::Pack, view, *on_device,
             stream != nullptr);
    read(*on_device, 0, host, layout.size, stream, true);
  } else if (layout.extent / kMostStaged <= layout.size) {
    std::vector<unsigned char> staged(static_cast<std::size_t>(layout.extent));
    read(*rangeOf(view), 0, staged.data(), layout.extent, stream, true);
    gatherFrom(staged.data(), layout, packed);
  } else {
    copyRuns(view, packed, stream, read);
  }
}

void scatter(const void *host, Buffer &view, nexus_stream *stream, HostCopy write) {
  auto *const packed = static_cast<unsigned char *>(const_cast<void *>(host));  // write only reads
  if (unsigned char *range = visibleRange(view, stream)) {
    scatterTo(range, view.layout(), packed);
  } else if (const auto rows = rowsOf(view)) {
    const Ref<Buffer> on_device = packedLike(view);
    write(*on_device, 0, packed, view.size(), stream, true);
    Queue &queue = queueFor(stream, *view.memory());
    moveRows(queue, *rows, Move::Unpack, view, *on_device, stream != nullptr);
    queue.wait(queue.newest(), UINT64_MAX);
  } else {
    copyRuns(view, packed, stream, write);
  }
}

}  // namespace nexus::core
