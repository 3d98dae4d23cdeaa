// SPDX-License-Identifier: Apache-2.0
#include "data_type.hpp"

#include "error.hpp"

namespace nexus::core {
namespace {

struct TypeInfo {
  const char *name;
  uint32_t bits;
  bool floating;
};

// By number. The names are NumPy's and, for the small floats, those of ml_dtypes.
constexpr TypeInfo kTypes[] = {
    {"undefined", 8, false},    {"float32", 32, true},      {"float16", 16, true},
    {"bfloat16", 16, true},     {"float8_e4m3fn", 8, true}, {"float8_e5m2", 8, true},
    {"float4_e2m1fn", 4, true}, {"bfloat4", 4, true},       {"int32", 32, false},
    {"uint32", 32, false},      {"int16", 16, false},       {"uint16", 16, false},
    {"int8", 8, false},         {"uint8", 8, false},        {"int4", 4, false},
    {"uint4", 4, false},        {"float64", 64, true},      {"int64", 64, false},
    {"uint64", 64, false},      {"bool", 8, false},
};

#define NEXUS_ONE_MORE(name, number) +1
static_assert(sizeof(kTypes) / sizeof(kTypes[0]) == 0 NXS_FOR_EACH_DataType(NEXUS_ONE_MORE),
              "each data type has its row");
#undef NEXUS_ONE_MORE

const TypeInfo *find(nxs_data_type type) noexcept {
  return type >= 0 && static_cast<uint64_t>(type) < sizeof(kTypes) / sizeof(kTypes[0])
             ? &kTypes[type]
             : nullptr;
}

}  // namespace

const char *dataTypeName(nxs_data_type type) noexcept {
  const TypeInfo *info = find(type);
  return info == nullptr ? nullptr : info->name;
}

uint32_t dataTypeBits(nxs_data_type type) noexcept {
  const TypeInfo *info = find(type);
  return info == nullptr ? 0 : info->bits;
}

bool isFloating(nxs_data_type type) noexcept {
  const TypeInfo *info = find(type);
  return info != nullptr && info->floating;
}

uint64_t packedSize(nxs_data_type type, uint64_t count) {
  const uint32_t bits = dataTypeBits(type);
  if (bits < 8) {
    return count / 2 + count % 2;
  }
  uint64_t bytes = 0;
  if (__builtin_mul_overflow(count, uint64_t{bits / 8}, &bytes)) {
    throw Failure(NXS_InvalidBufferSize,
                  "shape has " + std::to_string(count) + " elements of " + dataTypeName(type) +
                      ", more bytes than 64 bits can count; make it smaller.");
  }
  return bytes;
}

}  // namespace nexus::core
