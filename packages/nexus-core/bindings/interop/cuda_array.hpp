// SPDX-License-Identifier: Apache-2.0
//
// __cuda_array_interface__, version 3: exchange of arrays between CUDA libraries, as with DLPack.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "arrays/buffer.hpp"

namespace nexus::python {

/// The interface's description of an array.
struct CudaArray {
  std::uint64_t address = 0;
  bool readOnly = false;
  nxs_data_type dataType = NXS_DataType_Undefined;
  std::vector<std::uint64_t> shape;
  std::optional<std::uint64_t> stream;  ///< The number of the stream that its work is in.

  std::uint64_t size() const;  ///< Bytes.
};

bool hasCudaArray(py::handle object);

/// Reads it. TypeError and ValueError with the parameter's name: for a mask, strides, elements
/// without a data type, and an invalid interface.
CudaArray readCudaArray(py::handle object, const std::string &parameter);

}  // namespace nexus::python
