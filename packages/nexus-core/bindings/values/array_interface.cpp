// SPDX-License-Identifier: Apache-2.0
#include "values/array_interface.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <string_view>
#include <utility>

#include "python/errors.hpp"
#include "values/dtype.hpp"
#include "values/parse.hpp"

namespace nexus::python {

ArrayInterface::ArrayInterface(py::handle object, const char *attribute, std::string parameter)
    : object_(object), attribute_(attribute), parameter_(std::move(parameter)) {
  const py::object described = object.attr(attribute);
  if (!py::isinstance<py::dict>(described)) {
    throwTypeError(std::string(attribute) + " of " + parameter_, "a dict", described);
  }
  entries_ = py::reinterpret_borrow<py::dict>(described);
}

std::string ArrayInterface::nameOf(const char *key) const {
  return std::string(attribute_) + "['" + key + "'] of " + parameter_;
}

py::object ArrayInterface::entry(const char *key) const {
  return entries_.contains(key) ? py::object(entries_[key]) : py::none();
}

py::tuple ArrayInterface::tuple(const char *key) const {
  const py::object part = entry(key);
  if (!py::isinstance<py::tuple>(part)) {
    throwTypeError(nameOf(key), "a tuple", part);
  }
  return part;
}

nxs_data_type ArrayInterface::dataType() const {
  const py::object dtype = py::getattr(object_, "dtype", py::none());
  const nxs_data_type type =
      dtype.is_none() ? fromTypestr() : parseDtype(dtype, "the dtype of " + parameter_);
  if (dataTypeBits(type) < 8) {
    throw py::type_error(
        parameter_ + " has the dtype " + dtypeName(type) +
        ", one per byte in numpy and two per byte on devices: pack it and pass the "
        "bytes.");
  }
  return type;
}

std::vector<std::uint64_t> ArrayInterface::shape() const {
  std::vector<std::uint64_t> lengths;
  for (const py::handle length : tuple("shape")) {
    lengths.push_back(parseCount(length, "a length of " + parameter_));
  }
  return lengths;
}

Strides ArrayInterface::strides(const std::vector<std::uint64_t> &shape, nxs_data_type type) const {
  if (entry("strides").is_none()) {
    return {};
  }
  const py::tuple given = tuple("strides");
  if (given.size() != shape.size()) {
    throwValueError(nameOf("strides"), given, "it needs one stride per dimension");
  }
  std::vector<std::int64_t> bytes;
  for (const py::handle each : given) {
    const Py_ssize_t stride = PyNumber_AsSsize_t(each.ptr(), PyExc_ValueError);
    if (stride == -1 && PyErr_Occurred() != nullptr) {
      throw py::error_already_set();
    }
    bytes.push_back(stride);
  }
  return readStrides(shape, std::move(bytes), dataTypeBits(type) / 8, parameter_);
}

void ArrayInterface::refuseMask() const {
  if (!entry("mask").is_none()) {
    throw py::value_error(parameter_ +
                          " has a mask, which buffers lack: pass the array without it.");
  }
}

// typestr is, for example, "<f4".
nxs_data_type ArrayInterface::fromTypestr() const {
  const py::object given = entry("typestr");
  const std::string name = nameOf("typestr");
  const std::string text = parseText(given, name);
  std::size_t bytes = 0;
  const char *const digits = text.data() + std::min<std::size_t>(text.size(), 2);
  std::from_chars(digits, text.data() + text.size(), bytes);
  // The buffer protocol's letters; integers are told apart by their size.
  const char kind = text.size() > 2 ? text[1] : ' ';
  const char *letter = kind == 'b' ? "?" : kind == 'i' ? "i" : kind == 'u' ? "I" : "";
  if (kind == 'f') {
    letter = bytes == 2 ? "e" : bytes == 4 ? "f" : bytes == 8 ? "d" : "";
  }
  if (kind == 'c') letter = bytes == 8 ? "Zf" : bytes == 16 ? "Zd" : "";
  const std::string order = text.starts_with('|') ? "" : text.substr(0, 1);
  const auto type = dtypeFromFormat((order + letter).c_str(), bytes);
  if (!type || (kind == 'b' && bytes != 1)) {
    throwValueError(name, given,
                    "there is no data type for it in this machine's byte order; see "
                    "nexus.data_type");
  }
  return *type;
}

std::string typestrOf(nxs_data_type type) {
  const char order = dataTypeBits(type) == 8                      ? '|'
                     : std::endian::native == std::endian::little ? '<'
                                                                  : '>';
  const char *const kind = dtypeKind(type);
  return kind == nullptr ? std::string() : order + std::string(kind);
}

void refuseMasked(py::handle object, const std::string &parameter) {
  if (std::string_view(Py_TYPE(object.ptr())->tp_name) == "numpy.ndarray") {
    return;  // the usual case
  }
  const py::str name("numpy.ma");
  const auto module = py::reinterpret_steal<py::object>(PyImport_GetModule(name.ptr()));
  if (module && py::isinstance(object, module.attr("MaskedArray"))) {
    throw py::type_error(parameter + " is a masked array, and its mask would be lost: pass " +
                         parameter + ".filled(value), or " + parameter +
                         ".data to ignore the mask.");
  }
  PyErr_Clear();
}

}  // namespace nexus::python
