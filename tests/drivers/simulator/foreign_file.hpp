// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_SIMULATOR_FOREIGN_FILE_HPP_
#define NEXUS_SIMULATOR_FOREIGN_FILE_HPP_

#include "failure.hpp"

#include <fcntl.h>
#include <cstdint>
#include <cstring>
#include <string>

namespace simulator {

// A part of another process' file, in 64 bytes: the contents of handles between processes.
struct ForeignFile {
  enum Kind : uint32_t { kMemory = 0x4d454d48, kEvent = 0x45564e54 };

  Kind kind;
  int32_t process;
  int32_t file;
  uint64_t offset;
  uint64_t size;

  template <class Shared>
  Shared to_handle() const {
    static_assert(sizeof(*this) <= sizeof(Shared));
    Shared handle{};
    std::memcpy(&handle, this, sizeof(*this));
    return handle;
  }

  // Throws where that is not a handle of the kind.
  template <class Shared>
  static ForeignFile from_handle(const Shared &handle, Kind kind) {
    ForeignFile read;
    std::memcpy(&read, &handle, sizeof(read));
    require(read.kind == kind);
    return read;
  }

  // A file of this process; throws where the other has none.
  int open() const {
    const std::string path = "/proc/" + std::to_string(process) + "/fd/" + std::to_string(file);
    const int opened = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
    require(opened >= 0);
    return opened;
  }
};

}  // namespace simulator

#endif  // NEXUS_SIMULATOR_FOREIGN_FILE_HPP_
