// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_METAL_BUFFER_HPP_
#define NEXUS_METAL_BUFFER_HPP_

#include "device/device.hpp"
#include "stream/commands.hpp"

#include <nexus-plugin/memory/buffer.hpp>

namespace nexus_metal NXS_HIDDEN {

// Memory of a device. Command buffers keep it while work that uses it is not done.
class Buffer {
 public:
  // As nxsCreateBuffer. device outlives this.
  Buffer(const Device &device, uint64_t size, nxs_buffer_settings settings, void *host_ptr);
  // As nxsCreateBufferFromHandle. memory is an MTLBuffer, which Metal can't check.
  Buffer(const Device &device, id memory, uint64_t offset, uint64_t size);

  const Device &device() const noexcept { return *device_; }
  uint64_t size() const noexcept { return size_; }
  Place at(uint64_t offset) const noexcept { return {memory_.get(), begin_ + offset}; }
  int64_t handle() const noexcept { return handle_of(memory_.get()); }
  // DLPack's name of the place: the host for memory that it sees, else Metal and the device.
  std::vector<int64_t> dlpack_device() const;

  // Returns the address of a byte for the host. Throws NXS_NotSupported for private memory.
  void *map(uint64_t offset);
  // Throws NXS_InvalidValue if pointer is not a mapping.
  void unmap(const void *pointer) { mappings_.remove(pointer, contents_, size_); }

 private:
  const Device *device_;
  uint64_t size_;
  Owned memory_;
  uint64_t begin_ = 0;   // bytes of memory_ before it
  std::byte *contents_;  // for the host; NULL: memory of the device's
  MappingCount mappings_;
};

// Returns shared memory with a copy of the bytes. Under a Pool.
Owned staged(const Device &device, const void *bytes, uint64_t size);

extern constinit HandleTable<Buffer, NXS_ObjectType_Buffer> buffers;

}  // namespace nexus_metal

#endif  // NEXUS_METAL_BUFFER_HPP_
