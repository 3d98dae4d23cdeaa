// SPDX-License-Identifier: Apache-2.0
#include "arrays/dlpack.hpp"

#include <array>
#include <string>

namespace nexus::python::dlpack {
namespace {

enum Code : std::uint8_t {
  Int = 0,
  UInt = 1,
  Float = 2,
  BFloat = 4,
  Complex = 5,
  Bool = 6,
  Float8E4M3FN = 10,
  Float8E5M2 = 12,
  Float4E2M1FN = 17,
};

struct Pair {
  nxs_data_type type;
  Code code;
  std::uint8_t bits;
};

constexpr std::array kPairs = {
    Pair{NXS_DataType_F32, Float, 32},      Pair{NXS_DataType_F16, Float, 16},
    Pair{NXS_DataType_F64, Float, 64},      Pair{NXS_DataType_BF16, BFloat, 16},
    Pair{NXS_DataType_F8, Float8E4M3FN, 8}, Pair{NXS_DataType_BF8, Float8E5M2, 8},
    Pair{NXS_DataType_F4, Float4E2M1FN, 4}, Pair{NXS_DataType_I64, Int, 64},
    Pair{NXS_DataType_I32, Int, 32},        Pair{NXS_DataType_I16, Int, 16},
    Pair{NXS_DataType_I8, Int, 8},          Pair{NXS_DataType_I4, Int, 4},
    Pair{NXS_DataType_U64, UInt, 64},       Pair{NXS_DataType_U32, UInt, 32},
    Pair{NXS_DataType_U16, UInt, 16},       Pair{NXS_DataType_U8, UInt, 8},
    Pair{NXS_DataType_U4, UInt, 4},         Pair{NXS_DataType_Bool, Bool, 8},
    Pair{NXS_DataType_C64, Complex, 64},    Pair{NXS_DataType_C128, Complex, 128},
    Pair{NXS_DataType_Undefined, UInt, 8},  // plain bytes; last, so that uint8 is imported as U8
};

// By code. Names with a width begin at code 8.
constexpr std::array<const char *, 18> kCodeNames = {
    "int",
    "uint",
    "float",
    "opaque",
    "bfloat",
    "complex",
    "bool",
    "float8_e3m4",
    "float8_e4m3",
    "float8_e4m3b11fnuz",
    "float8_e4m3fn",
    "float8_e4m3fnuz",
    "float8_e5m2",
    "float8_e5m2fnuz",
    "float8_e8m0fnu",
    "float6_e2m3fn",
    "float6_e3m2fn",
    "float4_e2m1fn",
};

struct DeviceName {
  std::int32_t type;
  const char *name;
};

constexpr std::array kDeviceNames = {
    DeviceName{1, "CPU"},        DeviceName{2, "CUDA"},          DeviceName{3, "CUDA host"},
    DeviceName{4, "OpenCL"},     DeviceName{7, "Vulkan"},        DeviceName{8, "Metal"},
    DeviceName{9, "VPI"},        DeviceName{10, "ROCm"},         DeviceName{11, "ROCm host"},
    DeviceName{12, "extension"}, DeviceName{13, "CUDA managed"}, DeviceName{14, "oneAPI"},
    DeviceName{15, "WebGPU"},    DeviceName{16, "Hexagon"},      DeviceName{17, "MAIA"},
    DeviceName{18, "Trainium"},
};

}  // namespace

std::optional<DataType> fromDataType(nxs_data_type type) noexcept {
  for (const Pair &pair : kPairs) {
    if (pair.type == type) {
      return DataType{pair.code, pair.bits, 1};
    }
  }
  return std::nullopt;
}

std::optional<nxs_data_type> toDataType(DataType type) noexcept {
  for (const Pair &pair : kPairs) {
    if (pair.code == type.code && pair.bits == type.bits && type.lanes == 1) {
      return pair.type;
    }
  }
  return std::nullopt;
}

std::string describe(DataType type) {
  constexpr std::uint8_t firstWithWidth = 7;
  std::string text = type.code < kCodeNames.size() ? kCodeNames[type.code]
                                                   : "code " + std::to_string(type.code) + " of ";
  if (type.code < firstWithWidth || type.code >= kCodeNames.size()) {
    text += std::to_string(type.bits);
  }
  return type.lanes == 1 ? text : text + " in " + std::to_string(type.lanes) + " lanes";
}

std::string describe(Device device) {
  for (const DeviceName &known : kDeviceNames) {
    if (known.type == device.type) {
      return std::string(known.name) + " device " + std::to_string(device.id);
    }
  }
  return "DLPack device (" + std::to_string(device.type) + ", " + std::to_string(device.id) + ")";
}

}  // namespace nexus::python::dlpack
