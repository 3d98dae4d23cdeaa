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
    if (blocking) waitForEarlierWork(queue, {from.memory.get(), to.memory.get()}, ordered);
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

constexpr const char *kCrossDevice = "a copy between devices";

// Returns the host's address of a part, or NULL if its memory is not visible to the host.
unsigned char *addressOf(const Part &part, Queue &queue) {
  const NativeBuffer::Mapping mapping = part.memory->addressIn(queue);
  if (mapping.address == nullptr) {
    return nullptr;
  }
  if (mapping.use.queue) mapping.use.queue->wait(mapping.use.position, UINT64_MAX);
  return static_cast<unsigned char *>(mapping.address) + part.range.offset;
}

// Enqueues a copy and waits for it. If the wait ends early, keeps both memories until it is done.
template <typename Submit>
void copyAndWait(Queue &queue, const Part &from, const Part &to, const Submit &submit) {
  const QueuedWork use =
      enqueueUse(queue, {from.memory.get(), to.memory.get()}, true, true, kCrossDevice, submit);
  try {
    use.queue->wait(use.position, UINT64_MAX);
  } catch (const Failure &) {
    whenDoneLater({use}, [from, to] {});
    throw;
  }
}

// Blocking copies, if the memory of one device is visible to the host: the other device then copies
// it all in its default stream, without any other thread. Returns false if that is not possible.
bool copyAtOnce(const Part &from, Queue &of_source, const Part &to, Queue &of_destination) {
  if (!of_source.direct() || !of_destination.direct()) {
    return false;
  }
  waitForEarlierWork(of_source, {from.memory.get()}, false);
  waitForEarlierWork(of_destination, {to.memory.get()}, false);
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

// Waits for both, so that each queue reports its failure, and throws the first.
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

// Without a stream, the copy is enqueued in the default streams of both devices.
void copyAcrossDefaults(const Part &from, const Part &to, bool blocking) {
  const Ref<Queue> of_source(from.memory->device()->queues().defaultStream().queue());
  const Ref<Queue> of_destination(to.memory->device()->queues().defaultStream().queue());
  if (from.range.size == 0) {
    if (!blocking) return;
    waitForEarlierWork(*of_source, {from.memory.get()}, false);
    waitForEarlierWork(*of_destination, {to.memory.get()}, false);
    return;
  }
  if (blocking && copyAtOnce(from, *of_source, to, *of_destination)) {
    return;
  }
  std::array<QueuePosition, 2> positions{};
  {
    DeferredWakes wakes;
    positions = make<CrossDeviceCopy>(from, to, WorkName{kCrossDevice, {}})
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
    if (blocking) waitForEarlierWork(queue, {}, true);
    return;
  }
  QueuePosition position = 0;
  {
    DeferredWakes wakes;
    position = make<CrossDeviceCopy>(from, to, WorkName{kCrossDevice, {}})->enqueue(queue, wakes);
  }
  if (blocking) {
    queue.wait(position, UINT64_MAX);
  }
}

// ---- Of system buffers -----------------------------------------------------------

// Copies from or to a system buffer without a stream. If the other buffer is a device's, that is a
// copy between the device and the system buffer's pages.
void copyByHost(Buffer &source, Buffer &destination) {
  const Ref<Memory> from = source.memory();
  const Ref<Memory> to = destination.memory();
  const uint64_t distance = source.offset() < destination.offset()
                                ? destination.offset() - source.offset()
                                : source.offset() - destination.offset();
  if (from.get() == to.get() && distance < source.size()) {
    throw Failure(NXS_MemCopyOverlap,
                  "source and destination overlap in one buffer; copy through another one.");
  }
  if (source.device() == nullptr) {
    copyFromHost(destination, 0, addressAfterUses(*from) + source.offset(), source.size(), nullptr,
                 true);
  } else {
    copyToHost(source, 0, addressAfterUses(*to) + destination.offset(), source.size(), nullptr,
               true);
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
