// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "python/bindings.hpp"
#include "values/parse.hpp"

namespace nexus::python {

/// One number in the bytes of its data type; or the bytes of a vector or struct, without a data
/// type.
struct Scalar {
  nxs_data_type type = NXS_DataType_Undefined;
  std::string bytes;  ///< A number's need no memory of their own.
};

/// Returns whether the object is a number of numpy itself, by its type alone: the usual typed
/// scalar.
bool isNumpyNumber(py::handle value);

/// Returns whether the object has its own width: a numpy, ml_dtypes or ctypes number.
bool isTypedScalar(py::handle value);

/// Returns the bytes of a typed scalar. TypeError if it is none, or has no data type.
Scalar readTypedScalar(py::handle value, const Parameter &parameter);

/// Returns a Python number or a typed scalar in the bytes of type: integers exactly and
/// range-checked, floating-point numbers rounded to nearest, ties to even. A typed scalar must have
/// that type. ValueError if the number does not fit, TypeError if it is not a number.
Scalar packScalar(py::handle value, nxs_data_type type, const Parameter &parameter);

/// Returns whether the object is untyped bytes: bytes, bytearray, memoryview, a ctypes structure or
/// array, a numpy.void (a structured scalar).
bool isValueBytes(py::handle value);

/// Returns the bytes of such an object, without a data type. ValueError for a foreign byte order.
Scalar readValueBytes(py::handle value, const Parameter &parameter);

/// Returns such an object as the value of a kernel's argument. ValueError if it has another size.
Scalar packValueBytes(py::handle value, const Argument &argument, const Parameter &parameter);

/// Returns the value of an argument that is not a number, but a vector or a struct: bytes or a
/// numpy array of exactly its size, and for a vector of the language also a list or tuple of its
/// components. TypeError for others, and for an array of another dtype; ValueError for another
/// size.
Scalar packVector(py::handle value, const Argument &argument, const Parameter &parameter);

}  // namespace nexus::python
