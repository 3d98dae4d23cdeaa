// SPDX-License-Identifier: Apache-2.0
//
// Fills, and copies to and from the host and between two buffers. Without a stream they go to the
// device's default stream, after all submitted work that uses the buffer in any stream. Without a
// stream and for a system buffer, which has no device, the host does them.
#include <array>
#include <cstring>
#include <optional>
#include <vector>

#include "memory/copy_order.hpp"
#include "memory/cross_device_copy.hpp"
#include "memory/strided_copy.hpp"
#include "stream/stream.hpp"

namespace nexus::core {

void checkWritable(const Buffer &buffer, const char *name) {
  if (buffer.readOnly()) {
    failWith(NXS_InvalidOperation, name, " is read-only; write to a copy of it.");
  }
}

static void copyPartFromHost(Buffer &buffer, uint64_t offset, void *host, uint64_t size,
                             nexus_stream *stream, bool blocking);

namespace {

struct Pattern {
  std::array<unsigned char, 16> bytes{};
  uint64_t size = 0;
};

void checkHost(const void *host, uint64_t size) {
  if (host == nullptr && size != 0) {
    failWith(NXS_InvalidHostPtr, "host is NULL and size is ", size, "; give host memory.");
  }
}

void requireBlocking(bool blocking) {
  if (!blocking) {
    failWith(NXS_InvalidValue,
             "blocking is false, no stream is given, and a system buffer has no stream of its own; "
             "give the stream of a device, or let the call block.");
  }
}

// Requires a copy or a fill of all elements, as views that are not contiguous need.
void requireAll(const Buffer &buffer, uint64_t offset, uint64_t size, bool blocking) {
  if (!blocking) {
    failWith(NXS_InvalidValue,
             "blocking is false, and the buffer is a view that is not contiguous, which only "
             "blocking calls copy and fill; let the call block.");
  }
  if (offset != 0 || size != buffer.size()) {
    failWith(NXS_InvalidValue, "offset is ", offset, " and size ", size,
             ", and the buffer is a view that is not contiguous; copy all of its ", buffer.size(),
             " bytes.");
  }
}

// ---- By a queue ----------------------------------------------------------------

// Enqueues work on size bytes, as enqueueUse() does; if blocking, waits for it. Without bytes there
// is no work, and a blocking call waits for earlier work only.
template <typename Submit>
void useBytes(Queue &queue, std::initializer_list<Memory *> memories, uint64_t size, bool ordered,
              bool blocking, const char *what, const Submit &submit,
              Interrupt interrupt = Interrupt::Allowed) {
  if (size == 0) {
    if (blocking) waitForEarlierWork(queue, memories, ordered);
    return;
  }
  const QueuedWork use = enqueueUse(queue, memories, ordered, blocking, what, submit);
  if (blocking) use.queue->wait(use.position, UINT64_MAX, interrupt);
}

void fillIn(Queue &queue, const Buffer &buffer, const Pattern &pattern, bool ordered,
            bool blocking) {
  const Part part(buffer, queue.device(), "buffer", "stream");
  useBytes(queue, {part.memory.get()}, buffer.size(), ordered, blocking, "a fill",
           [part, pattern](Queue &into) {
             return into.call(&nxs_functions::FillBuffer, "fill a buffer", into.id(), &part.range,
                              pattern.bytes.data(), pattern.size);
           });
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

// ---- Both ------------------------------------------------------------------------

void fill(Buffer &buffer, const Pattern &pattern, nexus_stream *stream, bool blocking) {
  const Ref<Memory> memory = buffer.memory();
  if (!buffer.contiguous()) {
    requireAll(buffer, 0, buffer.size(), blocking);
    std::vector<unsigned char> packed(static_cast<std::size_t>(buffer.size()));
    fillBytes(packed.data(), packed.size(), pattern);
    scatter(packed.data(), buffer, stream, &copyPartFromHost);
  } else if (doneByHost(buffer, stream)) {
    requireBlocking(blocking);
    fillBytes(addressAfterUses(*memory) + buffer.offset(), buffer.size(), pattern);
  } else {
    fillIn(queueFor(stream, *memory), buffer, pattern, stream != nullptr, blocking);
  }
}

}  // namespace

// Copies bytes between host memory and the buffer, from offset on: the host by move(address), or a
// queue by submit(part, queue). The wait for earlier work may be interrupted; the wait for the copy
// itself may not, since the caller may reuse the host memory when the call returns.
template <typename Move, typename Submit>
static void copyWithHost(Buffer &buffer, uint64_t offset, const void *host, uint64_t size,
                         nexus_stream *stream, bool blocking, const char *what, const Move &move,
                         const Submit &submit) {
  requireWithin(offset, size, buffer.size(), "the buffer", "copy within the buffer.");
  checkHost(host, size);
  const Ref<Memory> memory = buffer.memory();
  if (doneByHost(buffer, stream)) {
    requireBlocking(blocking);
    unsigned char *const address = addressAfterUses(*memory) + buffer.offset() + offset;
    if (size != 0) move(address);
    return;
  }
  Queue &queue = queueFor(stream, *memory);
  const Part part(buffer, queue.device(), "buffer", "stream");
  if (blocking && size != 0) queue.wait(queue.newest(), UINT64_MAX);
  useBytes(
      queue, {memory.get()}, size, stream != nullptr, blocking, what,
      [part, submit](Queue &into) { return submit(part, into); }, Interrupt::Ignored);
}

static void copyPartToHost(Buffer &buffer, uint64_t offset, void *host, uint64_t size,
                           nexus_stream *stream, bool blocking) {
  copyWithHost(
      buffer, offset, host, size, stream, blocking, "a copy to the host",
      [=](const void *from) { std::memmove(host, from, static_cast<std::size_t>(size)); },
      [=](const Part &part, Queue &into) { return readPart(part, offset, host, size, into); });
}

static void copyPartFromHost(Buffer &buffer, uint64_t offset, void *host, uint64_t size,
                             nexus_stream *stream, bool blocking) {
  copyWithHost(
      buffer, offset, host, size, stream, blocking, "a copy from the host",
      [=](void *to) { std::memmove(to, host, static_cast<std::size_t>(size)); },
      [=](const Part &part, Queue &into) { return writePart(part, offset, host, size, into); });
}

static void copyToHost(Buffer &buffer, uint64_t offset, void *host, uint64_t size,
                       nexus_stream *stream, bool blocking) {
  if (buffer.contiguous()) {
    copyPartToHost(buffer, offset, host, size, stream, blocking);
    return;
  }
  requireAll(buffer, offset, size, blocking);
  checkHost(host, size);
  gather(buffer, host, stream, &copyPartToHost);
}

static void copyFromHost(Buffer &buffer, uint64_t offset, const void *host, uint64_t size,
                         nexus_stream *stream, bool blocking) {
  checkWritable(buffer, "buffer");
  if (buffer.contiguous()) {
    // const_cast: it only reads host
    copyPartFromHost(buffer, offset, const_cast<void *>(host), size, stream, blocking);
    return;
  }
  requireAll(buffer, offset, size, blocking);
  checkHost(host, size);
  scatter(host, buffer, stream, &copyPartFromHost);
}

void fillFromHost(Buffer &buffer, const void *data) {
  copyFromHost(buffer, 0, data, buffer.size(), nullptr, true);
}

void checkFill(const Buffer &buffer, const void *pattern, uint64_t pattern_size) {
  checkWritable(buffer, "buffer");
  checkPattern(buffer.offset(), buffer.size(), pattern, pattern_size);
}

void checkPattern(uint64_t offset, uint64_t size, const void *pattern, uint64_t pattern_size) {
  requirePointer(pattern, "pattern");
  if (pattern_size == 0 || pattern_size > 16 || (pattern_size & (pattern_size - 1)) != 0) {
    failWith(NXS_InvalidValue, "pattern_size is ", pattern_size, " bytes; give 1, 2, 4, 8 or 16.");
  }
  if (size % pattern_size != 0 || offset % pattern_size != 0) {
    failWith(NXS_InvalidValue, "pattern_size is ", pattern_size, " bytes, and the buffer has ",
             size, " bytes from offset ", offset,
             "; give multiples of the pattern's size for both.");
  }
}

void checkCopy(const Buffer &source, const Buffer &destination) {
  checkWritable(destination, "destination");
  if (source.size() != destination.size()) {
    failWith(NXS_InvalidValue, "source has ", source.size(), " bytes and destination has ",
             destination.size(), "; give buffers or slices of equal size.");
  }
}

namespace {

void copyWithin(Queue &queue, const Buffer &source, const Buffer &destination, bool ordered,
                bool blocking) {
  const Part from(source, queue.device(), "source", "stream");
  const Part to(destination, queue.device(), "destination", "stream");
  useBytes(queue, {from.memory.get(), to.memory.get()}, source.size(), ordered, blocking,
           "a copy between buffers", [from, to](Queue &into) {
             return into.call(&nxs_functions::TransferBuffer, "copy a buffer to a buffer",
                              into.id(), &to.range, &from.range);
           });
}

// ---- Between devices -------------------------------------------------------------

constexpr const char *kCrossDevice = "a copy between devices";

// Returns the host's address of a part, or NULL if its memory is not visible to the host.
unsigned char *addressOf(const Part &part, Queue &queue) {
  const NativeBuffer::Mapping mapping = part.memory->addressIn(queue);
  if (mapping.address == nullptr) return nullptr;
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
  if (!of_source.direct() || !of_destination.direct()) return false;
  waitForEarlierWork(of_source, {from.memory.get()}, false);
  waitForEarlierWork(of_destination, {to.memory.get()}, false);
  unsigned char *const source = addressOf(from, of_source);
  unsigned char *const destination = addressOf(to, of_destination);
  const uint64_t size = from.range.size;
  if (isSameMemory(source, destination, size)) return true;
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
  const Ref<Queue> of_source(from.memory->device()->queues().unnamed());
  const Ref<Queue> of_destination(to.memory->device()->queues().unnamed());
  if (from.range.size == 0) {
    if (!blocking) return;
    waitForEarlierWork(*of_source, {from.memory.get()}, false);
    waitForEarlierWork(*of_destination, {to.memory.get()}, false);
    return;
  }
  if (blocking && copyAtOnce(from, *of_source, to, *of_destination)) return;
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
    failWith(NXS_MemCopyOverlap,
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

// Copies through packed host memory, if one of the buffers is not contiguous.
void copyPacked(Buffer &source, Buffer &destination, nexus_stream *stream, bool blocking) {
  const auto streamOf = [stream](const Buffer &buffer) {
    const bool fits =
        stream != nullptr && (buffer.device() == nullptr ||
                              &given<Stream>(stream, "stream").device() == buffer.device());
    return fits ? stream : nullptr;
  };
  const Buffer &view = source.contiguous() ? destination : source;
  requireAll(view, 0, view.size(), blocking);
  if (stream != nullptr && streamOf(source) == nullptr && streamOf(destination) == nullptr) {
    queueOf(stream, *source.device(), "source");  // refuses another device's stream
  }
  if (copyOnDevice(source, destination, stream)) return;
  std::vector<unsigned char> packed(static_cast<std::size_t>(source.size()));
  copyToHost(source, 0, packed.data(), packed.size(), streamOf(source), true);
  copyFromHost(destination, 0, packed.data(), packed.size(), streamOf(destination), true);
}

void copyBetween(Buffer &source, Buffer &destination, nexus_stream *stream, bool blocking) {
  checkCopy(source, destination);
  if (!source.contiguous() || !destination.contiguous()) {
    copyPacked(source, destination, stream, blocking);
    return;
  }
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
  return giveResult(out_pointer, "out_pointer", [&] {
    Buffer &shared = given<Buffer>(buffer, "buffer");
    const Place at = shared.sharedPlace();
    return addressAfterUses(*at.memory) + at.offset + shared.layout().first;
  });
}

nxs_status nexus_buffer_copy_to_buffer(nexus_buffer *source, nexus_buffer *destination,
                                       nexus_stream *stream, int32_t blocking) {
  return guarded([&] {
    Buffer &from = given<Buffer>(source, "source");
    copyBetween(from, given<Buffer>(destination, "destination"), stream, blocking != 0);
  });
}
