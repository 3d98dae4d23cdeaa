// SPDX-License-Identifier: Apache-2.0
// Copies of rows, for nxsCopyRows.
#ifndef NEXUS_PLUGIN_ROW_COPY_HPP_
#define NEXUS_PLUGIN_ROW_COPY_HPP_

#include <nexus-plugin/memory/transfer.hpp>

namespace nexus_plugin NXS_HIDDEN {

namespace detail {

// Checks the pitches of one side and the size of its range.
inline void check_pitches(const char *range, uint64_t size, const nxs_rows &rows,
                          const uint64_t (&pitches)[2]) {
  uint64_t slice = 0, last = 0, extent = 0;
  const bool fits = pitches[0] >= rows.bytes && pitches[0] <= INT32_MAX &&
                    !__builtin_mul_overflow(rows.counts[0], pitches[0], &slice) &&
                    pitches[1] >= slice && pitches[1] % pitches[0] == 0 &&
                    !__builtin_mul_overflow(rows.counts[1] - 1, pitches[1], &last) &&
                    !__builtin_add_overflow(last, slice - pitches[0] + rows.bytes, &extent);
  if (!fits) {
    throw Error(
        NXS_InvalidValue, "rows of ", rows.bytes, " bytes have the pitches ", pitches[0], " and ",
        pitches[1], " in ", range,
        "; give a first pitch from the bytes to 2^31 - 1, and a second that is a multiple of "
        "it and holds ",
        rows.counts[0], " rows");
  }
  if (size != extent) {
    throw Error(NXS_InvalidValue, range, " has ", size, " bytes, and its rows need ", extent);
  }
}

}  // namespace detail

// Checks what nxsCopyRows is given besides the ids. Throws NXS_InvalidValue.
inline void check_rows(const nxs_rows &rows, uint64_t destination_size, uint64_t source_size) {
  if (rows.bytes == 0 || rows.counts[0] == 0 || rows.counts[1] == 0) {
    throw Error(NXS_InvalidValue, "rows are ", rows.counts[1], " times ", rows.counts[0], " of ",
                rows.bytes, " bytes; give numbers above 0");
  }
  detail::check_pitches("destination", destination_size, rows, rows.to_pitches);
  detail::check_pitches("source", source_size, rows, rows.from_pitches);
}

// A checked copy of rows. Keeps its buffers alive.
template <class Buffer>
struct RowCopy {
  // Throws NXS_InvalidBuffer, NXS_InvalidDevice, NXS_InvalidValue and NXS_MemCopyOverlap.
  template <class Table, class Stream>
  RowCopy(const Table &buffers, const Stream &used_with, const nxs_buffer_range *destination,
          const nxs_buffer_range *source, const nxs_rows *given)
      : to(pin_range(buffers, destination, "destination")),
        from(pin_range(buffers, source, "source")),
        rows(check_struct(given, "rows")) {
    detail::require_same_device("buffer", *to.buffer, used_with);
    detail::require_same_device("buffer", *from.buffer, used_with);
    check_rows(rows, to.size, from.size);
    if constexpr (requires { to.buffer->address(); }) {
      check_overlap(to.buffer->address() + to.offset, to.size, from.buffer->address() + from.offset,
                    from.size);
    } else if (to.buffer == from.buffer) {
      check_overlap(to.offset, to.size, from.offset, from.size);
    }
  }

  BufferRange<Buffer> to, from;
  nxs_rows rows;
};

}  // namespace nexus_plugin

#endif  // NEXUS_PLUGIN_ROW_COPY_HPP_
