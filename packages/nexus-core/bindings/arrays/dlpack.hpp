// SPDX-License-Identifier: Apache-2.0
//
// DLPack's structures, declared here from its specification, version 1.1: exchange of memory
// between array libraries.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "python/bindings.hpp"

namespace nexus::python::dlpack {

enum DeviceType : std::int32_t {
  Cpu = 1,
  Cuda = 2,
  CudaHost = 3,
  OpenCL = 4,
  Vulkan = 7,
  Metal = 8,
  Rocm = 10,
  RocmHost = 11,
  CudaManaged = 13,
  WebGpu = 15,
};

struct Device {
  std::int32_t type;
  std::int32_t id;
};

struct DataType {
  std::uint8_t code;
  std::uint8_t bits;
  std::uint16_t lanes;
};

struct Tensor {
  void *data;
  Device device;
  std::int32_t rank;
  DataType dtype;
  std::int64_t *shape;
  std::int64_t *strides;  // in elements; a null pointer: C order
  std::uint64_t byteOffset;
};

struct Managed {
  Tensor tensor;
  void *context;
  void (*deleter)(Managed *self);
};

struct Version {
  std::uint32_t major;
  std::uint32_t minor;
};

struct ManagedVersioned {
  Version version;
  void *context;
  void (*deleter)(ManagedVersioned *self);
  std::uint64_t flags;
  Tensor tensor;
};

inline constexpr std::uint64_t kReadOnly = 1U << 0U;
inline constexpr std::uint64_t kIsCopied = 1U << 1U;
inline constexpr std::uint64_t kSubbytePadded = 1U << 2U;

inline constexpr std::uint32_t kMajor = 1;
inline constexpr std::uint32_t kMinor = 1;

// The capsules' names. A consumer that takes over the tensor renames its capsule.
inline constexpr const char *kCapsule = "dltensor";
inline constexpr const char *kUsedCapsule = "used_dltensor";
inline constexpr const char *kCapsuleVersioned = "dltensor_versioned";
inline constexpr const char *kUsedCapsuleVersioned = "used_dltensor_versioned";

/// Returns DLPack's form of a data type; nothing if it has none.
std::optional<DataType> fromDataType(nxs_data_type type) noexcept;

/// Returns the data type for DLPack's; nothing if there is none.
std::optional<nxs_data_type> toDataType(DataType type) noexcept;

/// For people: "complex128", "float6_e2m3fn", "uint8 in 4 lanes".
std::string describe(DataType type);

/// For people: "CUDA device 0".
std::string describe(Device device);

/// Returns the type of the devices that use memory of a type.
constexpr std::int32_t familyOf(std::int32_t type) noexcept {
  return type == CudaHost || type == CudaManaged ? Cuda : type == RocmHost ? Rocm : type;
}

/// Returns whether DLPack defines the numbers of streams for a type of device.
constexpr bool hasStreams(std::int32_t type) noexcept {
  return familyOf(type) == Cuda || familyOf(type) == Rocm;
}

/// Returns whether a tensor's data is an address; else it is an object of the driver, and the
/// tensor begins at its byte offset.
constexpr bool isAddress(std::int32_t type) noexcept {
  return type != OpenCL && type != Vulkan && type != Metal && type != WebGpu;
}

/// Returns whether the host can access a device's memory directly.
constexpr bool isHost(Device device) noexcept {
  return device.type == Cpu || device.type == CudaHost || device.type == RocmHost;
}

}  // namespace nexus::python::dlpack
