// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nexus/kernel.hpp>
#include <string>

#include "python/bindings.hpp"
#include "values/scalar.hpp"

namespace nexus::python {

/// Returns whether the object is untyped bytes: bytes, bytearray, memoryview, a ctypes structure or
/// array, a numpy.void (a structured scalar).
bool isValueBytes(py::handle value);

/// Returns the bytes of such an object, without a data type. ValueError for a foreign byte order.
Scalar readValueBytes(py::handle value, const Parameter &parameter);

/// Returns such an object as the value of a kernel's argument. ValueError if it has another size.
Scalar packValueBytes(py::handle value, const Argument &argument, const Parameter &parameter);

/// Returns the value of an argument that is no number, but a vector or a struct: bytes or a numpy
/// array of exactly its size, and for a vector of the language also a list or tuple of its
/// components. TypeError for others, and for an array of another dtype; ValueError for another
/// size.
Scalar packVector(py::handle value, const Argument &argument, const Parameter &parameter);

}  // namespace nexus::python
