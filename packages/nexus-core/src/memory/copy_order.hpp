// SPDX-License-Identifier: Apache-2.0
//
// Where copies and fills go, and what they come after.
#pragma once

#include <initializer_list>

#include "memory/buffer.hpp"
#include "stream/event.hpp"
#include "stream/stream.hpp"

namespace nexus::core {

/// A range of a memory, which it keeps, as a device has it.
struct Part {
  /// Throws as Memory::on does; what and for_what name the buffer and what wants it.
  Part(const Buffer &buffer, Device &device, const char *what, const char *for_what)
      : memory(buffer.memory()),
        range{sizeof(nxs_buffer_range), memory->on(device, what, for_what), buffer.offset(),
              buffer.size()} {}
  Part(Ref<Memory> of, const nxs_buffer_range &part) : memory(std::move(of)), range(part) {}

  Ref<Memory> memory;
  nxs_buffer_range range;
};

/// Gives a queue the copy of size bytes of a part, from offset on, to host memory or from there;
/// returns the ticket.
nxs_ticket readPart(const Part &part, uint64_t offset, void *host, uint64_t size, Queue &queue);
nxs_ticket writePart(const Part &part, uint64_t offset, const void *host, uint64_t size,
                     Queue &queue);

/// The stream's queue, else that of the default stream of the memory's device. A system buffer
/// has none: its work is the host's where no stream is given.
inline Queue &queueFor(nexus_stream *stream, const Memory &memory) {
  return memory.device() != nullptr ? queueOf(stream, *memory.device(), "buffer")
                                    : given<Stream>(stream, "stream").queue();
}

/// An event that has the value 1 after a use and what was given to its queue meanwhile.
Ref<Event> eventAfter(const QueuedWork &use, DeferredWakes &wakes);
/// The same, signalled by the host: after the use and nothing else, also where that has failed.
Ref<Event> eventOfHost(const QueuedWork &use);

/// Work in queue from now on starts after a use in another queue.
void orderAfter(Queue &queue, const QueuedWork &use, DeferredWakes &wakes);

/// Work in queue from now on starts after all submitted work that uses the memory.
void orderAfterUses(Queue &queue, Memory &memory, bool blocking, DeferredWakes &wakes);

/// Waits for all that a blocking copy or fill in queue starts after; ordered as in enqueueUse.
void waitForAhead(Queue &queue, std::initializer_list<Memory *> memories, bool ordered);

/// The host's address of a memory, after all submitted work that uses it.
unsigned char *settled(Memory &memory);

/// Gives a queue work that uses memories, and says where it stands there. ordered: the caller
/// named the stream, so its order is all there is. what: for the error of the work that fails.
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
