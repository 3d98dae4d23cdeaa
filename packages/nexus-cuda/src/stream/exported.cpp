// SPDX-License-Identifier: Apache-2.0
#include "stream/exported.hpp"

#include "device/device.hpp"

#include <unistd.h>
#include <charconv>
#include <nexus-plugin/base/error.hpp>
#include <nexus-plugin/base/text.hpp>
#include <random>

namespace nexus_cuda NXS_HIDDEN {
namespace {

constexpr std::string_view kHexDigits = "0123456789abcdef";
constexpr std::size_t kUuidDigits = 32;

// Returns a random number of this process. The child of a fork() has the same, but another process
// number.
uint64_t start_of_this_process() {
  static const uint64_t drawn = [] {
    std::random_device source;
    return uint64_t{source()} << 32U | source();
  }();
  return drawn;
}

// Throws the driver's error, since other processes find the device by the UUID.
std::string known_uuid(Device &device) {
  CUuuid uuid{};
  device.check(cu.DeviceGetUuid(&uuid, device.handle()), "asking a GPU for its UUID");
  return uuid_text(uuid);
}

}  // namespace

bool ExportedText::take(std::string_view expected) noexcept {
  if (!left_.starts_with(expected)) return false;
  left_.remove_prefix(expected.size());
  return true;
}

bool ExportedText::take_digits(std::size_t count, std::string_view &digits) noexcept {
  digits = left_.substr(0, count);
  left_.remove_prefix(digits.size());
  return digits.size() == count && digits.find_first_not_of(kHexDigits) == digits.npos;
}

bool ExportedText::take_number(uint64_t &number) noexcept {
  const char *const begin = left_.data();
  const auto read = std::from_chars(begin, begin + left_.size(), number);
  left_.remove_prefix(static_cast<std::size_t>(read.ptr - begin));
  return read.ec == std::errc() && take(" ");
}

bool ExportedText::take_bytes(std::span<char> bytes) noexcept {
  std::string_view digits;
  if (!take_digits(2 * bytes.size(), digits)) return false;
  const auto value = [&](std::size_t place) { return kHexDigits.find(digits[place]); };
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<char>(value(2 * i) << 4U | value(2 * i + 1));
  }
  return true;
}

Exported Exported::here(Device &device, nxs_id object) {
  return {known_uuid(device), static_cast<uint64_t>(getpid()), start_of_this_process(), object};
}

std::string Exported::text() const {
  return join(uuid, " ", process, " ", start, " ", object, " ");
}

bool Exported::take_from(ExportedText &text) {
  std::string_view digits;
  uint64_t id = 0;
  if (!text.take_digits(kUuidDigits, digits) || !text.take(" ") || !text.take_number(process) ||
      !text.take_number(start) || !text.take_number(id)) {
    return false;
  }
  uuid = digits;
  object = static_cast<nxs_id>(id);
  return true;
}

bool Exported::of_this_process() const noexcept {
  return process == static_cast<uint64_t>(getpid()) && start == start_of_this_process();
}

void Exported::check_device(Device &device, std::string_view what) const {
  const std::string own = known_uuid(device);
  if (uuid == own) return;
  throw Error(NXS_InvalidValue, "handle names ", what, " of the GPU ", dashed_uuid(uuid),
              ", and the device '", device.name(), "' (", device.ordinal(), ") is ",
              dashed_uuid(own), "; import it on that GPU (CUDA_VISIBLE_DEVICES may count the ",
              "GPUs in another order there)");
}

void Exported::check_opened(CUresult opened, Device &device, std::string_view what) const {
  if (opened == CUDA_SUCCESS) return;
  const std::string opening = join("opening ", what, " of another process");
  if (is_fatal(opened)) device.check(opened, opening);
  if (opened == CUDA_ERROR_OUT_OF_MEMORY) throw_error(opened, NXS_OutOfResources, opening);
  throw Error::with_native_code(opened, NXS_InvalidOperation, "the ", what,
                                " that handle names is gone, or the driver does not give it to "
                                "this process (",
                                error_name(opened), "): process ", process,
                                " has to keep what it exported, as the same user");
}

}  // namespace nexus_cuda
