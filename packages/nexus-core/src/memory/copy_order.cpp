// SPDX-License-Identifier: Apache-2.0
#include "memory/copy_order.hpp"

namespace nexus::core {

nxs_ticket readPart(const Part &part, uint64_t offset, void *host, uint64_t size, Queue &queue) {
  return queue.call(&nxs_functions::CopyBuffer, "copy a buffer to the host", part.range.buffer,
                    part.range.offset + offset, host, size, queue.id());
}

nxs_ticket writePart(const Part &part, uint64_t offset, const void *host, uint64_t size,
                     Queue &queue) {
  return queue.call(&nxs_functions::WriteBuffer, "copy host memory to a buffer", part.range.buffer,
                    part.range.offset + offset, host, size, queue.id());
}

Ref<Event> hostEventAfter(const QueuedWork &use) {
  Ref<Event> event = make<Event>(use.queue->device(), NXS_EventType_Shared);
  whenDoneLater({use}, [event] { event->signal(1); });
  return event;
}

Ref<Event> eventAfter(const QueuedWork &use, DeferredWakes &wakes) {
  if (use.queue->ended()) {
    return hostEventAfter(use);  // a closed stream takes no signal
  }
  Ref<Event> event = make<Event>(use.queue->device(), NXS_EventType_Shared);
  try {
    enqueueSignal(*use.queue, *event, 1, wakes);
  } catch (const Failure &) {
    if (!use.queue->ended()) throw;
    return hostEventAfter(use);  // another thread has closed the stream
  }
  return event;
}

void orderAfter(Queue &queue, const QueuedWork &use, DeferredWakes &wakes) {
  enqueueWait(queue, *eventAfter(use, wakes), 1, wakes);
}

void orderAfterUses(Queue &queue, Memory &memory, bool blocking, DeferredWakes &wakes) {
  for (const QueuedWork &use : memory.pending()) {
    if (use.queue.get() == &queue) continue;
    if (blocking) {
      use.queue->wait(use.position, UINT64_MAX);
    } else {
      orderAfter(queue, use, wakes);
    }
  }
}

void waitForEarlierWork(Queue &queue, std::initializer_list<Memory *> memories, bool ordered) {
  queue.wait(queue.newest(), UINT64_MAX);
  if (ordered) return;
  for (Memory *memory : memories) {
    for (const QueuedWork &use : memory->pending()) {
      use.queue->wait(use.position, UINT64_MAX);
    }
  }
}

unsigned char *addressAfterUses(Memory &memory) {
  void *start = memory.address();
  for (const QueuedWork &use : memory.pending()) {
    use.queue->wait(use.position, UINT64_MAX);
  }
  return static_cast<unsigned char *>(start);
}

}  // namespace nexus::core

using namespace nexus::core;

namespace {

// Waits for submitted work that uses the memory and that the driver can't order yet:
// orderAfterUses() could then only hold back the queue's work, and work that others submit to the
// stream would not wait.
void waitForUnordered(Queue &queue, Memory &memory) {
  for (const QueuedWork &use : memory.pending()) {
    Queue &earlier = *use.queue;
    const bool ordered = earlier.direct() && queue.direct() &&
                         (&earlier == &queue || (!earlier.ended() && &earlier.device().plugin() ==
                                                                         &queue.device().plugin()));
    if (!ordered) {
      earlier.wait(use.position, UINT64_MAX);
    }
  }
}

}  // namespace

nxs_status nexus_stream_wait_buffer(nexus_stream *stream, nexus_buffer *buffer) {
  return guarded([&] {
    Queue &queue = given<Stream>(stream, "stream").queue();
    const Ref<Memory> memory = given<Buffer>(buffer, "buffer").memory();
    waitForUnordered(queue, *memory);
    DeferredWakes wakes;
    orderAfterUses(queue, *memory, false, wakes);
  });
}
