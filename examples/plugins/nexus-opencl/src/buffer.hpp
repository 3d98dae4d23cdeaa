// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_OPENCL_BUFFER_HPP_
#define NEXUS_OPENCL_BUFFER_HPP_

#include "device.hpp"

#include <nexus-plugin/memory/buffer.hpp>

namespace nexus_opencl NXS_HIDDEN {

class Stream;

// Memory of a device. The driver keeps it while commands that use it are not done.
class Buffer {
 public:
  // As nxsCreateBuffer. device outlives this.
  Buffer(const Device &device, uint64_t size, nxs_buffer_settings settings, void *host_ptr);
  ~Buffer();
  Buffer(const Buffer &) = delete;
  Buffer &operator=(const Buffer &) = delete;

  const Device &device() const noexcept { return *device_; }
  uint64_t size() const noexcept { return size_; }
  cl_mem memory() const noexcept { return memory_.get(); }

  // Returns a part as memory of its own, for a kernel's argument.
  // Throws NXS_MisalignedSubBufferOffset.
  Owned<cl_mem> slice(uint64_t offset, uint64_t size) const;

  // As nxsMapBuffer and nxsUnmapBuffer.
  Mapped map(const Ref<Stream> &stream, uint64_t offset, uint64_t size, nxs_map_access access);
  nxs_ticket unmap(Stream &stream, void *pointer);

 private:
  struct Mapping {
    void *pointer;
    Ref<Stream> stream;  // that it was mapped in
  };

  void make_shared(void *host_ptr);
  void make_plain(cl_mem_flags flags, void *host_ptr);

  const Device *device_;
  uint64_t size_;
  std::byte *shared_ = nullptr;  // the address that host and device share; NULL if they don't
  Owned<cl_mem> memory_;
  std::mutex mutex_;
  std::vector<Mapping> mappings_;
};

extern constinit HandleTable<Buffer, NXS_ObjectType_Buffer> buffers;

}  // namespace nexus_opencl

#endif  // NEXUS_OPENCL_BUFFER_HPP_
