// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nexus/kernel.hpp>
#include <string>

#include "bindings.hpp"
#include "scalar.hpp"

namespace nexus::python {

/// Returns whether the object is bytes without a number's meaning: bytes, bytearray, memoryview, a
/// ctypes structure or array, a numpy.void (a structured scalar).
bool isValueBytes(py::handle value);

/// The bytes of such an object, of no data type. ValueError for a foreign byte order.
Scalar readValueBytes(py::handle value, const Parameter &parameter);

/// Such an object as the value of a kernel's argument, whose size it has to have. ValueError where
/// it has another.
Scalar packValueBytes(py::handle value, const Argument &argument, const Parameter &parameter);

/// The value of an argument that is no number, a vector or a struct: bytes or a numpy array of
/// exactly its size, and for a vector of the language also a list or tuple of its components.
/// TypeError for others, and for an array of another dtype; ValueError for another size.
Scalar packVector(py::handle value, const Argument &argument, const Parameter &parameter);

}  // namespace nexus::python
