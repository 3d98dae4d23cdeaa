// SPDX-License-Identifier: Apache-2.0
//
// Exchange of memory between array libraries by DLPack: its structures, declared here from its
// specification, version 1.1, and the tensors of other libraries.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "arrays/give_back.hpp"
#include "python/bindings.hpp"
#include "values/strides.hpp"

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

namespace nexus::python {

/// Returns whether the object exports its memory by DLPack.
bool hasDlpack(py::handle object);

/// Returns the place of an object's memory, by its __dlpack_device__.
dlpack::Device dlpackDeviceOf(py::handle producer, const std::string &parameter);

/// A tensor from a producer, by DLPack. The destructor returns it to the producer, and
/// needs the GIL.
class ImportedTensor final : public Kept {
 public:
  enum class Copies { Allowed, Refused };

  /// Asks the producer, which first orders its own work. TypeError for an object without DLPack,
  /// BufferError for another device's memory, TypeError for elements without a data type of ours.
  /// All name the parameter.
  ImportedTensor(py::handle producer, Copies copies, const std::string &parameter);
  /// The same for memory at place, of a device. stream is the number passed to the producer, which
  /// orders its work before later work of that stream; nothing: no number is passed.
  ImportedTensor(py::handle producer, Copies copies, const std::string &parameter,
                 dlpack::Device place, std::optional<std::uint64_t> stream);
  ~ImportedTensor() override;

  /// Host memory: the address of the elements.
  void *data() const noexcept { return static_cast<std::byte *>(data_) + offset_; }
  /// A device's memory: DLPack's data pointer, and the offset of the elements from it.
  void *handle() const noexcept { return data_; }
  std::uint64_t offset() const noexcept { return offset_; }  ///< Bytes.
  std::uint64_t size() const noexcept { return size_; }      ///< Bytes.
  nxs_data_type dataType() const noexcept { return type_; }
  const std::vector<std::uint64_t> &shape() const noexcept { return shape_; }
  const Strides &strides() const noexcept { return strides_; }
  bool readOnly() const noexcept { return (flags_ & dlpack::kReadOnly) != 0; }
  /// Whether the producer is older than DLPack 1.0, and does not report whether the memory is
  /// writable.
  bool isLegacy() const noexcept { return taken_.managed != nullptr; }
  bool isCopy() const noexcept { return (flags_ & dlpack::kIsCopied) != 0; }

 private:
  /// Releases a tensor to its producer.
  struct Taken {
    dlpack::Managed *managed = nullptr;
    dlpack::ManagedVersioned *versioned = nullptr;
    Taken() noexcept = default;
    ~Taken();
    Taken(const Taken &) = delete;
    Taken &operator=(const Taken &) = delete;
  };

  void take(py::handle capsule, const std::string &parameter);
  void read(const dlpack::Tensor &tensor, dlpack::Device place, const std::string &parameter);

  Taken taken_;
  void *data_ = nullptr;
  std::uint64_t offset_ = 0;
  std::uint64_t size_ = 0;
  std::uint64_t flags_ = 0;
  nxs_data_type type_ = NXS_DataType_Undefined;
  std::vector<std::uint64_t> shape_;
  Strides strides_;
};

}  // namespace nexus::python
