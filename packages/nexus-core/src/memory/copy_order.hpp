// SPDX-License-Identifier: Apache-2.0
//
// How copies and fills are ordered behind earlier work.
#pragma once

#include <initializer_list>

#include "memory/buffer.hpp"
#include "stream/event.hpp"
#include "stream/stream.hpp"

namespace nexus::core {

/// A range of a memory on a device. Keeps the memory.
struct Part {
  /// Of a contiguous buffer. Throws as Memory::on() does; what and for_what are its texts.
  Part(const Buffer &buffer, Device &device, const char *what, const char *for_what)
      : Part(buffer.place(), buffer.size(), device, what, for_what) {}
  Part(Ref<Memory> of, const nxs_buffer_range &part) : memory(std::move(of)), range(part) {}

  Ref<Memory> memory;
  nxs_buffer_range range;

 private:
  Part(const Place &at, uint64_t size, Device &device, const char *what, const char *for_what)
      : memory(at.memory),
        range{sizeof(nxs_buffer_range), memory->on(device, what, for_what), at.offset, size} {}
};

/// Submit a copy of size bytes between host memory and a part, from offset on; return the ticket.
nxs_ticket readPart(const Part &part, uint64_t offset, void *host, uint64_t size, Queue &queue);
nxs_ticket writePart(const Part &part, uint64_t offset, const void *host, uint64_t size,
                     Queue &queue);

/// Returns the stream's queue; for NULL, the queue of the default stream of the memory's device. A
/// system buffer has no device, so stream must not be NULL.
inline Queue &queueFor(nexus_stream *stream, const Memory &memory) {
  return memory.device() != nullptr ? queueOf(stream, *memory.device(), "buffer")
                                    : given<Stream>(stream, "stream").queue();
}

/// Returns an event that gets the value 1 after a use, and after work enqueued in its queue
/// meanwhile.
Ref<Event> eventAfter(const QueuedWork &use, DeferredWakes &wakes);
/// Like eventAfter(), but signalled by the host when the use is done, also if it failed.
Ref<Event> hostEventAfter(const QueuedWork &use);

/// Makes later work in queue wait for a use in another queue.
void orderAfter(Queue &queue, const QueuedWork &use, DeferredWakes &wakes);
/// Makes later work in queue wait for all submitted work that uses the memory.
void orderAfterUses(Queue &queue, Memory &memory, bool blocking, DeferredWakes &wakes);

/// Waits for all work that a blocking copy or fill in queue must follow; ordered as in
/// enqueueUse().
void waitForEarlierWork(Queue &queue, std::initializer_list<Memory *> memories, bool ordered);

/// Waits for all submitted work that uses the memory; returns its host address.
unsigned char *addressAfterUses(Memory &memory);

/// Enqueues work that uses memories; returns its position. ordered: the caller named the stream, so
/// only that stream orders the work. what: names the work in errors.
template <typename Submit>
QueuedWork enqueueUse(Queue &queue, std::initializer_list<Memory *> memories, bool ordered,
                      bool blocking, const char *what, const Submit &submit) {
  DeferredWakes wakes;
  if (!ordered) {
    for (Memory *memory : memories) orderAfterUses(queue, *memory, blocking, wakes);
  }
  const QueuePosition position = enqueueWork(queue, submit, what, wakes);
  for (Memory *memory : memories) memory->inFlight().note(queue, position);
  return {Ref(queue), position};
}

}  // namespace nexus::core
