// SPDX-License-Identifier: Apache-2.0
// The texts that nxsExportBuffer and nxsExportEvent write, by which other processes find objects.
#ifndef NEXUS_CUDA_EXPORTED_HPP_
#define NEXUS_CUDA_EXPORTED_HPP_

#include "driver/cuda_types.hpp"

#include <span>
#include <string>
#include <string_view>

namespace nexus_cuda NXS_HIDDEN {

class Device;

// Takes the parts of a text one by one. The functions return false if the text does not have the
// part.
class ExportedText {
 public:
  explicit ExportedText(std::string_view text) : left_(text) {}

  bool take(std::string_view expected) noexcept;
  bool take_digits(std::size_t count, std::string_view &digits) noexcept;
  // Takes a number and the space after it.
  bool take_number(uint64_t &number) noexcept;
  // Takes bytes that hexadecimal() has written.
  bool take_bytes(std::span<char> bytes) noexcept;
  std::string_view rest() const noexcept { return left_; }

 private:
  std::string_view left_;
};

// The GPU and the process of an exported object.
struct Exported {
  std::string uuid;      // of the GPU: 32 hexadecimal digits
  uint64_t process = 0;  // its number
  uint64_t start = 0;    // a random number of the process, since process numbers are reused
  nxs_id object = 0;     // the id in that process

  // Describes an object of this process. Throws the driver's error.
  static Exported here(Device &device, nxs_id object);

  // Returns a text that ends with a space, and reads it.
  std::string text() const;
  bool take_from(ExportedText &text);

  bool of_this_process() const noexcept;
  // Throws NXS_InvalidValue if the object is of another GPU. what: such as "memory".
  void check_device(Device &device, std::string_view what) const;
  // Throws if the driver could not open the object. what: "memory" or "event".
  void check_opened(CUresult opened, Device &device, std::string_view what) const;
};

}  // namespace nexus_cuda

#endif  // NEXUS_CUDA_EXPORTED_HPP_
