// SPDX-License-Identifier: Apache-2.0
//
// What the data types of elements are called and how many bytes they take.
#pragma once

#include <nexus-api/nxs.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace nexus::core {

/// "float32" for NXS_DataType_F32, "undefined" for bytes without a type; NULL for a
/// number that is no data type.
const char *dataTypeName(nxs_data_type type) noexcept;

/// Bits of one element; 8 for Undefined, 0 for a number that is no data type.
uint32_t dataTypeBits(nxs_data_type type) noexcept;

enum class NumberKind { None, Float, Signed, Unsigned, Bool };

/// None for bytes without a type and for a number that is no data type.
NumberKind numberKind(nxs_data_type type) noexcept;

/// The fewest bytes that count elements take: 4-bit types are packed two to a byte.
/// Throws NXS_InvalidBufferSize where they exceed 64 bits.
uint64_t packedSize(nxs_data_type type, uint64_t count);

/// Whether a parameter declared so, "const float *", points to what the kernel does not write;
/// empty where the declaration does not say.
std::optional<bool> pointsToConst(std::string_view declaration) noexcept;

}  // namespace nexus::core
