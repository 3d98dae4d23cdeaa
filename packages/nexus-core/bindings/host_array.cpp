// SPDX-License-Identifier: Apache-2.0
#include "host_array.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

#include "dtype.hpp"
#include "errors.hpp"
#include "launch.hpp"
#include "text.hpp"

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

// What numpy makes of an object that is no array itself. Other libraries' tensors share their
// memory with the array where they lie in host memory.
py::object toNumpy(py::handle object, const std::string &parameter) {
  if (PyType_Check(object.ptr()) != 0 || !hasAttribute(object, "__array__")) {
    throwTypeError(parameter, kWantedArray, object);
  }
  return py::module_::import("numpy").attr("asarray")(object);
}

// A tuple of the array interface.
py::tuple tupleOf(const py::dict &interface, const char *key, const std::string &parameter) {
  const py::object part = interface.contains(key) ? py::object(interface[key]) : py::none();
  if (!py::isinstance<py::tuple>(part)) {
    throwTypeError("__array_interface__['" + std::string(key) + "'] of " + parameter, "a tuple",
                   part);
  }
  return part;
}

// The data type that the interface's typestr names, such as "<f4".
nxs_data_type typeOf(const py::dict &interface, const std::string &parameter) {
  const py::object given =
      interface.contains("typestr") ? py::object(interface["typestr"]) : py::none();
  const std::string name = "__array_interface__['typestr'] of " + parameter;
  const std::string text = parseText(given, name);
  std::size_t bytes = 0;
  const char *const digits = text.data() + std::min<std::size_t>(text.size(), 2);
  std::from_chars(digits, text.data() + text.size(), bytes);
  // The buffer protocol's letters; those of integers go by their bytes.
  const char kind = text.size() > 2 ? text[1] : ' ';
  const char *letter = kind == 'b' ? "?" : kind == 'i' ? "i" : kind == 'u' ? "I" : "";
  if (kind == 'f') {
    letter = bytes == 2 ? "e" : bytes == 4 ? "f" : bytes == 8 ? "d" : "";
  }
  const std::string order = text.starts_with('|') ? "" : text.substr(0, 1);
  const auto type = dtypeFromFormat((order + letter).c_str(), bytes);
  if (!type || (kind == 'b' && bytes != 1)) {
    throwValueError(name, given,
                    "there is no data type for it in this machine's byte order; see "
                    "nexus.data_type");
  }
  return *type;
}

}  // namespace

HostArray::HostArray(py::handle object, Access access, const std::string &parameter) {
  if (fromBufferProtocol(object, access, parameter) ||
      fromArrayInterface(object, access, parameter) || fromDlpack(object, access, parameter)) {
    return;
  }
  const py::object array = toNumpy(object, parameter);
  if (!fromBufferProtocol(array, access, parameter) &&
      !fromArrayInterface(array, access, parameter)) {
    throwTypeError(parameter, kWantedArray, object);
  }
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
    return false;  // there is no format for ml_dtypes' types; what is tried next serves them
  }
  if (PyBuffer_IsContiguous(&view_, 'C') == 0) {
    throwNotContiguous(parameter);
  }
  if (access == Access::Write && view_.readonly != 0) {
    throwReadOnly(parameter);
  }
  const auto itemsize = static_cast<std::size_t>(view_.itemsize);
  const auto type = dtypeFromFormat(view_.format, itemsize);
  if (!type) {
    throw py::type_error(parameter + " has elements of the format '" +
                         (view_.format == nullptr ? "" : view_.format) +
                         "', for which there is no data type in this machine's byte order; see "
                         "nexus.data_type.");
  }
  const bool plainBytes = *type == NXS_DataType_U8 && !hasAttribute(object, "dtype");
  type_ = plainBytes ? NXS_DataType_Undefined : *type;
  data_ = view_.buf;
  size_ = static_cast<std::uint64_t>(view_.len);
  for (int dimension = 0; dimension < view_.ndim; ++dimension) {
    shape_.push_back(static_cast<std::uint64_t>(view_.shape[dimension]));
  }
  return true;
}

bool HostArray::fromArrayInterface(py::handle object, Access access, const std::string &parameter) {
  if (PyType_Check(object.ptr()) != 0 || !hasAttribute(object, "__array_interface__")) {
    return false;
  }
  const py::object described = object.attr("__array_interface__");
  if (!py::isinstance<py::dict>(described)) {
    throwTypeError("__array_interface__ of " + parameter, "a dict", described);
  }
  const auto interface = py::reinterpret_borrow<py::dict>(described);
  const py::object data = interface.contains("data") ? py::object(interface["data"]) : py::none();
  if (!py::isinstance<py::tuple>(data)) {
    return false;
  }
  const py::object strides =
      interface.contains("strides") ? py::object(interface["strides"]) : py::none();
  if (!strides.is_none()) {
    throwNotContiguous(parameter);
  }
  const py::tuple pointer(data);
  if (pointer.size() != 2) {
    throwTypeError("__array_interface__['data'] of " + parameter, "an address and a bool", data);
  }
  const std::uint64_t address = parseCount(pointer[0], "the address of " + parameter);
  if (access == Access::Write && PyObject_IsTrue(py::object(pointer[1]).ptr()) != 0) {
    throwReadOnly(parameter);
  }
  const py::object dtype = py::getattr(object, "dtype", py::none());
  type_ = dtype.is_none() ? typeOf(interface, parameter)
                          : parseDtype(dtype, "the dtype of " + parameter);
  if (dataTypeBits(type_) < 8) {
    throw py::type_error(parameter + " has the dtype " + dtypeName(type_) +
                         ", which numpy holds one a byte and devices two a byte: pack it, and pass "
                         "the bytes.");
  }
  std::uint64_t count = 1;
  for (const py::handle length : tupleOf(interface, "shape", parameter)) {
    shape_.push_back(parseCount(length, "a length of " + parameter));
    count *= shape_.back();
  }
  size_ = dtypeBytes(type_, count);
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
  return true;
}

}  // namespace nexus::python
