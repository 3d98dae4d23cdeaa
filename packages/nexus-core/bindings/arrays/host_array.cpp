// SPDX-License-Identifier: Apache-2.0
#include "arrays/host_array.hpp"

#include <optional>

#include "python/errors.hpp"
#include "python/gil.hpp"
#include "types/object.hpp"
#include "values/array_interface.hpp"
#include "values/dtype.hpp"
#include "values/parse.hpp"

namespace nexus::python {
namespace {

constexpr const char *kWantedArray =
    "an array: numpy, or anything with the buffer protocol, __array_interface__, DLPack or "
    "__array__";

[[noreturn]] void throwNotContiguous(const std::string &parameter) {
  throw py::value_error(parameter +
                        " is not C-contiguous: pass numpy.ascontiguousarray(...) of it.");
}

[[noreturn]] void throwReadOnly(const std::string &parameter) {
  throw py::value_error(parameter + " is read-only: pass an array that can be written.");
}

[[noreturn]] void throwNoDataType(py::handle object, const char *format, std::size_t itemsize,
                                  const std::string &parameter) {
  const std::string letters = format == nullptr ? "" : format;
  const py::object dtype = py::getattr(object, "dtype", py::none());
  std::string text =
      parameter + (dtype.is_none() ? " has elements of the format '" + letters + "'"
                                   : " has the dtype " + std::string(py::str(dtype)));
  if (letters.size() >= 2 && dtypeFromFormat(letters.c_str() + 1, itemsize)) {
    text += ", which is not in this machine's byte order: pass " + parameter + ".astype(" +
            parameter + ".dtype.newbyteorder('=')).";
  } else {
    text += ", for which there is no data type; see nexus.data_type.";
  }
  throw py::type_error(text);
}

py::object toNumpy(py::handle object) {
  return py::module_::import("numpy").attr("asarray")(object);
}

// Returns numpy's array of an object that is not an array itself. It shares the memory of other
// libraries' tensors in host memory.
py::object toNumpy(py::handle object, const std::string &parameter, const std::string &wanted) {
  if (PyType_Check(object.ptr()) != 0 || !hasAttribute(object, "__array__")) {
    throwTypeError(parameter, wanted, object);
  }
  return toNumpy(object);
}

}  // namespace

HostArray::HostArray(py::handle object, Access access, const std::string &parameter,
                     const std::string &wanted, Order order) {
  refuseMasked(object, parameter);
  if (!fromBufferProtocol(object, access, parameter) &&
      !fromArrayInterface(object, access, parameter) && !fromDlpack(object, access, parameter)) {
    const py::object array = toNumpy(object, parameter, wanted + kWantedArray);
    if (!fromBufferProtocol(array, access, parameter) &&
        !fromArrayInterface(array, access, parameter)) {
      throwTypeError(parameter, kWantedArray, object);
    }
  }
  if (order == Order::C && !contiguous()) {
    throwNotContiguous(parameter);
  }
}

Buffer HostArray::view() const {
  auto desc = nexus::detail::sized<nexus_buffer_desc>();
  desc.size = strides_.extent;
  desc.settings = NXS_BufferSettings_Maintain;
  desc.host_data = static_cast<std::byte *>(data_) - strides_.first;
  const auto range = nexus::detail::result<Buffer>(nexus_create_system_buffer, &desc);
  return viewIn(range, type_, shape_, strides_);
}

HostArray::View::~View() {
  if (obj != nullptr) {
    PyBuffer_Release(this);
  }
}

bool HostArray::fromBufferProtocol(py::handle object, Access access, const std::string &parameter) {
  if (PyObject_CheckBuffer(object.ptr()) == 0) {
    return false;
  }
  if (PyObject_GetBuffer(object.ptr(), &view_, PyBUF_STRIDES | PyBUF_FORMAT) != 0) {
    view_.obj = nullptr;
    if (PyErr_ExceptionMatches(PyExc_Exception) == 0) {
      throw py::error_already_set();  // KeyboardInterrupt
    }
    py::error_already_set error;
    if (!hasAttribute(object, "__array_interface__") && !hasDlpack(object)) {
      throw error;
    }
    return false;  // no format, as for ml_dtypes' types; the other ways work for them
  }
  if (access == Access::Write && view_.readonly != 0) {
    throwReadOnly(parameter);
  }
  const auto itemsize = static_cast<std::size_t>(view_.itemsize);
  auto type = dtypeFromFormat(view_.format, itemsize);
  if (!type && view_.format != nullptr && view_.format[0] == 'T') {  // a struct's
    const py::object dtype =
        hasAttribute(object, "dtype") ? object.attr("dtype") : toNumpy(object).attr("dtype");
    if (isRecordDtype(dtype)) type = parseDtype(dtype, "the dtype of " + parameter);
  }
  if (!type) {
    throwNoDataType(object, view_.format, itemsize, parameter);
  }
  const bool plainBytes = *type == NXS_DataType_U8 && !hasAttribute(object, "dtype");
  type_ = plainBytes ? NXS_DataType_Undefined : *type;
  data_ = view_.buf;
  size_ = static_cast<std::uint64_t>(view_.len);
  for (int dimension = 0; dimension < view_.ndim; ++dimension) {
    shape_.push_back(static_cast<std::uint64_t>(view_.shape[dimension]));
  }
  if (PyBuffer_IsContiguous(&view_, 'C') == 0) {
    strides_ =
        readStrides(shape_, {view_.strides, view_.strides + view_.ndim}, itemsize, parameter);
  }
  return true;
}

bool HostArray::fromArrayInterface(py::handle object, Access access, const std::string &parameter) {
  if (PyType_Check(object.ptr()) != 0 || !hasAttribute(object, "__array_interface__")) {
    return false;
  }
  const ArrayInterface interface(object, "__array_interface__", parameter);
  const py::object data = interface.entry("data");
  if (!py::isinstance<py::tuple>(data)) {
    return false;
  }
  interface.refuseMask();
  const py::tuple pointer(data);
  if (pointer.size() != 2) {
    throwTypeError(interface.nameOf("data"), "an address and a bool", data);
  }
  const std::uint64_t address = parseCount(pointer[0], "the address of " + parameter);
  if (access == Access::Write && PyObject_IsTrue(py::object(pointer[1]).ptr()) != 0) {
    throwReadOnly(parameter);
  }
  type_ = interface.dataType();
  shape_ = interface.shape();
  strides_ = interface.strides(shape_, type_);
  const auto count = countElements(shape_);
  if (!count) {
    throw py::value_error(parameter + " has a shape of more elements than any memory holds.");
  }
  size_ = dtypeBytes(type_, *count);
  if (address == 0 && size_ != 0) {
    throwValueError(interface.nameOf("data"), data, "the address of an array with elements is 0");
  }
  owner_ = py::reinterpret_borrow<py::object>(object);
  data_ = reinterpret_cast<void *>(static_cast<std::uintptr_t>(address));
  return true;
}

bool HostArray::fromDlpack(py::handle object, Access access, const std::string &parameter) {
  if (PyType_Check(object.ptr()) != 0 || !hasDlpack(object)) {
    return false;
  }
  const auto copies =
      access == Access::Write ? ImportedTensor::Copies::Refused : ImportedTensor::Copies::Allowed;
  tensor_ = std::make_unique<ImportedTensor>(object, copies, parameter);
  if (access == Access::Write && (tensor_->readOnly() || tensor_->isCopy())) {
    throwReadOnly(parameter);
  }
  type_ = tensor_->dataType();
  shape_ = tensor_->shape();
  size_ = tensor_->size();
  data_ = tensor_->data();
  strides_ = tensor_->strides();
  return true;
}

}  // namespace nexus::python
