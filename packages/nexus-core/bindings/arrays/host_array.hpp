// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nexus/buffer.hpp>

#include <memory>
#include <string>
#include <vector>

#include "arrays/dlpack.hpp"
#include "python/bindings.hpp"
#include "values/strides.hpp"

namespace nexus::python {

/// The memory of a Python object, with its data type, shape and strides. The destructor releases it
/// and needs the GIL.
class HostArray {
 public:
  enum class Access { Read, Write };
  enum class Order { C, Any };

  /// Accepts numpy arrays, objects with the buffer protocol, an array interface or DLPack (torch,
  /// jax), and objects that numpy converts to an array without a copy. Untyped memory, such as
  /// bytes and bytearray, has NXS_DataType_Undefined.
  ///
  /// TypeError for objects without memory, such as lists; ValueError if the memory is not
  /// C-contiguous, unless order is Any, or is read-only for Access::Write. Both name the parameter;
  /// wanted says what it has to be, if that is not an array alone.
  HostArray(py::handle object, Access access, const std::string &parameter,
            const std::string &wanted = {}, Order order = Order::C);
  HostArray(const HostArray &) = delete;
  HostArray &operator=(const HostArray &) = delete;

  /// The address of the element at index 0.
  void *data() const noexcept { return data_; }
  std::uint64_t size() const noexcept { return size_; }  ///< Bytes of the elements.
  nxs_data_type dataType() const noexcept { return type_; }
  const std::vector<std::uint64_t> &shape() const noexcept { return shape_; }
  bool contiguous() const noexcept { return strides_.contiguous(); }
  /// Returns an array that is not contiguous as a system buffer over its memory, which must not
  /// outlive this.
  Buffer view() const;

 private:
  bool fromBufferProtocol(py::handle object, Access access, const std::string &parameter);
  bool fromArrayInterface(py::handle object, Access access, const std::string &parameter);

  bool fromDlpack(py::handle object, Access access, const std::string &parameter);

  /// A member, so that it is released if the constructor throws.
  struct View : Py_buffer {
    View() noexcept : Py_buffer{} {}
    ~View();
    View(const View &) = delete;
    View &operator=(const View &) = delete;
  };

  View view_;
  std::unique_ptr<ImportedTensor> tensor_;
  py::object owner_;
  void *data_ = nullptr;
  std::uint64_t size_ = 0;
  nxs_data_type type_ = NXS_DataType_Undefined;
  std::vector<std::uint64_t> shape_;
  Strides strides_;
};

}  // namespace nexus::python
