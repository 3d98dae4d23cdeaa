// SPDX-License-Identifier: Apache-2.0
//
// Names and sizes of data types.
#pragma once

#include <nexus/nexus_c.h>
#include <nexus-plugin/base/data_type.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace nexus::core {

/// Returns "float32" for NXS_DataType_F32, "record" for a NEXUS_RECORD_TYPE, "undefined" for bytes
/// without a type, and NULL for a number that is not a data type.
const char *dataTypeName(nxs_data_type type) noexcept;

/// Returns the bits of one element; 8 for Undefined, 0 for a number that is not a data type.
constexpr uint32_t dataTypeBits(nxs_data_type type) noexcept {
  const auto record = static_cast<uint32_t>(NEXUS_RECORD_SIZE(type));
  return record != 0 ? 8 * record : nexus_plugin::data_type(type).bits;
}

using nexus_plugin::NumberKind;

/// Returns None for bytes without a type and for a number that is not a data type.
constexpr NumberKind numberKind(nxs_data_type type) noexcept {
  return nexus_plugin::data_type(type).kind;
}

/// Returns the fewest bytes for count elements: 4-bit types are packed two to a byte. Throws
/// NXS_InvalidBufferSize if the result exceeds 64 bits.
uint64_t packedSize(nxs_data_type type, uint64_t count);

/// Returns whether a parameter with this declaration, such as "const float *", points to constant
/// data; nothing if the declaration does not say.
std::optional<bool> pointsToConst(std::string_view declaration) noexcept;

}  // namespace nexus::core
