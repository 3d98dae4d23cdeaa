// SPDX-License-Identifier: Apache-2.0
//
// Sinks: functions that get bytes through the C-API as they are made.
#pragma once

#include <nexus-api/nxs.h>

#include <cstdint>
#include <new>
#include <string>
#include <string_view>

#include "base/error.hpp"

namespace nexus::core {

/// Writes bytes to a caller's sink, the argument named parameter. Throws NXS_InvalidValue if the
/// sink is invalid.
inline void writeTo(const nxs_sink *sink, std::string_view parameter, std::string_view bytes) {
  requirePointer(sink, parameter);
  if (sink->struct_size < sizeof(nxs_sink) || sink->write == nullptr) {
    failWith(
        NXS_InvalidValue, parameter,
        " is not a sink; set its struct_size to sizeof(nxs_sink) and its write to a function.");
  }
  sink->write(sink->context, bytes.data(), bytes.size());
}

/// A sink for a plug-in that collects the bytes.
class Collector {
 public:
  Collector() : sink_{sizeof(nxs_sink), this, &Collector::write} {}
  Collector(const Collector &) = delete;
  Collector &operator=(const Collector &) = delete;

  const nxs_sink *sink() const noexcept { return &sink_; }
  /// Returns all that was written. Throws std::bad_alloc if there was no memory for it.
  std::string take() {
    if (short_of_memory_) {
      throw std::bad_alloc();
    }
    return std::move(bytes_);
  }

 private:
  static void write(void *context, const void *data, uint64_t size) noexcept {
    auto *self = static_cast<Collector *>(context);
    try {
      self->bytes_.append(static_cast<const char *>(data), static_cast<std::size_t>(size));
    } catch (const std::exception &) {
      self->short_of_memory_ = true;  // no exception may leave a C function; take() throws it
    }
  }

  std::string bytes_;
  bool short_of_memory_ = false;
  nxs_sink sink_;
};

}  // namespace nexus::core
