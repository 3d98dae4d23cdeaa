// SPDX-License-Identifier: Apache-2.0
// Buffers of every backend: checks of new ones, copies between buffers and host memory, and
// mappings.
#ifndef NEXUS_PLUGIN_BUFFER_HPP_
#define NEXUS_PLUGIN_BUFFER_HPP_

#include <nexus-plugin/base/functions.hpp>
#include <nexus-plugin/memory/transfer.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace nexus_plugin NXS_HIDDEN {

// Checks the arguments of nxsCreateBuffer. known: the settings that the backend supports; largest:
// the largest size in bytes. Throws NXS_NotSupported, NXS_InvalidBufferSize and NXS_InvalidHostPtr.
inline void check_new_buffer(uint64_t size, nxs_buffer_settings settings, const void *host_ptr,
                             nxs_buffer_settings known, uint64_t largest) {
  check_settings(settings, known);
  constexpr nxs_buffer_settings both = NXS_BufferSettings_Maintain | NXS_BufferSettings_Shareable;
  if ((settings & both) == both) {
    throw Error(
        NXS_NotSupported,
        "settings has Maintain and Shareable, and the caller's memory can't be shared; give "
        "one of them");
  }
  if (size == 0 || size > largest) {
    throw Error(NXS_InvalidBufferSize, "size is ", size, " bytes; it must be from 1 to ", largest);
  }
  if ((settings & NXS_BufferSettings_Maintain) != 0 && host_ptr == nullptr) {
    throw Error(NXS_InvalidHostPtr, "host_ptr is NULL; with Maintain give the memory to use");
  }
}

// Checks the arguments of nxsCopyBuffer and nxsWriteBuffer. Throws NXS_InvalidDevice,
// NXS_InvalidValue and NXS_InvalidHostPtr.
template <class Buffer, class Stream>
void check_host_copy(const Buffer &buffer, const Stream &stream, uint64_t offset,
                     const void *host_ptr, uint64_t size) {
  detail::require_same_device("buffer", buffer, stream);
  check_range("offset and size", offset, size, buffer.size());
  check_host_pointer(host_ptr, size);
}

// Counts the mappings of memory that the host can always access; such mappings need nothing else.
class MappingCount {
 public:
  void add() noexcept { count_.fetch_add(1, std::memory_order_relaxed); }

  // Throws NXS_InvalidValue if pointer is not within the memory or nothing is mapped.
  void remove(const void *pointer, const std::byte *memory, uint64_t size) {
    const auto *byte = static_cast<const std::byte *>(pointer);
    const bool inside =
        memory != nullptr && !std::less<>()(byte, memory) && !std::less<>()(memory + size, byte);
    uint32_t count = count_.load(std::memory_order_relaxed);
    do {
      if (!inside || count == 0) {
        throw Error(NXS_InvalidValue,
                    "pointer is not a mapping of the buffer; give the result of nxsMapBuffer");
      }
    } while (!count_.compare_exchange_weak(count, count - 1, std::memory_order_relaxed));
  }

 private:
  std::atomic<uint32_t> count_{0};
};

// The result of nxsMapBuffer.
struct Mapped {
  void *pointer;
  nxs_ticket ticket;
};

// Maps a range of a buffer that counts its mappings with map(offset) and unmap(pointer). mark():
// submits empty work and returns its ticket.
template <class Buffer, class Mark>
Mapped map_counted(const BufferRange<Buffer> &range, Mark &&mark) {
  void *const pointer = range.buffer->map(range.offset);
  try {
    return {pointer, mark()};
  } catch (...) {
    range.buffer->unmap(pointer);
    throw;
  }
}

// Throws NXS_InvalidValue unless access is Read, Write or both.
inline void check_access(nxs_map_access access) {
  if (access == 0 || (access & ~(NXS_MapAccess_Read | NXS_MapAccess_Write)) != 0) {
    throw Error(NXS_InvalidValue, "access is ", access, "; it must be Read, Write or both");
  }
}

}  // namespace nexus_plugin

// Defines nxsCreateBuffer. create(device, size, settings, host_ptr) returns the new id; device is a
// reference to the backend's object.
#define NEXUS_PLUGIN_CREATE_BUFFER(devices, create)                                              \
  NEXUS_PLUGIN_RESULT(                                                                           \
      CreateBuffer,                                                                              \
      (nxs_id device, uint64_t size, nxs_buffer_settings settings, void *host_ptr, nxs_id *out), \
      create(*(devices).pin(device), size, settings, host_ptr))

// Defines nxsCopyBuffer and nxsWriteBuffer. read and write are expressions that return a ticket.
// They may use buffer (a Ref), offset, host_ptr, size and queue (a Ref to the stream), all checked.
//   NEXUS_PLUGIN_HOST_COPIES(buffers, streams, read(*queue, *buffer, ...), write(...))
#define NEXUS_PLUGIN_HOST_COPIES(buffers, streams, read, write)                                  \
  extern "C" nxs_status nxsCopyBuffer(nxs_id id, uint64_t offset, void *host_ptr, uint64_t size, \
                                      nxs_id stream, nxs_ticket *out_ticket) {                   \
    return nexus_plugin::guarded(out_ticket, [&] {                                               \
      auto buffer = (buffers).pin(id);                                                           \
      const auto queue = (streams).pin(stream);                                                  \
      nexus_plugin::check_host_copy(*buffer, *queue, offset, host_ptr, size);                    \
      return read;                                                                               \
    });                                                                                          \
  }                                                                                              \
  extern "C" nxs_status nxsWriteBuffer(nxs_id id, uint64_t offset, const void *host_ptr,         \
                                       uint64_t size, nxs_id stream, nxs_ticket *out_ticket) {   \
    return nexus_plugin::guarded(out_ticket, [&] {                                               \
      auto buffer = (buffers).pin(id);                                                           \
      const auto queue = (streams).pin(stream);                                                  \
      nexus_plugin::check_host_copy(*buffer, *queue, offset, host_ptr, size);                    \
      return write;                                                                              \
    });                                                                                          \
  }

// Defines nxsMapBuffer and nxsUnmapBuffer. map is an expression that returns a Mapped and may use
// range (a BufferRange), access and queue; unmap returns a ticket and may use buffer, pointer and
// queue.
#define NEXUS_PLUGIN_MAPPINGS(buffers, streams, map, unmap)                        \
  extern "C" nxs_status nxsMapBuffer(nxs_id stream, const nxs_buffer_range *given, \
                                     nxs_map_access access, void **out_pointer,    \
                                     nxs_ticket *out_ticket) {                     \
    return nexus_plugin::guarded(out_ticket, [&] {                                 \
      const auto queue = (streams).pin(stream);                                    \
      void *&out = *nexus_plugin::check_pointer(out_pointer, "out_pointer");       \
      const auto range = nexus_plugin::pin_range(buffers, given, "range");         \
      nexus_plugin::detail::require_same_device("buffer", *range.buffer, *queue);  \
      nexus_plugin::check_access(access);                                          \
      const nexus_plugin::Mapped made = map;                                       \
      out = made.pointer;                                                          \
      return made.ticket;                                                          \
    });                                                                            \
  }                                                                                \
  extern "C" nxs_status nxsUnmapBuffer(nxs_id stream, nxs_id id, void *pointer,    \
                                       nxs_ticket *out_ticket) {                   \
    return nexus_plugin::guarded(out_ticket, [&] {                                 \
      const auto queue = (streams).pin(stream);                                    \
      const auto buffer = (buffers).pin(id);                                       \
      nexus_plugin::detail::require_same_device("buffer", *buffer, *queue);        \
      return unmap;                                                                \
    });                                                                            \
  }

// Defines both for buffers that count their mappings; see map_counted(). mark is an expression that
// returns a ticket and may use queue.
#define NEXUS_PLUGIN_COUNTED_MAPPINGS(buffers, streams, mark)                                     \
  NEXUS_PLUGIN_MAPPINGS(buffers, streams, nexus_plugin::map_counted(range, [&] { return mark; }), \
                        (buffer->unmap(pointer), mark))

#endif  // NEXUS_PLUGIN_BUFFER_HPP_
