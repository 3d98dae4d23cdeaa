// SPDX-License-Identifier: Apache-2.0
#include "value_bytes.hpp"

#include <array>
#include <optional>
#include <string_view>

#include "dtype.hpp"
#include "errors.hpp"

namespace nexus::python {
namespace {

struct Vector {
  std::string_view type;
  nxs_data_type component;
  std::size_t count;
};

constexpr std::array kVectors = {
    Vector{"nexus_float2", NXS_DataType_F32, 2}, Vector{"nexus_float4", NXS_DataType_F32, 4},
    Vector{"nexus_int2", NXS_DataType_I32, 2},   Vector{"nexus_int4", NXS_DataType_I32, 4},
    Vector{"nexus_uint2", NXS_DataType_U32, 2},  Vector{"nexus_uint4", NXS_DataType_U32, 4},
};

// nullptr for a type that is the program's own.
const Vector *vectorOf(const Argument &argument) {
  for (const Vector &vector : kVectors) {
    if (argument.type == vector.type) return &vector;
  }
  return nullptr;
}

bool hasDtype(py::handle value) {
  return hasAttribute(value, "dtype") && hasAttribute(value, "tobytes");
}

std::string bytesText(std::size_t size) {
  return std::to_string(size) + (size == 1 ? " byte" : " bytes");
}

// "argument 1 ('v') is of type nexus_float4 and has 16 bytes"
std::string subjectOf(const Argument &argument, const std::string &parameter) {
  return parameter + " is of type " +
         (argument.type.empty() ? dtypeName(argument.dataType) : argument.type) + " and has " +
         bytesText(static_cast<std::size_t>(argument.size));
}

// "4 float32"
std::string components(const Vector &vector) {
  return std::to_string(vector.count) + " " + dtypeName(vector.component);
}

void requireSize(const Scalar &read, const Argument &argument, const std::string &parameter,
                 const std::string &given) {
  if (read.bytes.size() != argument.size) {
    throw py::value_error(subjectOf(argument, parameter) + ", and " + bytesText(read.bytes.size()) +
                          " were given, " + given + ".");
  }
}

Scalar packComponents(py::handle value, const Vector &vector, const Argument &argument,
                      const std::string &parameter) {
  const auto given = py::reinterpret_borrow<py::sequence>(value);
  if (given.size() != vector.count) {
    throw py::value_error(subjectOf(argument, parameter) + ": it takes " + components(vector) +
                          ", and " + std::to_string(given.size()) + " were given.");
  }
  Scalar packed;
  for (std::size_t at = 0; at < vector.count; ++at) {
    const std::string component = parameter + "[" + std::to_string(at) + "]";
    packed.bytes += packScalar(py::object(given[at]), vector.component, component).bytes;
  }
  return packed;
}

// A numpy array, or what has its attributes.
Scalar packArray(py::handle value, const Argument &argument, const std::string &parameter) {
  const Vector *const vector = vectorOf(argument);
  if (vector != nullptr && !isVoidDtype(value.attr("dtype")) &&
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
  if (hasDtype(value)) {
    return py::getattr(value, "shape", py::none()).equal(py::tuple()) &&
           isVoidDtype(value.attr("dtype"));
  }
  return PyObject_CheckBuffer(value.ptr()) != 0 && !isTypedScalar(value);
}

Scalar readValueBytes(py::handle value, const std::string &parameter) {
  py::object source = py::reinterpret_borrow<py::object>(value);
  if (hasDtype(value)) {
    const py::object dtype = value.attr("dtype");
    if (py::getattr(dtype, "isnative", py::none()).ptr() == Py_False) {
      throwValueError("the dtype of " + parameter, dtype,
                      "its byte order is not this machine's; convert with "
                      "array.astype(dtype.newbyteorder('='))");
    }
    source = value.attr("tobytes")();
  } else if (!py::isinstance<py::bytes>(value)) {
    source = py::reinterpret_steal<py::object>(PyBytes_FromObject(value.ptr()));
    if (!source) {
      throw py::error_already_set();
    }
  }
  Scalar scalar;
  scalar.bytes = py::cast<std::string>(source);
  return scalar;
}

Scalar packValueBytes(py::handle value, const Argument &argument, const std::string &parameter) {
  Scalar read = readValueBytes(value, parameter);
  requireSize(read, argument, parameter, "of " + typeName(value));
  read.type = argument.dataType;
  return read;
}

Scalar packVector(py::handle value, const Argument &argument, const std::string &parameter) {
  if (hasDtype(value) && !isTypedScalar(value)) {
    return packArray(value, argument, parameter);
  }
  if (isValueBytes(value)) {
    return packValueBytes(value, argument, parameter);
  }
  const Vector *const vector = vectorOf(argument);
  if (vector != nullptr && (py::isinstance<py::list>(value) || py::isinstance<py::tuple>(value))) {
    return packComponents(value, *vector, argument, parameter);
  }
  throwTypeError(parameter,
                 (vector == nullptr ? std::string("bytes or a structured numpy scalar")
                                    : "a tuple, list or array of " + components(*vector)) +
                     ", " + bytesText(static_cast<std::size_t>(argument.size)) + " for the type " +
                     argument.type,
                 value);
}

}  // namespace nexus::python
