// SPDX-License-Identifier: Apache-2.0
// The form in which compiled programs are handed to the host: the driver's binary, and the
// arguments of its kernels, which the driver forgets when it loads the binary again.
//
//   8 bytes   "NEXUSOCL"
//   4 bytes   the version of this form, the lowest byte first, as all numbers
//   4 bytes   0
//   8 bytes   the size of the head
//   8 bytes   the size of the code
//   the head  texts and numbers: what the code is for, and its kernels
//   the code  the driver's binary, or the source if it gives none
//   8 bytes   a checksum of all before
#ifndef NEXUS_OPENCL_CONTAINER_HPP_
#define NEXUS_OPENCL_CONTAINER_HPP_

#include "kernel_description.hpp"

namespace nexus_opencl NXS_HIDDEN {

struct Container {
  bool is_source = false;
  std::string built_for;  // device_identity() of the device
  std::string options;    // of the build, for code that is a source
  std::vector<KernelDescription> kernels;
  std::string code;
};

bool is_container(std::string_view bytes);
std::string write_container(Container container);
// Throws NXS_InvalidBinary if the bytes were cut or changed, or are of another version.
Container read_container(std::string_view bytes);

}  // namespace nexus_opencl

#endif  // NEXUS_OPENCL_CONTAINER_HPP_
