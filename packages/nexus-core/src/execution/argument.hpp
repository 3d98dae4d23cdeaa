// SPDX-License-Identifier: Apache-2.0
//
// The arguments of a kernel command.
#pragma once

#include <nexus-api/nxs.h>

#include <cstdint>
#include <vector>

#include "base/ref.hpp"
#include "checks/argument.hpp"
#include "memory/buffer.hpp"
#include "memory/memory.hpp"

namespace nexus::core {

/// The value of an argument.
struct Argument {
  nxs_argument_kind kind = NXS_ArgumentKind_Buffer;
  nxs_data_type data_type = NXS_DataType_Undefined;
  bool read_only = false;           // of a buffer
  Ref<Memory> memory;               // of a buffer; kept alive
  nxs_id buffer = 0;                // the plug-in's id of the buffer on the command's device
  uint64_t offset = 0;              // of a buffer: bytes from the start of its memory
  uint64_t size = 0;                // bytes
  std::vector<unsigned char> data;  // of a scalar
  bool given = false;

  /// Makes an argument of a command on device. Throws what Memory::on throws.
  static Argument ofBuffer(const Buffer &buffer, Device &device);
  static Argument ofScalar(const void *data, uint64_t size, nxs_data_type data_type);
  static Argument ofLocalMemory(uint64_t size);

  /// Returns the form for the plug-in, which points into this.
  nxs_argument native() const noexcept;
};

}  // namespace nexus::core
