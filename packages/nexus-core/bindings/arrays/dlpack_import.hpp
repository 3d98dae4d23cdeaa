// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "arrays/dlpack.hpp"
#include "arrays/give_back.hpp"

namespace nexus::python {

/// Returns whether the object exports its memory by DLPack.
bool hasDlpack(py::handle object);

/// Returns the place of an object's memory, by its __dlpack_device__.
dlpack::Device dlpackDeviceOf(py::handle producer, const std::string &parameter);

/// A C-contiguous tensor from a producer, by DLPack. The destructor returns it to the producer, and
/// needs the GIL.
class ImportedTensor final : public Kept {
 public:
  enum class Copies { Allowed, Refused };

  /// Asks the producer, which first orders its own work. TypeError for an object without DLPack,
  /// BufferError for another device's memory, TypeError for elements without a data type of ours,
  /// ValueError if the tensor is not contiguous. All name the parameter.
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
  bool readOnly() const noexcept { return (flags_ & dlpack::kReadOnly) != 0; }
  /// Whether the producer is older than DLPack 1.0, and does not tell whether the memory is
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
};

}  // namespace nexus::python
