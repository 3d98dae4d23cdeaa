// SPDX-License-Identifier: Apache-2.0
#include "values/scalar.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>

#include "python/errors.hpp"
#include "values/array_interface.hpp"
#include "values/dtype.hpp"

namespace nexus::python {
namespace {

// A binary floating-point format of at most 16 bits: a sign, an exponent, a fraction.
struct FloatFormat {
  int exponentBits;
  int fractionBits;
  bool hasInfinity;  // Else the largest exponent holds numbers too, and NaN is all ones.
};

constexpr FloatFormat kFloat16{5, 10, true};
constexpr FloatFormat kBFloat16{8, 7, true};
constexpr FloatFormat kFloat8E4M3FN{4, 3, false};
constexpr FloatFormat kFloat8E5M2{5, 2, true};

// Returns the bits of value in the format, rounded once to nearest, ties to even; nothing if it is
// finite and too large, or infinite and the format has no infinity.
std::optional<std::uint16_t> encodeFloat(double value, const FloatFormat &format) noexcept {
  const int fractionBits = format.fractionBits;
  const auto sign = static_cast<std::uint32_t>(std::signbit(value) ? 1 : 0)
                    << (format.exponentBits + fractionBits);
  const std::uint32_t fractionOnes = (1U << fractionBits) - 1;
  const std::uint32_t infinity = ((1U << format.exponentBits) - 1) << fractionBits;
  if (std::isnan(value)) {
    const std::uint32_t nan =
        format.hasInfinity ? infinity | (1U << (fractionBits - 1)) : infinity | fractionOnes;
    return static_cast<std::uint16_t>(sign | nan);
  }
  if (std::isinf(value)) {
    return format.hasInfinity ? std::optional(static_cast<std::uint16_t>(sign | infinity))
                              : std::nullopt;
  }
  const double magnitude = std::fabs(value);
  if (magnitude == 0.0) {
    return static_cast<std::uint16_t>(sign);
  }
  const int bias = (1 << (format.exponentBits - 1)) - 1;
  // The exponent of the number's unit in the last place; at the lowest one the format is subnormal.
  int exponent = 0;
  std::frexp(magnitude, &exponent);
  const int lowest = 1 - bias;
  const int power = std::max(exponent - 1, lowest);
  const double units = std::nearbyint(std::ldexp(magnitude, fractionBits - power));
  // units of a normal number includes the implicit one at 2^fractionBits; a carry out of the
  // fraction increments the exponent.
  const auto bits = static_cast<std::uint32_t>(units) +
                    (static_cast<std::uint32_t>(power - lowest) << fractionBits);
  const std::uint32_t largest = format.hasInfinity ? infinity - 1 : (infinity | fractionOnes) - 1;
  if (bits > largest) {
    return std::nullopt;
  }
  return static_cast<std::uint16_t>(sign | bits);
}

Scalar fromBytes(nxs_data_type type, const void *data, std::size_t size) {
  return {type, std::string(static_cast<const char *>(data), size)};
}

template <class Value>
Scalar toScalar(nxs_data_type type, Value value) {
  return fromBytes(type, &value, sizeof(value));
}

template <std::integral Value>
[[noreturn]] void throwOutOfRange(py::handle value, const Parameter &parameter,
                                  nxs_data_type type) {
  throwValueError(parameter, value,
                  std::string("numbers of dtype ") + dtypeName(type) + " are from " +
                      std::to_string(std::numeric_limits<Value>::min()) + " to " +
                      std::to_string(std::numeric_limits<Value>::max()));
}

template <std::integral Value>
Scalar packInteger(py::handle value, nxs_data_type type, const Parameter &parameter) {
  if (!PyLong_Check(value.ptr()) || PyBool_Check(value.ptr())) {
    throwTypeError(parameter, std::string("an int for dtype ") + dtypeName(type), value);
  }
  if constexpr (std::is_same_v<Value, std::uint64_t>) {
    const unsigned long long number = PyLong_AsUnsignedLongLong(value.ptr());
    if (PyErr_Occurred() != nullptr) {
      PyErr_Clear();
      throwOutOfRange<Value>(value, parameter, type);
    }
    return toScalar(type, static_cast<Value>(number));
  } else {
    const long long number = PyLong_AsLongLong(value.ptr());
    if (PyErr_Occurred() != nullptr || !std::in_range<Value>(number)) {
      PyErr_Clear();
      throwOutOfRange<Value>(value, parameter, type);
    }
    return toScalar(type, static_cast<Value>(number));
  }
}

double toDouble(py::handle value, nxs_data_type type, const Parameter &parameter) {
  if ((!PyFloat_Check(value.ptr()) && !PyLong_Check(value.ptr())) || PyBool_Check(value.ptr())) {
    throwTypeError(parameter, std::string("a float or an int for dtype ") + dtypeName(type), value);
  }
  const double number = PyFloat_AsDouble(value.ptr());
  if (PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    throwValueError(parameter, value, std::string("it is too large for a ") + dtypeName(type));
  }
  return number;
}

Scalar packSmallFloat(py::handle value, nxs_data_type type, const Parameter &parameter,
                      const FloatFormat &format) {
  const std::optional<std::uint16_t> bits = encodeFloat(toDouble(value, type, parameter), format);
  if (!bits) {
    throwValueError(parameter, value, std::string("it is too large for a ") + dtypeName(type));
  }
  return dataTypeBits(type) == 8 ? toScalar(type, static_cast<std::uint8_t>(*bits))
                                 : toScalar(type, *bits);
}

Scalar packFloat(py::handle value, const Parameter &parameter) {
  const double number = toDouble(value, NXS_DataType_F32, parameter);
  const auto narrow = static_cast<float>(number);
  if (std::isinf(narrow) && !std::isinf(number)) {
    throwValueError(parameter, value, "it is too large for a float32");
  }
  return toScalar(NXS_DataType_F32, narrow);
}

Scalar packComplex(py::handle value, nxs_data_type type, const Parameter &parameter) {
  if (!PyComplex_Check(value.ptr()) && !PyFloat_Check(value.ptr()) &&
      (!PyLong_Check(value.ptr()) || PyBool_Check(value.ptr()))) {
    throwTypeError(parameter, std::string("a number for dtype ") + dtypeName(type), value);
  }
  const Py_complex number = PyComplex_AsCComplex(value.ptr());
  if (PyErr_Occurred() != nullptr) {
    throw py::error_already_set();
  }
  const std::array parts{number.real, number.imag};
  if (type == NXS_DataType_C128) return toScalar(type, parts);
  const std::array narrow{static_cast<float>(parts[0]), static_cast<float>(parts[1])};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (std::isinf(narrow[i]) && !std::isinf(parts[i])) {
      throwValueError(parameter, value, "it is too large for a complex64");
    }
  }
  return toScalar(type, narrow);
}

Scalar packBool(py::handle value, const Parameter &parameter) {
  if (!PyBool_Check(value.ptr())) {
    throwTypeError(parameter, "True or False for a bool", value);
  }
  return toScalar(NXS_DataType_Bool, static_cast<std::uint8_t>(value.ptr() == Py_True ? 1 : 0));
}

// Returns numpy.number; nullptr until numpy is imported. It lives as long as the process.
PyTypeObject *numpyNumber() {
  static std::atomic<PyTypeObject *> known{nullptr};
  PyTypeObject *type = known.load(std::memory_order_acquire);
  if (type == nullptr) {
    const auto numpy =
        py::reinterpret_steal<py::object>(PyImport_GetModule(py::str("numpy").ptr()));
    const py::object number = numpy ? py::getattr(numpy, "number", py::none()) : py::none();
    if (PyType_Check(number.ptr()) != 0) {
      type = reinterpret_cast<PyTypeObject *>(py::object(number).release().ptr());
      known.store(type, std::memory_order_release);
    }
  }
  return type;
}

// Reads its bytes by the buffer protocol, since the name of its dtype takes numpy microseconds.
// Returns nothing for numbers without a data type, such as long double.
std::optional<Scalar> readNumpyNumber(py::handle value) {
  Py_buffer view;
  if (!isNumpyNumber(value)) {
    return std::nullopt;
  }
  if (PyObject_GetBuffer(value.ptr(), &view, PyBUF_FORMAT) != 0) {
    PyErr_Clear();
    return std::nullopt;
  }
  const auto size = static_cast<std::size_t>(view.len);
  const auto type = dtypeFromFormat(view.format, size);
  auto scalar = type ? std::optional(fromBytes(*type, view.buf, size)) : std::nullopt;
  PyBuffer_Release(&view);
  return scalar;
}

// Accepts numpy and ml_dtypes scalars, and arrays without dimensions.
bool isNumpyScalar(py::handle value) {
  return hasAttribute(value, "dtype") && hasAttribute(value, "tobytes") &&
         py::getattr(value, "shape", py::none()).equal(py::tuple()) &&
         !isVoidDtype(value.attr("dtype"));
}

bool isLongDouble(py::handle value) {
  const py::object dtype = py::getattr(value, "dtype", py::none());
  return py::getattr(dtype, "char", py::none()).equal(py::str("g"));
}

bool isCtypesScalar(py::handle value) {
  return PyObject_CheckBuffer(value.ptr()) != 0 && hasAttribute(value, "_type_") &&
         PyUnicode_Check(py::object(value.attr("_type_")).ptr());
}

Scalar readNumpyScalar(py::handle value, const Parameter &parameter) {
  refuseMasked(value, parameter);
  const nxs_data_type type = parseDtype(value.attr("dtype"), "the dtype of " + parameter);
  const py::bytes bytes = value.attr("tobytes")();
  const std::string_view view(bytes);
  if (view.size() * 8 != dataTypeBits(type)) {
    throwTypeError(parameter, "a scalar of 8 to 128 bits", value);
  }
  return fromBytes(type, view.data(), view.size());
}

Scalar readCtypesScalar(py::handle value, const Parameter &parameter) {
  Py_buffer view;
  if (PyObject_GetBuffer(value.ptr(), &view, PyBUF_FORMAT) != 0) {
    throw py::error_already_set();
  }
  const auto size = static_cast<std::size_t>(view.len);
  const auto type = dtypeFromFormat(view.format, size);
  Scalar scalar;
  if (type) {
    scalar = fromBytes(*type, view.buf, size);
  }
  PyBuffer_Release(&view);
  if (scalar.bytes.empty()) {
    throwTypeError(parameter, "a ctypes integer or float", value);
  }
  return scalar;
}

// Packs a Python number.
Scalar packNumber(py::handle value, nxs_data_type type, const Parameter &parameter) {
  switch (type) {
    case NXS_DataType_F32:
      return packFloat(value, parameter);
    case NXS_DataType_F64:
      return toScalar(type, toDouble(value, type, parameter));
    case NXS_DataType_F16:
      return packSmallFloat(value, type, parameter, kFloat16);
    case NXS_DataType_BF16:
      return packSmallFloat(value, type, parameter, kBFloat16);
    case NXS_DataType_F8:
      return packSmallFloat(value, type, parameter, kFloat8E4M3FN);
    case NXS_DataType_BF8:
      return packSmallFloat(value, type, parameter, kFloat8E5M2);
    case NXS_DataType_I8:
      return packInteger<std::int8_t>(value, type, parameter);
    case NXS_DataType_I16:
      return packInteger<std::int16_t>(value, type, parameter);
    case NXS_DataType_I32:
      return packInteger<std::int32_t>(value, type, parameter);
    case NXS_DataType_I64:
      return packInteger<std::int64_t>(value, type, parameter);
    case NXS_DataType_U8:
      return packInteger<std::uint8_t>(value, type, parameter);
    case NXS_DataType_U16:
      return packInteger<std::uint16_t>(value, type, parameter);
    case NXS_DataType_U32:
      return packInteger<std::uint32_t>(value, type, parameter);
    case NXS_DataType_U64:
      return packInteger<std::uint64_t>(value, type, parameter);
    case NXS_DataType_Bool:
      return packBool(value, parameter);
    case NXS_DataType_C64:
    case NXS_DataType_C128:
      return packComplex(value, type, parameter);
    default:
      throw py::type_error(parameter + ": a scalar can't be of the data type " + dtypeName(type) +
                           "; pass it in a buffer.");
  }
}

}  // namespace

bool isNumpyNumber(py::handle value) {
  PyTypeObject *const number = numpyNumber();
  return number != nullptr && PyType_IsSubtype(Py_TYPE(value.ptr()), number) != 0;
}

bool isTypedScalar(py::handle value) {
  return !PyLong_CheckExact(value.ptr()) && !PyFloat_CheckExact(value.ptr()) &&
         (isNumpyNumber(value) || isNumpyScalar(value) || isCtypesScalar(value));
}

Scalar readTypedScalar(py::handle value, const Parameter &parameter) {
  if (std::optional<Scalar> number = readNumpyNumber(value)) {
    return std::move(*number);
  }
  if (isNumpyScalar(value)) {
    return readNumpyScalar(value, parameter);
  }
  if (isCtypesScalar(value)) {
    return readCtypesScalar(value, parameter);
  }
  throwTypeError(parameter, "a numpy or ctypes scalar", value);
}

Scalar packScalar(py::handle value, nxs_data_type type, const Parameter &parameter) {
  if (isTypedScalar(value)) {
    const std::optional<Scalar> number = readNumpyNumber(value);
    if (!number && isLongDouble(value)) {  // its item() is itself
      return packNumber(py::float_(py::reinterpret_borrow<py::object>(value)), type, parameter);
    }
    const Scalar scalar = number ? *number : readTypedScalar(value, parameter);
    if (scalar.type == type) {
      return scalar;
    }
    if (isNumpyNumber(value) ||
        isNumpyScalar(value)) {  // as a Python number, such as the result of array.mean()
      return packNumber(value.attr("item")(), type, parameter);
    }
    throwTypeError(
        parameter,
        std::string("of dtype ") + dtypeName(type) + " (or a plain Python or numpy number)", value);
  }
  return packNumber(value, type, parameter);
}

}  // namespace nexus::python
