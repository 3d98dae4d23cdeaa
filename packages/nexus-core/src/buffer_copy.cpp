// SPDX-License-Identifier: Apache-2.0
//
// Copies and fills. Without a stream they go to the device's default stream, behind all
// submitted work that uses the buffers, whatever its stream.
#include <array>
#include <cstring>

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

// The queue for work that uses a memory, made ready for it.
Queue &readyQueue(nexus_stream *stream, Memory &memory, bool blocking, Wakes &wakes) {
  Queue &queue = queueOf(stream, memory.device(), "buffer");
  if (stream != nullptr) {
    return queue;
  }
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
  return queue;
}

// Gives a queue work that uses a memory, and says where it stands there.
template <typename Submit>
Use enqueueUse(Memory &memory, nexus_stream *stream, bool blocking, const Submit &submit) {
  Wakes wakes;
  Queue &queue = readyQueue(stream, memory, blocking, wakes);
  const Position position = enqueueWork(queue, submit, wakes);
  memory.uses().note(queue, position);
  return {Ref(queue), position};
}

// The wait for what is ahead may be interrupted; the one for the copy itself may not, since
// the host memory is the caller's again when the call returns.
template <typename Submit>
void copyWithHost(Memory &memory, nexus_stream *stream, bool blocking, const Submit &submit) {
  if (blocking) {
    Queue &queue = queueOf(stream, memory.device(), "buffer");
    queue.wait(queue.newest(), UINT64_MAX);
  }
  const Use use = enqueueUse(memory, stream, blocking, submit);
  if (blocking) {
    use.queue->wait(use.position, UINT64_MAX, Interrupt::Ignored);
  }
}

void copyToHost(Buffer &buffer, uint64_t offset, void *host, uint64_t size, nexus_stream *stream,
                bool blocking) {
  checkRange(buffer, offset, size);
  checkHost(host, size);
  const Ref<Memory> memory = buffer.memory();
  const uint64_t from = buffer.offset() + offset;
  copyWithHost(*memory, stream, blocking, [=](Queue &queue) {
    nxs_ticket ticket = 0;
    queue.device().plugin().call(&nxs_functions::CopyBuffer, "copy a buffer to the host",
                                 memory->id(), from, host, size, queue.id(), &ticket);
    return ticket;
  });
}

void copyFromHost(Buffer &buffer, uint64_t offset, const void *host, uint64_t size,
                  nexus_stream *stream, bool blocking) {
  checkRange(buffer, offset, size);
  checkHost(host, size);
  const Ref<Memory> memory = buffer.memory();
  const uint64_t to = buffer.offset() + offset;
  copyWithHost(*memory, stream, blocking, [=](Queue &queue) {
    nxs_ticket ticket = 0;
    queue.device().plugin().call(&nxs_functions::WriteBuffer, "copy host memory to a buffer",
                                 memory->id(), to, host, size, queue.id(), &ticket);
    return ticket;
  });
}

// Between devices: through host memory, waiting for both halves.
void copyAcross(Buffer &source, Buffer &destination, nexus_stream *stream) {
  Device *of = stream == nullptr ? nullptr : &given<Stream>(stream, "stream").device();
  if (of != nullptr && of != &source.device() && of != &destination.device()) {
    requireSameDevice(*of, "stream", source.device(), "source");
  }
  std::vector<unsigned char> staging(static_cast<std::size_t>(source.size()));
  copyToHost(source, 0, staging.data(), source.size(), of == &source.device() ? stream : nullptr,
             true);
  copyFromHost(destination, 0, staging.data(), source.size(),
               of == &destination.device() ? stream : nullptr, true);
}

// A range of a memory, which it keeps.
struct Part {
  explicit Part(const Buffer &buffer)
      : memory(buffer.memory()), offset(buffer.offset()), size(buffer.size()) {}
  nxs_buffer_range range() const { return {sizeof(nxs_buffer_range), memory->id(), offset, size}; }

  Ref<Memory> memory;
  uint64_t offset;
  uint64_t size;
};

void copyWithin(Buffer &source, Buffer &destination, nexus_stream *stream, bool blocking) {
  const Part from(source);
  const Part to(destination);
  Use use;
  {
    Wakes wakes;
    readyQueue(stream, *from.memory, blocking, wakes);
    Queue &queue = readyQueue(stream, *to.memory, blocking, wakes);
    const auto submit = [from, to](Queue &into) {
      const nxs_buffer_range source_range = from.range();
      const nxs_buffer_range destination_range = to.range();
      nxs_ticket ticket = 0;
      into.device().plugin().call(&nxs_functions::TransferBuffer, "copy a buffer to a buffer",
                                  into.id(), &destination_range, &source_range, &ticket);
      return ticket;
    };
    use = {Ref(queue), enqueueWork(queue, submit, wakes)};
    from.memory->uses().note(queue, use.position);
    to.memory->uses().note(queue, use.position);
  }
  if (blocking) {
    use.queue->wait(use.position, UINT64_MAX);
  }
}

void fill(Buffer &buffer, const Pattern &pattern, nexus_stream *stream, bool blocking) {
  const Part part(buffer);
  const auto submit = [part, pattern](Queue &into) {
    const nxs_buffer_range range = part.range();
    nxs_ticket ticket = 0;
    into.device().plugin().call(&nxs_functions::FillBuffer, "fill a buffer", into.id(), &range,
                                pattern.bytes.data(), pattern.size, &ticket);
    return ticket;
  };
  const Use use = enqueueUse(*part.memory, stream, blocking, submit);
  if (blocking) {
    use.queue->wait(use.position, UINT64_MAX);
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
    Buffer &to = given<Buffer>(destination, "destination");
    checkEqualSizes(from, to);
    if (&from.device() == &to.device()) {
      copyWithin(from, to, stream, blocking != 0);
    } else {
      copyAcross(from, to, stream);
    }
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
    void *start = memory->map();
    for (const Use &use : memory->pending()) {
      use.queue->wait(use.position, UINT64_MAX);
    }
    *out_pointer = static_cast<unsigned char *>(start) + shared.offset();
  });
}
