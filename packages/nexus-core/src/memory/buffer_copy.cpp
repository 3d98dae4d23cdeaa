// SPDX-License-Identifier: Apache-2.0
//
// Fills, and copies to and from the host. Without a stream they go to the device's default stream,
// after all submitted work that uses the buffer in any stream. Without a stream and for a system
// buffer, which has no device, the host does them.
#include "memory/buffer_copy.hpp"

#include <array>
#include <cstring>

#include "memory/copy_order.hpp"

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

// ---- By a queue ----------------------------------------------------------------

// The wait for earlier work may be interrupted; the wait for the copy itself may not, since the
// caller may reuse the host memory when the call returns.
template <typename Submit>
void copyWithHost(Queue &queue, Memory &memory, bool ordered, bool blocking, const char *what,
                  const Submit &submit) {
  if (blocking) {
    queue.wait(queue.newest(), UINT64_MAX);
  }
  const QueuedWork use = enqueueUse(queue, {&memory}, ordered, blocking, what, submit);
  if (blocking) {
    use.queue->wait(use.position, UINT64_MAX, Interrupt::Ignored);
  }
}

void fillIn(Queue &queue, const Buffer &buffer, const Pattern &pattern, bool ordered,
            bool blocking) {
  const Part part(buffer, queue.device(), "buffer", "stream");
  if (buffer.size() == 0) {
    if (blocking) waitForEarlierWork(queue, {part.memory.get()}, ordered);
    return;
  }
  const auto submit = [part, pattern](Queue &into) {
    nxs_ticket ticket = 0;
    into.device().plugin().call(&nxs_functions::FillBuffer, "fill a buffer", into.id(), &part.range,
                                pattern.bytes.data(), pattern.size, &ticket);
    return ticket;
  };
  const QueuedWork use =
      enqueueUse(queue, {part.memory.get()}, ordered, blocking, "a fill", submit);
  if (blocking) {
    use.queue->wait(use.position, UINT64_MAX);
  }
}

// ---- By the host -----------------------------------------------------------------

// Returns whether the host does the work: a system buffer without a stream.
bool doneByHost(const Buffer &buffer, nexus_stream *stream) noexcept {
  return buffer.device() == nullptr && stream == nullptr;
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

// ---- Both ------------------------------------------------------------------------

void fill(Buffer &buffer, const Pattern &pattern, nexus_stream *stream, bool blocking) {
  const Ref<Memory> memory = buffer.memory();
  if (doneByHost(buffer, stream)) {
    requireBlocking(blocking);
    fillBytes(addressAfterUses(*memory) + buffer.offset(), buffer.size(), pattern);
  } else {
    fillIn(queueFor(stream, *memory), buffer, pattern, stream != nullptr, blocking);
  }
}

}  // namespace

void requireBlocking(bool blocking) {
  if (!blocking) {
    throw Failure(NXS_InvalidValue,
                  "blocking is 0 and stream is NULL; the host itself copies and fills a system "
                  "buffer where no stream is given, so name the stream of a device, or wait.");
  }
}

void copyToHost(Buffer &buffer, uint64_t offset, void *host, uint64_t size, nexus_stream *stream,
                bool blocking) {
  checkRange(buffer, offset, size);
  checkHost(host, size);
  const Ref<Memory> memory = buffer.memory();
  if (doneByHost(buffer, stream)) {
    requireBlocking(blocking);
    moveBytes(host, addressAfterUses(*memory) + buffer.offset() + offset, size);
    return;
  }
  Queue &queue = queueFor(stream, *memory);
  const Part part(buffer, queue.device(), "buffer", "stream");
  const auto submit = [=](Queue &into) { return readPart(part, offset, host, size, into); };
  if (size == 0) {
    if (blocking) waitForEarlierWork(queue, {memory.get()}, stream != nullptr);
    return;
  }
  copyWithHost(queue, *memory, stream != nullptr, blocking, "a copy to the host", submit);
}

void copyFromHost(Buffer &buffer, uint64_t offset, const void *host, uint64_t size,
                  nexus_stream *stream, bool blocking) {
  checkWritable(buffer, "buffer");
  checkRange(buffer, offset, size);
  checkHost(host, size);
  const Ref<Memory> memory = buffer.memory();
  if (doneByHost(buffer, stream)) {
    requireBlocking(blocking);
    moveBytes(addressAfterUses(*memory) + buffer.offset() + offset, host, size);
    return;
  }
  Queue &queue = queueFor(stream, *memory);
  const Part part(buffer, queue.device(), "buffer", "stream");
  const auto submit = [=](Queue &into) { return writePart(part, offset, host, size, into); };
  if (size == 0) {
    if (blocking) waitForEarlierWork(queue, {memory.get()}, stream != nullptr);
    return;
  }
  copyWithHost(queue, *memory, stream != nullptr, blocking, "a copy from the host", submit);
}

void checkWritable(const Buffer &buffer, const char *name) {
  if (buffer.readOnly()) {
    throw Failure(NXS_InvalidOperation, std::string(name) +
                                            " is read-only, as the memory is that it uses; write "
                                            "to a copy of it.");
  }
}

void checkFill(const Buffer &buffer, const void *pattern, uint64_t pattern_size) {
  checkWritable(buffer, "buffer");
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

void checkCopy(const Buffer &source, const Buffer &destination) {
  checkWritable(destination, "destination");
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

nxs_status nexus_buffer_fill(nexus_buffer *buffer, const void *pattern, uint64_t pattern_size,
                             nexus_stream *stream, int32_t blocking) {
  return guarded([&] {
    Buffer &filled = given<Buffer>(buffer, "buffer");
    checkFill(filled, pattern, pattern_size);
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
    *out_pointer = addressAfterUses(*memory) + shared.offset();
  });
}
