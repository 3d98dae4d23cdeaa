// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "dlpack.hpp"
#include "give_back.hpp"

namespace nexus::python {

/// Returns whether the object hands out its memory by DLPack.
bool hasDlpack(py::handle object);

/// Where the memory of an object lies, by its __dlpack_device__.
dlpack::Device dlpackDeviceOf(py::handle producer, const std::string &parameter);

/// A tensor, C-contiguous, that its producer gave us by DLPack. The destructor gives it back, and
/// needs the GIL.
class ImportedTensor final : public Kept {
 public:
  enum class Copies { Allowed, Refused };

  /// Asks the producer, which first orders its own work. TypeError for what has no DLPack,
  /// BufferError for another device's memory, TypeError for elements that we have no data type
  /// for, ValueError where the tensor is not contiguous. All name the parameter.
  ImportedTensor(py::handle producer, Copies copies, const std::string &parameter);
  /// The same of memory at place, a device's. stream is the number that the producer is told, whose
  /// work it orders before what is given to that stream; nothing: it is told none.
  ImportedTensor(py::handle producer, Copies copies, const std::string &parameter,
                 dlpack::Device place, std::optional<std::uint64_t> stream);
  ~ImportedTensor() override;

  /// Of host memory: where the elements begin.
  void *data() const noexcept { return static_cast<std::byte *>(data_) + offset_; }
  /// Of a device's memory: DLPack's data pointer, and where the elements begin from there.
  void *handle() const noexcept { return data_; }
  std::uint64_t offset() const noexcept { return offset_; }  ///< Bytes.
  std::uint64_t size() const noexcept { return size_; }      ///< Bytes.
  nxs_data_type dataType() const noexcept { return type_; }
  const std::vector<std::uint64_t> &shape() const noexcept { return shape_; }
  bool readOnly() const noexcept { return (flags_ & dlpack::kReadOnly) != 0; }
  /// From before DLPack 1.0: nobody says whether the memory may be written.
  bool isLegacy() const noexcept { return taken_.managed != nullptr; }
  bool isCopy() const noexcept { return (flags_ & dlpack::kIsCopied) != 0; }

 private:
  /// Ends a tensor; its producer's.
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
