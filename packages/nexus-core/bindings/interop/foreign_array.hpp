// SPDX-License-Identifier: Apache-2.0
//
// Arrays in a device's memory: CuPy's, torch's, numba's.
#pragma once

#include <string>

#include "arrays/buffer.hpp"

namespace nexus::python {

/// Returns whether an object is an array in a device's memory, by DLPack or by
/// __cuda_array_interface__.
bool isForeignArray(py::handle object, const std::string &parameter);

struct ForeignUse {
  nexus::Device device;  ///< The device that is to use it; empty: the one that it lies on.
  Stream stream;         ///< What is to come after its library's work; empty: all, the host waits.
  bool legacy = true;    ///< An array that can't say whether it is read-only is taken for writable.
  bool shares = true;    ///< A copy that its library made is refused.
};

/// Makes a buffer over the memory of an array for which isForeignArray is true, and keeps the
/// array. Errors name the parameter.
BufferObject overForeignArray(py::handle object, const ForeignUse &use,
                              const std::string &parameter);

/// ValueError for an array that does not tell whether it is read-only.
[[noreturn]] void throwLegacy(const std::string &parameter);

}  // namespace nexus::python
