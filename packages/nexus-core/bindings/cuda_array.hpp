// SPDX-License-Identifier: Apache-2.0
//
// __cuda_array_interface__, version 3: how CUDA libraries hand each other arrays beside DLPack.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "buffer.hpp"

namespace nexus::python {

/// An array as the interface describes it.
struct CudaArray {
  std::uint64_t address = 0;
  bool readOnly = false;
  nxs_data_type dataType = NXS_DataType_Undefined;
  std::vector<std::uint64_t> shape;
  std::optional<std::uint64_t> stream;  ///< The number of the stream that its work is in.

  std::uint64_t size() const;  ///< Bytes.
};

/// Returns whether the object has the interface.
bool hasCudaArray(py::handle object);

/// What it says. TypeError and ValueError name the parameter: for a mask, strides, elements that
/// there is no data type for, and what is no interface.
CudaArray readCudaArray(py::handle object, const std::string &parameter);

}  // namespace nexus::python
