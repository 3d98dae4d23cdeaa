// SPDX-License-Identifier: Apache-2.0
// The texts that nxsExportBuffer and nxsExportEvent write, by which other processes find objects.
// Beside the members in device.hpp, G has
//
//   static constexpr std::string_view kBackend = ...;         // "nexus-cuda", for the texts
//   static constexpr std::string_view kVisibleDevices = ...;  // a variable: "CUDA_VISIBLE_DEVICES"
//   static constexpr Result kOutOfMemory = ...;
//   static constexpr std::size_t kUuidDigits = ...;
//   static Result uuid(std::string *out, NativeDevice device);  // kUuidDigits hexadecimal digits
//   static std::string shown_uuid(std::string uuid);            // as the driver's tools show it
#ifndef NEXUS_PLUGIN_GPU_EXPORTED_HPP_
#define NEXUS_PLUGIN_GPU_EXPORTED_HPP_

#include <nexus-plugin/base/error.hpp>
#include <nexus-plugin/base/text.hpp>
#include <nexus-plugin/gpu/device.hpp>

#include <unistd.h>

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <string_view>

namespace nexus_plugin NXS_HIDDEN {
namespace gpu {

// Takes the parts of a text one by one. The functions return false if the text does not have the
// part.
class ExportedText {
 public:
  explicit ExportedText(std::string_view text) : left_(text) {}

  bool take(std::string_view expected) noexcept {
    if (!left_.starts_with(expected)) return false;
    left_.remove_prefix(expected.size());
    return true;
  }
  bool take_digits(std::size_t count, std::string_view &digits) noexcept {
    digits = left_.substr(0, count);
    left_.remove_prefix(digits.size());
    return digits.size() == count && digits.find_first_not_of(kHexDigits) == digits.npos;
  }
  // Takes a number and the space after it.
  bool take_number(uint64_t &number) noexcept {
    const char *const begin = left_.data();
    const auto read = std::from_chars(begin, begin + left_.size(), number);
    left_.remove_prefix(static_cast<std::size_t>(read.ptr - begin));
    return read.ec == std::errc() && take(" ");
  }
  // Takes bytes that hexadecimal() has written.
  bool take_bytes(std::span<char> bytes) noexcept {
    std::string_view digits;
    if (!take_digits(2 * bytes.size(), digits)) return false;
    const auto value = [&](std::size_t place) { return kHexDigits.find(digits[place]); };
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      bytes[i] = static_cast<char>(value(2 * i) << 4U | value(2 * i + 1));
    }
    return true;
  }
  std::string_view rest() const noexcept { return left_; }

 private:
  static constexpr std::string_view kHexDigits = "0123456789abcdef";

  std::string_view left_;
};

// The GPU and the process of an exported object.
template <class G>
struct Exported {
  using Device = typename G::Device;

  std::string uuid;      // of the GPU: hexadecimal digits
  uint64_t process = 0;  // its number
  uint64_t start = 0;    // a random number of the process, since process numbers are reused
  nxs_id object = 0;     // the id in that process

  // Describes an object of this process. Throws the driver's error.
  static Exported here(const Device &device, nxs_id object) {
    return {known_uuid(device), static_cast<uint64_t>(getpid()), start_of_this_process(), object};
  }

  // Returns a text that ends with a space, and reads it.
  std::string text() const { return join(uuid, " ", process, " ", start, " ", object, " "); }
  bool take_from(ExportedText &text) {
    std::string_view digits;
    uint64_t id = 0;
    if (!text.take_digits(G::kUuidDigits, digits) || !text.take(" ") ||
        !text.take_number(process) || !text.take_number(start) || !text.take_number(id)) {
      return false;
    }
    uuid = digits;
    object = static_cast<nxs_id>(id);
    return true;
  }

  bool of_this_process() const noexcept {
    return process == static_cast<uint64_t>(getpid()) && start == start_of_this_process();
  }
  // Throws NXS_InvalidValue if the object is of another GPU. what: such as "memory".
  void check_device(const Device &device, std::string_view what) const {
    const std::string own = known_uuid(device);
    if (uuid == own) return;
    throw Error(NXS_InvalidValue, "handle is for ", what, " of the GPU ", G::shown_uuid(uuid),
                ", and the device '", device.name(), "' (", device.ordinal(), ") is ",
                G::shown_uuid(own), "; import it on that GPU (", G::kVisibleDevices,
                " may count the GPUs in another order there)");
  }
  // Throws if the driver could not open the object. what: "memory" or "event".
  void check_opened(Result opened, const Device &device, std::string_view what) const {
    if (opened == kSuccess) return;
    const std::string opening = join("opening ", what, " of another process");
    if (G::errors.is_fatal(opened)) device.check(opened, opening);
    if (opened == G::kOutOfMemory) throw G::errors.make(opened, NXS_OutOfResources, opening);
    throw Error::with_native_code(opened, NXS_InvalidOperation, "the ", what,
                                  " of handle is gone, or the driver refuses it to this process (",
                                  G::errors.name(opened), "); keep it open in process ", process,
                                  ", which must run as the same user");
  }

 private:
  // Returns a random number of this process. The child of a fork() has the same, but another
  // process number.
  static uint64_t start_of_this_process() {
    static const uint64_t drawn = [] {
      std::random_device source;
      return uint64_t{source()} << 32U | source();
    }();
    return drawn;
  }
  // Throws the driver's error, since other processes find the device by the UUID.
  static std::string known_uuid(const Device &device) {
    std::string found;
    device.check(G::uuid(&found, device.handle()), "asking a GPU for its UUID");
    return found;
  }
};

}  // namespace gpu
}  // namespace nexus_plugin

#endif  // NEXUS_PLUGIN_GPU_EXPORTED_HPP_
