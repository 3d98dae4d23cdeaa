// SPDX-License-Identifier: Apache-2.0
// The types of arguments by their names in OpenCL C.
#ifndef NEXUS_OPENCL_ARGUMENT_TYPE_HPP_
#define NEXUS_OPENCL_ARGUMENT_TYPE_HPP_

#include <nexus-api/nxs.h>
#include <cstdint>
#include <string>
#include <string_view>

namespace nexus_opencl NXS_HIDDEN {

struct ArgumentType {
  nxs_data_type data_type = NXS_DataType_Undefined;  // of the value, or of what is pointed to
  uint32_t components = 1;                           // of a vector
  uint64_t size = 0;  // bytes of the whole value; 0 where the name says nothing of it
};

// name: as clGetKernelArgInfo gives it, such as "float4*" or "nexus_int32".
ArgumentType read_argument_type(std::string_view name);

// "float *" for "float*".
std::string shown_type(std::string_view name);

}  // namespace nexus_opencl

#endif  // NEXUS_OPENCL_ARGUMENT_TYPE_HPP_
