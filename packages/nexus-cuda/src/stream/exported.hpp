// SPDX-License-Identifier: Apache-2.0
// Texts by which other processes find the exported objects of this one.
#ifndef NEXUS_CUDA_EXPORTED_HPP_
#define NEXUS_CUDA_EXPORTED_HPP_

#include "driver/cuda_types.hpp"

#include <charconv>
#include <span>
#include <string>
#include <string_view>

namespace nexus_cuda NXS_HIDDEN {

class Device;

// Takes the parts of a text one by one.
class ExportedText {
 public:
  explicit ExportedText(std::string_view text) : left_(text) {}

  bool take(std::string_view expected) noexcept;
  bool take_digits(std::size_t count, std::string_view &digits) noexcept;
  // With the space behind it.
  bool take_number(uint64_t &number) noexcept;
  // The bytes of a handle of the driver, as hexadecimal() writes them.
  bool take_bytes(std::span<char> bytes) noexcept;
  std::string_view rest() const noexcept { return left_; }

 private:
  std::string_view left_;
};

// Whose an exported object is.
struct Exported {
  std::string uuid;      // of the GPU: 32 hexadecimal digits
  uint64_t process = 0;  // its number,
  uint64_t start = 0;    // and what tells it from another one of that number
  nxs_id object = 0;     // the exporting process's own id

  // Of this process. Throws what the driver says.
  static Exported here(Device &device, nxs_id object);

  // With a space behind it.
  std::string text() const;
  bool take_from(ExportedText &text);

  bool of_this_process() const noexcept;
  // Throws NXS_InvalidValue where it is of another GPU than the device; what: "memory".
  void check_device(Device &device, std::string_view what) const;
};

}  // namespace nexus_cuda

#endif  // NEXUS_CUDA_EXPORTED_HPP_
