// SPDX-License-Identifier: Apache-2.0
#include "execution/argument.hpp"

namespace nexus::core {

Argument Argument::ofBuffer(const Buffer &buffer, Device &device) {
  Argument argument;
  argument.kind = NXS_ArgumentKind_Buffer;
  argument.data_type = buffer.layout().data_type;
  argument.read_only = buffer.readOnly();
  argument.memory = buffer.memory();
  argument.buffer = argument.memory->on(device, "buffer", "command");
  // Plug-ins get no empty range, so an empty buffer is passed as the first byte of its memory.
  const bool empty = buffer.size() == 0;
  argument.offset = empty ? 0 : buffer.offset();
  argument.size = empty ? 1 : buffer.size();
  argument.given = true;
  return argument;
}

Argument Argument::ofScalar(const void *data, uint64_t size, nxs_data_type data_type) {
  Argument argument;
  argument.kind = NXS_ArgumentKind_Scalar;
  argument.data_type = data_type;
  argument.size = size;
  const auto *bytes = static_cast<const unsigned char *>(data);
  argument.data.assign(bytes, bytes + size);
  argument.given = true;
  return argument;
}

Argument Argument::ofLocalMemory(uint64_t size) {
  Argument argument;
  argument.kind = NXS_ArgumentKind_LocalMemory;
  argument.size = size;
  argument.given = true;
  return argument;
}

nxs_argument Argument::native() const noexcept {
  nxs_argument native{};
  native.struct_size = sizeof(native);
  native.kind = kind;
  native.data_type = data_type;
  native.buffer = buffer;
  native.offset = offset;
  native.data = kind == NXS_ArgumentKind_Scalar ? data.data() : nullptr;
  native.size = size;
  return native;
}

}  // namespace nexus::core
