// SPDX-License-Identifier: Apache-2.0
//
// Copies and fills. Without a stream they go to the device's default stream, behind all
// submitted work that uses the buffers, whatever its stream; those of a system buffer, which has
// no device, are then done by the host.
#include <array>
#include <cstring>
#include <initializer_list>

#include "buffer.hpp"
#include "event.hpp"
#include "stream.hpp"

namespace nexus::core {
namespace {

struct Pattern {
  std::array<unsigned char, 16> bytes{};
  uint64_t size = 0;
};

void checkRange(const Buffer &buffer, uint64_t offset, uint64_t size) {
  if (offset > buffer.size() || size > buffer.size() - offset) {
    throw Failure(NXS_InvalidValue, "offset is " + std::to_string(offset) + " and size is " +
                                        std::to_string(size) + ", and the buffer has " +
                                        std::to_string(buffer.size()) +
                                        " bytes; copy within the buffer.");
  }
}

void checkHost(const void *host, uint64_t size) {
  if (host == nullptr && size != 0) {
    throw Failure(NXS_InvalidHostPtr,
                  "host is NULL and size is " + std::to_string(size) + "; give host memory.");
  }
}

// ---- Done by a queue -----------------------------------------------------------

// The stream's queue, else that of the default stream of the memory's device. A system buffer
// has none: its work is the host's where no stream is given.
Queue &queueFor(nexus_stream *stream, const Memory &memory) {
  return memory.device() != nullptr ? queueOf(stream, *memory.device(), "buffer")
                                    : given<Stream>(stream, "stream").queue();
}

// Work in queue from now on starts after a use in another queue.
void orderAfter(Queue &queue, const Use &use, Wakes &wakes) {
  if (use.queue->ended()) {
    use.queue->wait(use.position, UINT64_MAX);  // a closed stream takes no signal
    return;
  }
  const Ref<Event> order = make<Event>(queue.device(), NXS_EventType_Shared);
  enqueueSignal(*use.queue, *order, 1, wakes);
  enqueueWait(queue, *order, 1, wakes);
}

// Work in queue from now on starts after all submitted work that uses the memory.
void orderAfterUses(Queue &queue, Memory &memory, bool blocking, Wakes &wakes) {
  for (const Use &use : memory.pending()) {
    if (use.queue.get() == &queue) {
      continue;
    }
    if (blocking) {
      use.queue->wait(use.position, UINT64_MAX);
    } else {
      orderAfter(queue, use, wakes);
    }
  }
}

// Gives a queue work that uses memories, and says where it stands there. ordered: the caller
// named the stream, so its order is all there is. what: for the error of the work that fails.
template <typename Submit>
Use enqueueUse(Queue &queue, std::initializer_list<Memory *> memories, bool ordered, bool blocking,
               const char *what, const Submit &submit) {
  Wakes wakes;
  if (!ordered) {
    for (Memory *memory : memories) orderAfterUses(queue, *memory, blocking, wakes);
  }
  const Position position = enqueueWork(queue, submit, what, wakes);
  for (Memory *memory : memories) memory->uses().note(queue, position);
  return {Ref(queue), position};
}

// A range of a memory, which it keeps, as a device has it.
struct Part {
  Part(const Buffer &buffer, Device &device, const char *what)
      : memory(buffer.memory()),
        range{sizeof(nxs_buffer_range), memory->on(device, what, "stream"), buffer.offset(),
              buffer.size()} {}

  Ref<Memory> memory;
  nxs_buffer_range range;
};

// The wait for what is ahead may be interrupted; the one for the copy itself may not, since
// the host memory is the caller's again when the call returns.
template <typename Submit>
void copyWithHost(Queue &queue, Memory &memory, bool ordered, bool blocking, const char *what,
                  const Submit &submit) {
  if (blocking) {
    queue.wait(queue.newest(), UINT64_MAX);
  }
  const Use use = enqueueUse(queue, {&memory}, ordered, blocking, what, submit);
  if (blocking) {
    use.queue->wait(use.position, UINT64_MAX, Interrupt::Ignored);
  }
}

void copyWithin(Queue &queue, const Buffer &source, const Buffer &destination, bool ordered,
                bool blocking) {
  const Part from(source, queue.device(), "source");
  const Part to(destination, queue.device(), "destination");
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

void fillIn(Queue &queue, const Buffer &buffer, const Pattern &pattern, bool ordered,
            bool blocking) {
  const Part part(buffer, queue.device(), "buffer");
  const auto submit = [part, pattern](Queue &into) {
    nxs_ticket ticket = 0;
    into.device().plugin().call(&nxs_functions::FillBuffer, "fill a buffer", into.id(), &part.range,
                                pattern.bytes.data(), pattern.size, &ticket);
    return ticket;
  };
  const Use use = enqueueUse(queue, {part.memory.get()}, ordered, blocking, "a fill", submit);
  if (blocking) {
    use.queue->wait(use.position, UINT64_MAX);
  }
}

// ---- Done by the host ------------------------------------------------------------

// Whether the host does the work: the buffer is of no device, and no stream is named.
bool isForHost(const Buffer &buffer, nexus_stream *stream) noexcept {
  return buffer.device() == nullptr && stream == nullptr;
}

void requireBlocking(bool blocking) {
  if (!blocking) {
    throw Failure(NXS_InvalidValue,
                  "blocking is 0 and stream is NULL; the host itself copies and fills a system "
                  "buffer where no stream is given, so name the stream of a device, or wait.");
  }
}

// The host's address of a memory, after all submitted work that uses it.
unsigned char *settled(Memory &memory) {
  void *start = memory.address();
  for (const Use &use : memory.pending()) {
    use.queue->wait(use.position, UINT64_MAX);
  }
  return static_cast<unsigned char *>(start);
}

void fillBytes(unsigned char *start, uint64_t size, const Pattern &pattern) {
  for (uint64_t at = 0; at < size; at += pattern.size) {
    std::memcpy(start + at, pattern.bytes.data(), static_cast<std::size_t>(pattern.size));
  }
}

void moveBytes(void *to, const void *from, uint64_t size) {
  if (size != 0) {  // else the addresses may be NULL
    std::memmove(to, from, static_cast<std::size_t>(size));
  }
}

// ---- Either ----------------------------------------------------------------------

void copyToHost(Buffer &buffer, uint64_t offset, void *host, uint64_t size, nexus_stream *stream,
                bool blocking) {
  checkRange(buffer, offset, size);
  checkHost(host, size);
  const Ref<Memory> memory = buffer.memory();
  if (isForHost(buffer, stream)) {
    requireBlocking(blocking);
    moveBytes(host, settled(*memory) + buffer.offset() + offset, size);
    return;
  }
  Queue &queue = queueFor(stream, *memory);
  const Part part(buffer, queue.device(), "buffer");
  const auto submit = [=](Queue &into) {
    nxs_ticket ticket = 0;
    into.device().plugin().call(&nxs_functions::CopyBuffer, "copy a buffer to the host",
                                part.range.buffer, part.range.offset + offset, host, size,
                                into.id(), &ticket);
    return ticket;
  };
  copyWithHost(queue, *memory, stream != nullptr, blocking, "a copy to the host", submit);
}

void copyFromHost(Buffer &buffer, uint64_t offset, const void *host, uint64_t size,
                  nexus_stream *stream, bool blocking) {
  checkRange(buffer, offset, size);
  checkHost(host, size);
  const Ref<Memory> memory = buffer.memory();
  if (isForHost(buffer, stream)) {
    requireBlocking(blocking);
    moveBytes(settled(*memory) + buffer.offset() + offset, host, size);
    return;
  }
  Queue &queue = queueFor(stream, *memory);
  const Part part(buffer, queue.device(), "buffer");
  const auto submit = [=](Queue &into) {
    nxs_ticket ticket = 0;
    into.device().plugin().call(&nxs_functions::WriteBuffer, "copy host memory to a buffer",
                                part.range.buffer, part.range.offset + offset, host, size,
                                into.id(), &ticket);
    return ticket;
  };
  copyWithHost(queue, *memory, stream != nullptr, blocking, "a copy from the host", submit);
}

// Between devices: through host memory, waiting for both halves.
void copyAcross(Buffer &source, Buffer &destination, nexus_stream *stream) {
  Device *of = stream == nullptr ? nullptr : &given<Stream>(stream, "stream").device();
  if (of != nullptr && of != source.device() && of != destination.device()) {
    requireSameDevice(*of, "stream", *source.device(), "source");
  }
  std::vector<unsigned char> staging(static_cast<std::size_t>(source.size()));
  copyToHost(source, 0, staging.data(), source.size(), of == source.device() ? stream : nullptr,
             true);
  copyFromHost(destination, 0, staging.data(), source.size(),
               of == destination.device() ? stream : nullptr, true);
}

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
    copyAcross(source, destination, stream);
  }
}

void fill(Buffer &buffer, const Pattern &pattern, nexus_stream *stream, bool blocking) {
  const Ref<Memory> memory = buffer.memory();
  if (isForHost(buffer, stream)) {
    requireBlocking(blocking);
    fillBytes(settled(*memory) + buffer.offset(), buffer.size(), pattern);
  } else {
    fillIn(queueFor(stream, *memory), buffer, pattern, stream != nullptr, blocking);
  }
}

}  // namespace

void checkPattern(const Buffer &buffer, const void *pattern, uint64_t pattern_size) {
  requirePointer(pattern, "pattern");
  if (pattern_size == 0 || pattern_size > 16 || (pattern_size & (pattern_size - 1)) != 0) {
    throw Failure(NXS_InvalidValue, "pattern_size is " + std::to_string(pattern_size) +
                                        " bytes; give 1, 2, 4, 8 or 16.");
  }
  if (buffer.size() % pattern_size != 0 || buffer.offset() % pattern_size != 0) {
    throw Failure(NXS_InvalidValue, "pattern_size is " + std::to_string(pattern_size) +
                                        " bytes, and the buffer has " +
                                        std::to_string(buffer.size()) + " bytes from offset " +
                                        std::to_string(buffer.offset()) +
                                        " on; both must be multiples of the pattern's size.");
  }
}

void checkEqualSizes(const Buffer &source, const Buffer &destination) {
  if (source.size() != destination.size()) {
    throw Failure(NXS_InvalidValue, "source has " + std::to_string(source.size()) +
                                        " bytes and destination has " +
                                        std::to_string(destination.size()) +
                                        "; give buffers or slices of equal size.");
  }
}

}  // namespace nexus::core

using namespace nexus::core;

nxs_status nexus_buffer_copy_to_host(nexus_buffer *buffer, uint64_t offset, void *host,
                                     uint64_t size, nexus_stream *stream, int32_t blocking) {
  return guarded([&] {
    copyToHost(given<Buffer>(buffer, "buffer"), offset, host, size, stream, blocking != 0);
  });
}

nxs_status nexus_buffer_copy_from_host(nexus_buffer *buffer, uint64_t offset, const void *host,
                                       uint64_t size, nexus_stream *stream, int32_t blocking) {
  return guarded([&] {
    copyFromHost(given<Buffer>(buffer, "buffer"), offset, host, size, stream, blocking != 0);
  });
}

nxs_status nexus_buffer_copy_to_buffer(nexus_buffer *source, nexus_buffer *destination,
                                       nexus_stream *stream, int32_t blocking) {
  return guarded([&] {
    Buffer &from = given<Buffer>(source, "source");
    copyBetween(from, given<Buffer>(destination, "destination"), stream, blocking != 0);
  });
}

nxs_status nexus_buffer_fill(nexus_buffer *buffer, const void *pattern, uint64_t pattern_size,
                             nexus_stream *stream, int32_t blocking) {
  return guarded([&] {
    Buffer &filled = given<Buffer>(buffer, "buffer");
    checkPattern(filled, pattern, pattern_size);
    Pattern copied;
    copied.size = pattern_size;
    std::memcpy(copied.bytes.data(), pattern, pattern_size);
    fill(filled, copied, stream, blocking != 0);
  });
}

nxs_status nexus_buffer_get_host_pointer(nexus_buffer *buffer, void **out_pointer) {
  return guarded([&] {
    requirePointer(out_pointer, "out_pointer");
    Buffer &shared = given<Buffer>(buffer, "buffer");
    const Ref<Memory> memory = shared.memory();
    *out_pointer = settled(*memory) + shared.offset();
  });
}
