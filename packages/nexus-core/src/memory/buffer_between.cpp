// SPDX-License-Identifier: Apache-2.0
//
// Copies between two buffers: within a device, between devices, and those of system buffers.
#include <array>
#include <optional>

#include "memory/buffer_copy.hpp"
#include "memory/copy_order.hpp"
#include "memory/cross_device_copy.hpp"
#include "stream/device_queues.hpp"

namespace nexus::core {
namespace {

void copyWithin(Queue &queue, const Buffer &source, const Buffer &destination, bool ordered,
                bool blocking) {
  const Part from(source, queue.device(), "source", "stream");
  const Part to(destination, queue.device(), "destination", "stream");
  if (source.size() == 0) {
    if (blocking) waitForAhead(queue, {from.memory.get(), to.memory.get()}, ordered);
    return;
  }
  const auto submit = [from, to](Queue &into) {
    nxs_ticket ticket = 0;
    into.device().plugin().call(&nxs_functions::TransferBuffer, "copy a buffer to a buffer",
                                into.id(), &to.range, &from.range, &ticket);
    return ticket;
  };
  const QueuedWork use = enqueueUse(queue, {from.memory.get(), to.memory.get()}, ordered, blocking,
                                    "a copy between buffers", submit);
  if (blocking) {
    use.queue->wait(use.position, UINT64_MAX);
  }
}

// ---- Between devices -------------------------------------------------------------

constexpr const char *kAcross = "a copy between devices";

// The host's address of a part, where it sees the memory.
unsigned char *addressOf(const Part &part, Queue &queue) {
  const NativeBuffer::Mapping mapping = part.memory->addressIn(queue);
  if (mapping.address == nullptr) {
    return nullptr;
  }
  if (mapping.use.queue) mapping.use.queue->wait(mapping.use.position, UINT64_MAX);
  return static_cast<unsigned char *>(mapping.address) + part.range.offset;
}

// A copy in queue, which uses both memories: waits for it, and keeps them where it goes on although
// the wait was ended.
template <typename Submit>
void copyAndWait(Queue &queue, const Part &from, const Part &to, const Submit &submit) {
  const QueuedWork use =
      enqueueUse(queue, {from.memory.get(), to.memory.get()}, true, true, kAcross, submit);
  try {
    use.queue->wait(use.position, UINT64_MAX);
  } catch (const Failure &) {
    whenDoneLater({use}, [from, to] {});
    throw;
  }
}

// Copies and waits, where the caller would wait anyway and the host sees the memory of either
// device: the other one then does all of it, in its default stream, with no turn through other
// threads. False where that is not possible.
bool copyAtOnce(const Part &from, Queue &of_source, const Part &to, Queue &of_destination) {
  if (!of_source.direct() || !of_destination.direct()) {
    return false;
  }
  waitForAhead(of_source, {from.memory.get()}, false);
  waitForAhead(of_destination, {to.memory.get()}, false);
  unsigned char *const source = addressOf(from, of_source);
  unsigned char *const destination = addressOf(to, of_destination);
  const uint64_t size = from.range.size;
  if (isSameMemory(source, destination, size)) {
    return true;
  }
  if (source != nullptr) {
    copyAndWait(of_destination, from, to,
                [=](Queue &into) { return writePart(to, 0, source, size, into); });
  } else if (destination != nullptr) {
    copyAndWait(of_source, from, to,
                [=](Queue &into) { return readPart(from, 0, destination, size, into); });
  }
  return source != nullptr || destination != nullptr;
}

// Waits for all, so that each queue has told of its failure, and throws the first.
void waitForBoth(const std::array<QueuedWork, 2> &uses) {
  std::optional<Failure> first;
  for (const QueuedWork &use : uses) {
    try {
      use.queue->wait(use.position, UINT64_MAX);
    } catch (const WaitEnded &) {
      throw;
    } catch (const Failure &failure) {
      if (!first) first = failure;
    }
  }
  if (first) {
    throw *first;
  }
}

// Without a stream it is in the default streams of both.
void copyAcrossDefaults(const Part &from, const Part &to, bool blocking) {
  const Ref<Queue> of_source(from.memory->device()->queues().defaultStream().queue());
  const Ref<Queue> of_destination(to.memory->device()->queues().defaultStream().queue());
  if (from.range.size == 0) {
    if (!blocking) return;
    waitForAhead(*of_source, {from.memory.get()}, false);
    waitForAhead(*of_destination, {to.memory.get()}, false);
    return;
  }
  if (blocking && copyAtOnce(from, *of_source, to, *of_destination)) {
    return;
  }
  std::array<QueuePosition, 2> positions{};
  {
    DeferredWakes wakes;
    positions = make<CrossDeviceCopy>(from, to, WorkName{kAcross, {}})
                    ->enqueue(*of_source, *of_destination, wakes);
  }
  if (blocking) {
    waitForBoth({QueuedWork{of_source, positions[0]}, QueuedWork{of_destination, positions[1]}});
  }
}

void copyAcross(Buffer &source, Buffer &destination, nexus_stream *stream, bool blocking) {
  const Part from(source, *source.device(), "source", "copy");
  const Part to(destination, *destination.device(), "destination", "copy");
  if (stream == nullptr) {
    copyAcrossDefaults(from, to, blocking);
    return;
  }
  Device &of = given<Stream>(stream, "stream").device();
  Queue &queue = queueOf(stream, &of == destination.device() ? of : *source.device(), "source");
  if (from.range.size == 0) {
    if (blocking) waitForAhead(queue, {}, true);
    return;
  }
  QueuePosition position = 0;
  {
    DeferredWakes wakes;
    position = make<CrossDeviceCopy>(from, to, WorkName{kAcross, {}})->enqueue(queue, wakes);
  }
  if (blocking) {
    queue.wait(position, UINT64_MAX);
  }
}

// ---- Of system buffers -----------------------------------------------------------

// A system buffer and any other, without a stream: the device's part, if there is one, is a copy
// with the system buffer's pages.
void copyByHost(Buffer &source, Buffer &destination) {
  const Ref<Memory> from = source.memory();
  const Ref<Memory> to = destination.memory();
  const uint64_t apart = source.offset() < destination.offset()
                             ? destination.offset() - source.offset()
                             : source.offset() - destination.offset();
  if (from.get() == to.get() && apart < source.size()) {
    throw Failure(NXS_MemCopyOverlap,
                  "source and destination overlap in one buffer; copy through another one.");
  }
  if (source.device() == nullptr) {
    copyFromHost(destination, 0, settled(*from) + source.offset(), source.size(), nullptr, true);
  } else {
    copyToHost(source, 0, settled(*to) + destination.offset(), source.size(), nullptr, true);
  }
}

void copyBetween(Buffer &source, Buffer &destination, nexus_stream *stream, bool blocking) {
  checkCopy(source, destination);
  const bool of_system = source.device() == nullptr || destination.device() == nullptr;
  if (of_system && stream == nullptr) {
    requireBlocking(blocking);
    copyByHost(source, destination);
  } else if (of_system || source.device() == destination.device()) {
    const Buffer &placed = source.device() != nullptr ? source : destination;
    Queue &queue = queueFor(stream, *placed.memory());
    copyWithin(queue, source, destination, stream != nullptr, blocking);
  } else {
    copyAcross(source, destination, stream, blocking);
  }
}

}  // namespace
}  // namespace nexus::core

using namespace nexus::core;

nxs_status nexus_buffer_copy_to_buffer(nexus_buffer *source, nexus_buffer *destination,
                                       nexus_stream *stream, int32_t blocking) {
  return guarded([&] {
    Buffer &from = given<Buffer>(source, "source");
    copyBetween(from, given<Buffer>(destination, "destination"), stream, blocking != 0);
  });
}
