// SPDX-License-Identifier: Apache-2.0
#include "base/data_type.hpp"

#include "base/error.hpp"

namespace nexus::core {

const char *dataTypeName(nxs_data_type type) noexcept {
  if (NEXUS_RECORD_SIZE(type) != 0) return "record";
  const nexus_plugin::DataType found = nexus_plugin::data_type(type);
  return found.bits == 0 ? nullptr : found.name;
}

uint64_t packedSize(nxs_data_type type, uint64_t count) {
  const uint32_t bits = dataTypeBits(type);
  if (bits < 8) return count / 2 + count % 2;
  uint64_t bytes = 0;
  if (__builtin_mul_overflow(count, uint64_t{bits / 8}, &bytes)) {
    failWith(NXS_InvalidBufferSize, "shape has ", count, " elements of ", dataTypeName(type),
             ", more bytes than 64 bits can count; make it smaller.");
  }
  return bytes;
}

std::optional<bool> pointsToConst(std::string_view declaration) noexcept {
  const std::size_t star = declaration.rfind('*');
  if (star == std::string_view::npos) return std::nullopt;
  return declaration.find("const") < star;
}

}  // namespace nexus::core
