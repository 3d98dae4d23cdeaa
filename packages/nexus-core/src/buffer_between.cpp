// SPDX-License-Identifier: Apache-2.0
//
// Copies between two buffers: within a device, between devices, and those of system buffers.
#include <array>
#include <optional>

#include "buffer_copy.hpp"
#include "copy_order.hpp"
#include "crossing.hpp"

namespace nexus::core {
namespace {

void copyWithin(Queue &queue, const Buffer &source, const Buffer &destination, bool ordered,
                bool blocking) {
  const Part from(source, queue.device(), "source", "stream");
  const Part to(destination, queue.device(), "destination", "stream");
  const auto submit = [from, to](Queue &into) {
    nxs_ticket ticket = 0;
    into.device().plugin().call(&nxs_functions::TransferBuffer, "copy a buffer to a buffer",
                                into.id(), &to.range, &from.range, &ticket);
    return ticket;
  };
  const Use use = enqueueUse(queue, {from.memory.get(), to.memory.get()}, ordered, blocking,
                             "a copy between buffers", submit);
  if (blocking) {
    use.queue->wait(use.position, UINT64_MAX);
  }
}

// ---- Between devices -------------------------------------------------------------

// Waits for all, so that each queue has told of its failure, and throws the first.
void waitForBoth(const std::array<Use, 2> &uses) {
  std::optional<Failure> first;
  for (const Use &use : uses) {
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

void copyAcross(Buffer &source, Buffer &destination, nexus_stream *stream, bool blocking) {
  Device &from = *source.device();
  Device &to = *destination.device();
  const Ref<Crossing> crossing = make<Crossing>(Part(source, from, "source", "copy"),
                                                Part(destination, to, "destination", "copy"),
                                                WorkName{"a copy between devices", {}});
  std::array<Use, 2> uses;
  {
    Wakes wakes;
    if (stream == nullptr) {
      uses = {Use{Ref(from.defaultStream().queue()), 0}, Use{Ref(to.defaultStream().queue()), 0}};
      const auto positions = crossing->enqueue(*uses[0].queue, *uses[1].queue, wakes);
      for (std::size_t i : {0, 1}) uses[i].position = positions[i];
    } else {
      Device &of = given<Stream>(stream, "stream").device();
      Queue &queue = queueOf(stream, &of == &to ? to : from, "copy");
      uses[0] = {Ref(queue), crossing->enqueue(queue, wakes)};
      uses[1] = uses[0];
    }
  }
  if (blocking) {
    waitForBoth(uses);
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
  checkEqualSizes(source, destination);
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
