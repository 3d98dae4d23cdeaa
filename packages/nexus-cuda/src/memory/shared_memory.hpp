// SPDX-License-Identifier: Apache-2.0
// Memory of a device in the words by which other processes find it.
#ifndef NEXUS_CUDA_SHARED_MEMORY_HPP_
#define NEXUS_CUDA_SHARED_MEMORY_HPP_

#include "stream/exported.hpp"

namespace nexus_cuda NXS_HIDDEN {

// The description of memory that a process exports.
struct SharedMemory {
  Exported from;      // object: the buffer
  uint64_t size = 0;  // bytes
  CUipcMemHandle handle{};

  std::string text() const;
  // Throws NXS_InvalidValue.
  static SharedMemory parse(std::string_view text);
};

}  // namespace nexus_cuda

#endif  // NEXUS_CUDA_SHARED_MEMORY_HPP_
