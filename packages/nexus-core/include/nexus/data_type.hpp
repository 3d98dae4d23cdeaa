// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_DATA_TYPE_HPP_
#define NEXUS_DATA_TYPE_HPP_

#include <nexus/nexus_c.h>

#include <complex>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace nexus {

/// Returns the data type of elements of the C++ type T, such as NXS_DataType_F32 for float;
/// NXS_DataType_Undefined for a type that is neither an arithmetic type of at most 64 bits nor a
/// complex number of such floats.
template <class T>
constexpr nxs_data_type dataTypeOf() noexcept {
  using U = std::remove_cv_t<T>;
  if constexpr (std::is_same_v<U, bool>) {
    return NXS_DataType_Bool;
  } else if constexpr (std::is_floating_point_v<U>) {
    return sizeof(U) == 4   ? NXS_DataType_F32
           : sizeof(U) == 8 ? NXS_DataType_F64
                            : NXS_DataType_Undefined;
  } else if constexpr (std::is_integral_v<U>) {
    switch (sizeof(U)) {
      case 1:
        return std::is_signed_v<U> ? NXS_DataType_I8 : NXS_DataType_U8;
      case 2:
        return std::is_signed_v<U> ? NXS_DataType_I16 : NXS_DataType_U16;
      case 4:
        return std::is_signed_v<U> ? NXS_DataType_I32 : NXS_DataType_U32;
      case 8:
        return std::is_signed_v<U> ? NXS_DataType_I64 : NXS_DataType_U64;
      default:
        return NXS_DataType_Undefined;
    }
  } else if constexpr (std::is_same_v<U, std::complex<float>>) {
    return NXS_DataType_C64;
  } else if constexpr (std::is_same_v<U, std::complex<double>>) {
    return NXS_DataType_C128;
  } else {
    return NXS_DataType_Undefined;
  }
}

/// Returns the bits of one element, also of a NEXUS_RECORD_TYPE; 8 for NXS_DataType_Undefined, 0
/// for a number that is not a data type.
constexpr std::uint32_t dataTypeBits(nxs_data_type type) noexcept {
  switch (type) {
    case NXS_DataType_F4:
    case NXS_DataType_BF4:
    case NXS_DataType_I4:
    case NXS_DataType_U4:
      return 4;
    case NXS_DataType_Undefined:
    case NXS_DataType_F8:
    case NXS_DataType_BF8:
    case NXS_DataType_I8:
    case NXS_DataType_U8:
    case NXS_DataType_Bool:
      return 8;
    case NXS_DataType_F16:
    case NXS_DataType_BF16:
    case NXS_DataType_I16:
    case NXS_DataType_U16:
      return 16;
    case NXS_DataType_F32:
    case NXS_DataType_I32:
    case NXS_DataType_U32:
      return 32;
    case NXS_DataType_F64:
    case NXS_DataType_I64:
    case NXS_DataType_U64:
    case NXS_DataType_C64:
      return 64;
    case NXS_DataType_C128:
      return 128;
    default:
      return 8 * static_cast<std::uint32_t>(NEXUS_RECORD_SIZE(type));
  }
}

}  // namespace nexus

#endif  // NEXUS_DATA_TYPE_HPP_
