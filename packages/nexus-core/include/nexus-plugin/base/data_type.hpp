// SPDX-License-Identifier: Apache-2.0
// Names and sizes of the data types of the C-API.
#ifndef NEXUS_PLUGIN_DATA_TYPE_HPP_
#define NEXUS_PLUGIN_DATA_TYPE_HPP_

#include <nexus-api/nxs.h>

#include <cstdint>
#include <iterator>
#include <type_traits>

namespace nexus_plugin NXS_HIDDEN {

enum class NumberKind { None, Float, Signed, Unsigned, Bool, Complex };

struct DataType {
  const char *name;  // Python's name: NumPy's or, for small floats, ml_dtypes'
  uint32_t
      bits;  // of an element; 8 for bytes without a type, 0 for a number that is not a data type
  NumberKind kind;
};

namespace detail {

// By number.
inline constexpr DataType kDataTypes[] = {
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
    {"complex64", 64, NumberKind::Complex},  {"complex128", 128, NumberKind::Complex},
};

#define NEXUS_PLUGIN_ONE_MORE(name, number) +1
static_assert(std::size(kDataTypes) == 0 NXS_FOR_EACH_DataType(NEXUS_PLUGIN_ONE_MORE),
              "each data type has its row");
#undef NEXUS_PLUGIN_ONE_MORE

}  // namespace detail

constexpr DataType data_type(nxs_data_type type) noexcept {
  const bool known = type >= 0 && static_cast<uint64_t>(type) < std::size(detail::kDataTypes);
  return known ? detail::kDataTypes[type] : DataType{"undefined", 0, NumberKind::None};
}

// Returns the data type of a number with this many bits; NXS_DataType_Undefined if there is none.
constexpr nxs_data_type number_type(bool is_float, bool is_signed, uint64_t bits) noexcept {
  switch (bits) {
    case 8:
      return is_float ? NXS_DataType_Undefined : is_signed ? NXS_DataType_I8 : NXS_DataType_U8;
    case 16:
      return is_float ? NXS_DataType_F16 : is_signed ? NXS_DataType_I16 : NXS_DataType_U16;
    case 32:
      return is_float ? NXS_DataType_F32 : is_signed ? NXS_DataType_I32 : NXS_DataType_U32;
    case 64:
      return is_float ? NXS_DataType_F64 : is_signed ? NXS_DataType_I64 : NXS_DataType_U64;
    default:
      return NXS_DataType_Undefined;
  }
}

// The data type of a number of C++; NXS_DataType_Undefined for another type.
template <class T>
inline constexpr nxs_data_type data_type_of =
    std::is_same_v<T, bool> ? NXS_DataType_Bool
    : std::is_arithmetic_v<T>
        ? number_type(std::is_floating_point_v<T>, std::is_signed_v<T>, 8 * sizeof(T))
        : NXS_DataType_Undefined;

}  // namespace nexus_plugin

#endif  // NEXUS_PLUGIN_DATA_TYPE_HPP_
