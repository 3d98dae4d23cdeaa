// SPDX-License-Identifier: Apache-2.0
// Names and sizes of the data types of the C-API.
#ifndef NEXUS_PLUGIN_DATA_TYPE_HPP_
#define NEXUS_PLUGIN_DATA_TYPE_HPP_

#include <nexus-api/nxs.h>

#include <cstdint>
#include <type_traits>

namespace nexus_plugin NXS_HIDDEN {

struct DataType {
  const char *name;  // as in Python
  uint64_t size;     // bytes of an element; 0 if it is smaller than a byte, or not known
  bool is_float;
};

constexpr DataType data_type(nxs_data_type type) noexcept {
  switch (type) {
    case NXS_DataType_F32:
      return {"float32", 4, true};
    case NXS_DataType_F16:
      return {"float16", 2, true};
    case NXS_DataType_BF16:
      return {"bfloat16", 2, true};
    case NXS_DataType_F64:
      return {"float64", 8, true};
    case NXS_DataType_F8:
      return {"float8_e4m3", 1, true};
    case NXS_DataType_BF8:
      return {"float8_e5m2", 1, true};
    case NXS_DataType_I8:
      return {"int8", 1, false};
    case NXS_DataType_U8:
      return {"uint8", 1, false};
    case NXS_DataType_I16:
      return {"int16", 2, false};
    case NXS_DataType_U16:
      return {"uint16", 2, false};
    case NXS_DataType_I32:
      return {"int32", 4, false};
    case NXS_DataType_U32:
      return {"uint32", 4, false};
    case NXS_DataType_I64:
      return {"int64", 8, false};
    case NXS_DataType_U64:
      return {"uint64", 8, false};
    case NXS_DataType_Bool:
      return {"bool", 1, false};
    default:
      return {"undefined", 0, false};
  }
}

// Returns the type of a number with so many bits; NXS_DataType_Undefined if there is none.
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
