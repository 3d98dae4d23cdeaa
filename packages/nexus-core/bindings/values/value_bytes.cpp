// SPDX-License-Identifier: Apache-2.0
#include "values/scalar.hpp"

#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "python/errors.hpp"
#include "values/array_interface.hpp"
#include "values/dtype.hpp"

namespace nexus::python {
namespace {

struct Vector {
  nxs_data_type component;
  std::size_t count;
};

struct VectorName {
  std::string_view name;
  nxs_data_type component;
  std::uint64_t size;  // bytes of each component
};

// float4, uchar16 and so on: OpenCL C's names, some of which the portable language has.
constexpr std::array kVectorNames = {
    VectorName{"char", NXS_DataType_I8, 1},    VectorName{"uchar", NXS_DataType_U8, 1},
    VectorName{"short", NXS_DataType_I16, 2},  VectorName{"ushort", NXS_DataType_U16, 2},
    VectorName{"int", NXS_DataType_I32, 4},    VectorName{"uint", NXS_DataType_U32, 4},
    VectorName{"long", NXS_DataType_I64, 8},   VectorName{"ulong", NXS_DataType_U64, 8},
    VectorName{"half", NXS_DataType_F16, 2},   VectorName{"float", NXS_DataType_F32, 4},
    VectorName{"double", NXS_DataType_F64, 8},
};

std::size_t vectorCount(std::string_view digits) {
  constexpr std::array<std::pair<std::string_view, std::size_t>, 5> kCounts = {
      {{"2", 2}, {"3", 3}, {"4", 4}, {"8", 8}, {"16", 16}}};
  for (const auto &[text, count] : kCounts) {
    if (text == digits) return count;
  }
  return 0;
}

// Returns nothing for a type defined by the program. In OpenCL, a vector of three has the size of
// four.
std::optional<Vector> vectorOf(const Argument &argument) {
  std::string_view name = argument.type;
  if (name.starts_with("nexus_")) name.remove_prefix(6);
  const std::string_view word = name.substr(0, name.find_first_of("0123456789"));
  const std::size_t count = vectorCount(name.substr(word.size()));
  for (const VectorName &known : kVectorNames) {
    if (known.name != word || count == 0) continue;
    const bool fits =
        argument.size == known.size * count || (count == 3 && argument.size == known.size * 4);
    return fits ? std::optional<Vector>({known.component, count}) : std::nullopt;
  }
  return std::nullopt;
}

bool hasDtype(py::handle value) {
  return hasAttribute(value, "dtype") && hasAttribute(value, "tobytes");
}

// "argument 1 ('v') is of type nexus_float4 and has 16 bytes"
std::string subjectOf(const Argument &argument, const Parameter &parameter) {
  return parameter + " is of type " +
         (argument.type.empty() ? dtypeName(argument.dataType) : argument.type) + " and has " +
         counted(argument.size, "byte");
}

// "4 float32"
std::string components(const Vector &vector) {
  return std::to_string(vector.count) + " " + dtypeName(vector.component);
}

void requireSize(const Scalar &read, const Argument &argument, const Parameter &parameter,
                 const std::string &given) {
  if (argument.size != 0 && read.bytes.size() != argument.size) {  // 0: unknown
    throw py::value_error(subjectOf(argument, parameter) + ", and " +
                          counted(read.bytes.size(), "byte") + " were given, " + given + ".");
  }
}

Scalar packComponents(py::handle value, const Vector &vector, const Argument &argument,
                      const Parameter &parameter) {
  const auto given = py::reinterpret_borrow<py::sequence>(value);
  if (given.size() != vector.count) {
    throw py::value_error(subjectOf(argument, parameter) + ": it takes " + components(vector) +
                          ", and " + std::to_string(given.size()) + " were given.");
  }
  Scalar packed;
  for (std::size_t at = 0; at < vector.count; ++at) {
    const Parameter component(parameter, at);
    packed.bytes += packScalar(py::object(given[at]), vector.component, component).bytes;
  }
  packed.bytes.resize(static_cast<std::size_t>(argument.size));
  return packed;
}

// Packs a numpy array, or an object with its attributes.
Scalar packArray(py::handle value, const Argument &argument, const Parameter &parameter) {
  const std::optional<Vector> vector = vectorOf(argument);
  if (vector && !isVoidDtype(value.attr("dtype")) &&
      parseDtype(value.attr("dtype"), "the dtype of " + parameter) != vector->component) {
    throw py::type_error(
        subjectOf(argument, parameter) + ", " + components(*vector) + ", and an array of " +
        py::cast<std::string>(py::str(value.attr("dtype"))) +
        " was given: convert it with astype('" + dtypeName(vector->component) + "') first.");
  }
  const Scalar read = readValueBytes(value, parameter);
  requireSize(read, argument, parameter,
              "an array of " + py::cast<std::string>(py::str(value.attr("dtype"))));
  return read;
}

}  // namespace

bool isValueBytes(py::handle value) {
  if (PyLong_CheckExact(value.ptr()) || PyFloat_CheckExact(value.ptr())) return false;
  if (isNumpyNumber(value)) {
    return false;
  }
  if (hasDtype(value)) {
    return py::getattr(value, "shape", py::none()).equal(py::tuple()) &&
           isVoidDtype(value.attr("dtype"));
  }
  return PyObject_CheckBuffer(value.ptr()) != 0 && !isTypedScalar(value);
}

Scalar readValueBytes(py::handle value, const Parameter &parameter) {
  py::object source = py::reinterpret_borrow<py::object>(value);
  if (hasDtype(value)) {
    refuseMasked(value, parameter);
    const py::object dtype = value.attr("dtype");
    if (py::getattr(dtype, "isnative", py::none()).ptr() == Py_False) {
      throwValueError("the dtype of " + parameter, dtype,
                      "its byte order is not this machine's; convert with "
                      "array.astype(dtype.newbyteorder('='))");
    }
    source = value.attr("tobytes")();
  } else if (!py::isinstance<py::bytes>(value)) {
    source = owned(PyBytes_FromObject(value.ptr()));
  }
  Scalar scalar;
  scalar.bytes = py::cast<std::string>(source);
  return scalar;
}

Scalar packValueBytes(py::handle value, const Argument &argument, const Parameter &parameter) {
  Scalar read = readValueBytes(value, parameter);
  requireSize(read, argument, parameter, "of " + typeName(value));
  read.type = argument.dataType;
  return read;
}

Scalar packVector(py::handle value, const Argument &argument, const Parameter &parameter) {
  if (hasDtype(value) && !isTypedScalar(value)) {
    return packArray(value, argument, parameter);
  }
  if (isValueBytes(value)) {
    return packValueBytes(value, argument, parameter);
  }
  const std::optional<Vector> vector = vectorOf(argument);
  if (!vector && isTypedScalar(value)) {  // with another type name in the program
    Scalar read = readTypedScalar(value, parameter);
    requireSize(read, argument, parameter, "of " + typeName(value));
    return read;
  }
  if (vector && (py::isinstance<py::list>(value) || py::isinstance<py::tuple>(value))) {
    return packComponents(value, *vector, argument, parameter);
  }
  throwTypeError(parameter,
                 (!vector ? std::string("bytes or a numpy or ctypes scalar")
                          : "a tuple, list or array of " + components(*vector)) +
                     (argument.size == 0 ? std::string() : ", " + counted(argument.size, "byte")) +
                     " for the type " + argument.type,
                 value);
}

}  // namespace nexus::python
