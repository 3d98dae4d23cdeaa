// SPDX-License-Identifier: Apache-2.0
#include "base/data_type.hpp"

#include "base/error.hpp"

namespace nexus::core {
namespace {

struct TypeInfo {
  const char *name;
  uint32_t bits;
  NumberKind kind;
};

// By number. The names are those of NumPy and, for small floats, of ml_dtypes.
constexpr TypeInfo kTypes[] = {
    {"undefined", 8, NumberKind::None},      {"float32", 32, NumberKind::Float},
    {"float16", 16, NumberKind::Float},      {"bfloat16", 16, NumberKind::Float},
    {"float8_e4m3fn", 8, NumberKind::Float}, {"float8_e5m2", 8, NumberKind::Float},
    {"float4_e2m1fn", 4, NumberKind::Float}, {"bfloat4", 4, NumberKind::Float},
    {"int32", 32, NumberKind::Signed},       {"uint32", 32, NumberKind::Unsigned},
    {"int16", 16, NumberKind::Signed},       {"uint16", 16, NumberKind::Unsigned},
    {"int8", 8, NumberKind::Signed},         {"uint8", 8, NumberKind::Unsigned},
    {"int4", 4, NumberKind::Signed},         {"uint4", 4, NumberKind::Unsigned},
    {"float64", 64, NumberKind::Float},      {"int64", 64, NumberKind::Signed},
    {"uint64", 64, NumberKind::Unsigned},    {"bool", 8, NumberKind::Bool},
};

#define NEXUS_ONE_MORE(name, number) +1
static_assert(sizeof(kTypes) / sizeof(kTypes[0]) == 0 NXS_FOR_EACH_DataType(NEXUS_ONE_MORE),
              "each data type has its row");
#undef NEXUS_ONE_MORE

// Returns zeros for a number that is no data type.
TypeInfo find(nxs_data_type type) noexcept {
  const bool known = type >= 0 && static_cast<uint64_t>(type) < sizeof(kTypes) / sizeof(kTypes[0]);
  return known ? kTypes[type] : TypeInfo{nullptr, 0, NumberKind::None};
}

}  // namespace

const char *dataTypeName(nxs_data_type type) noexcept {
  return find(type).name;
}

uint32_t dataTypeBits(nxs_data_type type) noexcept {
  return find(type).bits;
}

NumberKind numberKind(nxs_data_type type) noexcept {
  return find(type).kind;
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
