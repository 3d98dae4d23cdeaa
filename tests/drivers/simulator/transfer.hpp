// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_SIMULATOR_TRANSFER_HPP_
#define NEXUS_SIMULATOR_TRANSFER_HPP_

#include "call.hpp"

#include <cstddef>

namespace simulator {

// The kind of an address, by the call. kUnified: the driver detects it.
enum class Side { kHost, kDevice, kUnified };

struct Place {
  uintptr_t begin;
  Side side;
};

inline Place on_host(const void *memory) {
  return {reinterpret_cast<uintptr_t>(memory), Side::kHost};
}
inline Place on_device(uintptr_t memory) {
  return {memory, Side::kDevice};
}
inline Place anywhere(uintptr_t memory) {
  return {memory, Side::kUnified};
}

struct Copy {
  Place to;
  Place from;
  size_t size;

  // Throws kInvalidValue.
  void check() const;
  // By a stream's thread.
  Result run() const;
};

// Rows that are copied, in slices. Pitches: bytes from row to row, and rows from slice to slice.
struct RowCopy {
  Place to;
  size_t to_pitch, to_height;
  Place from;
  size_t from_pitch, from_height;
  size_t bytes, rows, slices;

  bool empty() const { return bytes == 0 || rows == 0 || slices == 0; }
  // Throws kInvalidValue.
  void check() const;
  // By a stream's thread.
  Result run() const;
};

// Rows of elements that get a value.
struct Fill {
  uintptr_t begin;
  unsigned value;
  size_t element;  // bytes: 1, 2 or 4
  size_t width;    // elements of a row
  size_t rows = 1;
  size_t pitch = 0;  // bytes from one row to the next

  bool empty() const { return width == 0 || rows == 0; }
  size_t extent() const { return (rows - 1) * pitch + width * element; }
  // Throws kInvalidValue.
  void check() const;
  // By a stream's thread.
  Result run() const;
};

// Copies in the stream. Like the driver's: pageable memory is read or written before this
// returns.
void copy_async(Call &call, Handle stream, const Copy &copy);
// In the NULL stream, and waits.
void copy_now(Call &call, const Copy &copy);
// Of memory that is not pageable.
void copy_async(Call &call, Handle stream, const RowCopy &copy);
void fill_async(Call &call, Handle stream, const Fill &fill);

// Returns the failure that tests requested for work of a kind.
Result planned_fault(const char *kind);

}  // namespace simulator

#endif  // NEXUS_SIMULATOR_TRANSFER_HPP_
