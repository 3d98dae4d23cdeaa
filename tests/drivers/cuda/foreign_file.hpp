// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_SIMULATED_CUDA_FOREIGN_FILE_HPP_
#define NEXUS_SIMULATED_CUDA_FOREIGN_FILE_HPP_

#include "types.hpp"

#include <fcntl.h>
#include <cstdint>
#include <string>

namespace simulated_cuda {

// A part of a file of another process, as handles between processes hold it. Fits into their 64
// bytes.
struct ForeignFile {
  uint32_t kind;
  int32_t process;
  int32_t file;
  int32_t device;
  uint64_t offset;
  uint64_t size;

  // A file of this process, or -1.
  int open() const {
    const std::string path = "/proc/" + std::to_string(process) + "/fd/" + std::to_string(file);
    return ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  }
};
static_assert(sizeof(ForeignFile) <= 64);

struct Call;

// Maps that part of an open file of another process, as memory of the call's context.
CUdeviceptr map_foreign(int file, const ForeignFile &place, Call &call);

}  // namespace simulated_cuda

#endif  // NEXUS_SIMULATED_CUDA_FOREIGN_FILE_HPP_
