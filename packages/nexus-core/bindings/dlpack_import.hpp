// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "dlpack.hpp"

namespace nexus::python {

/// Whether the object hands out its memory by DLPack.
bool hasDlpack(py::handle object);

/// A tensor in host memory, C-contiguous, that its producer gave us by DLPack. The destructor
/// gives it back, and needs the GIL.
class ImportedTensor {
 public:
  enum class Copies { Allowed, Refused };

  /// Asks the producer, which first orders its own work. TypeError for what has no DLPack,
  /// BufferError for another device's memory, TypeError for elements that we have no data type
  /// for, ValueError where the tensor is not contiguous. All name the parameter.
  ImportedTensor(py::handle producer, Copies copies, const std::string &parameter);
  ImportedTensor(const ImportedTensor &) = delete;
  ImportedTensor &operator=(const ImportedTensor &) = delete;
  ~ImportedTensor();

  void *data() const noexcept { return data_; }
  std::uint64_t size() const noexcept { return size_; }  ///< Bytes.
  nxs_data_type dataType() const noexcept { return type_; }
  const std::vector<std::uint64_t> &shape() const noexcept { return shape_; }
  bool readOnly() const noexcept { return (flags_ & dlpack::kReadOnly) != 0; }
  bool isCopy() const noexcept { return (flags_ & dlpack::kIsCopied) != 0; }

  ImportedTensor *next = nullptr;  ///< giveBack's.

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
  void read(const dlpack::Tensor &tensor, const std::string &parameter);

  Taken taken_;
  void *data_ = nullptr;
  std::uint64_t size_ = 0;
  std::uint64_t flags_ = 0;
  nxs_data_type type_ = NXS_DataType_Undefined;
  std::vector<std::uint64_t> shape_;
};

/// Deletes a tensor: at once with the GIL held, else on Python's main thread, soon. Any thread.
/// Once the interpreter ends, never.
void giveBack(ImportedTensor *tensor) noexcept;

/// Gives back what other threads left. Needs the GIL.
void giveBackPending() noexcept;

}  // namespace nexus::python
