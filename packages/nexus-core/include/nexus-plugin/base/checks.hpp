// SPDX-License-Identifier: Apache-2.0
// Checks of the values that the host passes, with the statuses of nxs_functions.def.
#ifndef NEXUS_PLUGIN_CHECKS_HPP_
#define NEXUS_PLUGIN_CHECKS_HPP_

#include <nexus-api/nxs_functions.h>
#include <nexus-plugin/base/error.hpp>

#include <cstddef>
#include <string_view>

namespace nexus_plugin NXS_HIDDEN {

// The size of a struct up to the end of a member.
#define NEXUS_PLUGIN_SIZE_THROUGH(type, member) \
  (offsetof(type, member) + sizeof(static_cast<type *>(nullptr)->member))

// The size of a struct in the version that introduced it. An older host may pass a smaller struct
// than sizeof() says, without fields that were appended later, but never a smaller one than this.
template <class Struct>
inline constexpr uint64_t first_size = 0;
template <>
inline constexpr uint64_t first_size<nxs_value> = NEXUS_PLUGIN_SIZE_THROUGH(nxs_value, size);
template <>
inline constexpr uint64_t first_size<nxs_completion> =
    NEXUS_PLUGIN_SIZE_THROUGH(nxs_completion, completed);
template <>
inline constexpr uint64_t first_size<nxs_argument> = NEXUS_PLUGIN_SIZE_THROUGH(nxs_argument, size);
template <>
inline constexpr uint64_t first_size<nxs_argument_info> =
    NEXUS_PLUGIN_SIZE_THROUGH(nxs_argument_info, type);
template <>
inline constexpr uint64_t first_size<nxs_launch> =
    NEXUS_PLUGIN_SIZE_THROUGH(nxs_launch, cluster_size);
template <>
inline constexpr uint64_t first_size<nxs_occupancy> =
    NEXUS_PLUGIN_SIZE_THROUGH(nxs_occupancy, active_clusters);
template <>
inline constexpr uint64_t first_size<nxs_buffer_range> =
    NEXUS_PLUGIN_SIZE_THROUGH(nxs_buffer_range, size);
template <>
inline constexpr uint64_t first_size<nxs_rows> = NEXUS_PLUGIN_SIZE_THROUGH(nxs_rows, from_pitches);
template <>
inline constexpr uint64_t first_size<nxs_sink> = NEXUS_PLUGIN_SIZE_THROUGH(nxs_sink, write);
template <>
inline constexpr uint64_t first_size<nxs_compile_info> =
    NEXUS_PLUGIN_SIZE_THROUGH(nxs_compile_info, name_expression_count);
template <>
inline constexpr uint64_t first_size<nxs_link_info> =
    NEXUS_PLUGIN_SIZE_THROUGH(nxs_link_info, option_count);
template <>
inline constexpr uint64_t first_size<nxs_host> =
    NEXUS_PLUGIN_SIZE_THROUGH(nxs_host, is_interrupted);
template <>
inline constexpr uint64_t first_size<nxs_plugin> = NEXUS_PLUGIN_SIZE_THROUGH(nxs_plugin, reserved);

// Throws NXS_InvalidValue if the pointer is NULL.
template <class Pointer>
Pointer *check_pointer(Pointer *pointer, const char *parameter) {
  if (pointer == nullptr) throw Error(NXS_InvalidValue, parameter, " is NULL");
  return pointer;
}

// Returns the text of a string, valid as long as the string. Throws NXS_InvalidValue if text is
// NULL, or its data is NULL and its size is not 0.
inline std::string_view check_text(const nxs_string *text, const char *parameter) {
  check_pointer(text, parameter);
  if (text->data == nullptr && text->size != 0) {
    throw Error(NXS_InvalidValue, parameter, "->data is NULL, and its size is ", text->size,
                " bytes; give the text, or a size of 0");
  }
  return view(*text);
}

// Returns the path of a file. Throws as check_text(), and NXS_InvalidValue if the path has a zero
// byte, where the system would end it and so open another file.
inline std::string_view check_path(const nxs_string *path, const char *parameter) {
  const std::string_view text = check_text(path, parameter);
  if (text.find('\0') != std::string_view::npos) {
    throw Error(NXS_InvalidValue, parameter, " has a zero byte, which no path has; leave it out");
  }
  return text;
}

// Returns the struct. Throws NXS_InvalidValue if the pointer is NULL, or struct_size is smaller
// than the struct's first version.
template <class Struct>
Struct &check_struct(Struct *pointer, const char *parameter) {
  constexpr uint64_t least = first_size<std::remove_const_t<Struct>>;
  static_assert(least != 0, "no struct of the C-API");
  check_pointer(pointer, parameter);
  if (pointer->struct_size < least) {
    throw Error(NXS_InvalidValue, parameter, "->struct_size is ", pointer->struct_size,
                "; at least ", least, " bytes are needed: set it to sizeof of the struct");
  }
  return *pointer;
}

// Returns the sink. Throws as check_struct(), and NXS_InvalidValue if its function is NULL.
inline const nxs_sink &check_sink(const nxs_sink *sink, const char *parameter) {
  const nxs_sink &checked = check_struct(sink, parameter);
  if (checked.write == nullptr) throw Error(NXS_InvalidValue, parameter, "->write is NULL");
  return checked;
}

inline void write_to(const nxs_sink &sink, std::string_view bytes) {
  if (!bytes.empty()) sink.write(sink.context, bytes.data(), bytes.size());
}

// Throws status unless size bytes from offset on are within total bytes.
inline void check_range(const char *parameter, uint64_t offset, uint64_t size, uint64_t total,
                        nxs_status status = NXS_InvalidValue) {
  if (offset > total || size > total - offset) {
    throw Error(status, parameter, ": ", size, " bytes from offset ", offset,
                " exceed the buffer, which has ", total, " bytes");
  }
}

// Throws NXS_NotSupported if settings has bits that are not in known.
inline void check_settings(uint64_t settings, uint64_t known) {
  if ((settings & ~known) != 0) {
    throw Error(NXS_NotSupported, "settings has the unsupported bits ", settings & ~known,
                "; the backend supports ", known);
  }
}

// Throws NXS_InvalidValue unless priority is 0: for a backend whose streams have no priorities.
inline void check_no_priority(int32_t priority) {
  if (priority == 0) return;
  throw Error(NXS_InvalidValue, "priority is ", priority,
              "; the streams have no priorities, give 0");
}

// Throws NXS_InvalidHostPtr if the pointer is NULL and size is not 0.
inline void check_host_pointer(const void *pointer, uint64_t size) {
  if (pointer == nullptr && size != 0) {
    throw Error(NXS_InvalidHostPtr, "host_ptr is NULL and size is ", size, "; give host memory");
  }
}

// Throws NXS_InvalidValue unless pattern_size is 1, 2, 4, 8 or 16, and offset and size of the range
// are multiples of it.
inline void check_fill(uint64_t offset, uint64_t size, const void *pattern, uint64_t pattern_size) {
  check_pointer(pattern, "pattern");
  if (pattern_size == 0 || pattern_size > 16 || (pattern_size & (pattern_size - 1)) != 0) {
    throw Error(NXS_InvalidValue, "pattern_size is ", pattern_size,
                "; it must be 1, 2, 4, 8 or 16");
  }
  if (offset % pattern_size != 0 || size % pattern_size != 0) {
    throw Error(NXS_InvalidValue, "range: offset ", offset, " and size ", size,
                " must be multiples of the pattern's ", pattern_size, " bytes");
  }
}

// Throws NXS_MemCopyOverlap if two ranges of one memory overlap.
inline void check_overlap(uint64_t destination, uint64_t destination_size, uint64_t source,
                          uint64_t source_size) {
  const bool overlap = destination < source ? source - destination < destination_size
                                            : destination - source < source_size;
  if (overlap && destination_size != 0 && source_size != 0) {
    throw Error(NXS_MemCopyOverlap, "source, ", source_size, " bytes from ", source,
                ", and destination, ", destination_size, " bytes from ", destination,
                ", overlap in one buffer");
  }
}

// Checks the two ranges of a copy. Throws NXS_InvalidValue if their sizes differ, and
// NXS_MemCopyOverlap if they overlap within one buffer.
inline void check_copy(bool same_buffer, uint64_t destination_offset, uint64_t destination_size,
                       uint64_t source_offset, uint64_t source_size) {
  if (destination_size != source_size) {
    throw Error(NXS_InvalidValue, "destination has ", destination_size, " bytes and source ",
                source_size, "; they must be equal");
  }
  if (same_buffer) {
    check_overlap(destination_offset, destination_size, source_offset, source_size);
  }
}

}  // namespace nexus_plugin

#endif  // NEXUS_PLUGIN_CHECKS_HPP_
