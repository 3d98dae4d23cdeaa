// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_CPU_BUFFER_HPP_
#define NEXUS_CPU_BUFFER_HPP_

#include "guarded_memory.hpp"

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <nexus-plugin/handle_table.hpp>
#include <nexus-plugin/process_memory.hpp>
#include <vector>

namespace nexus_cpu NXS_HIDDEN {

// Host memory, aligned to a cache line at least, to a page where it has one. Guarded memory is
// aligned as far as its size is.
class Buffer {
 public:
  // settings and host_ptr: as nxsCreateBuffer.
  Buffer(uint64_t size, nxs_buffer_settings settings, void *host_ptr);
  // Memory that somebody else keeps.
  Buffer(std::byte *data, uint64_t size);
  // Memory that another process made.
  explicit Buffer(nexus_plugin::ProcessMemory opened);
  ~Buffer();
  Buffer(const Buffer &) = delete;
  Buffer &operator=(const Buffer &) = delete;

  std::byte *data() const noexcept { return data_; }
  uint64_t size() const noexcept { return size_; }
  const nexus_plugin::ProcessMemory &shared() const noexcept { return shared_; }
  const GuardedMemory &guarded() const noexcept { return guarded_; }

  // Mappings are counted only, so that an unmapping of something else is an error.
  void add_mapping(void *pointer);
  bool remove_mapping(void *pointer);

 private:
  std::byte *data_;
  uint64_t size_;
  bool owned_ = false;  // from allocate()
  nexus_plugin::ProcessMemory shared_;
  GuardedMemory guarded_;
  std::mutex mutex_;
  std::vector<void *> mappings_;
};

extern constinit nexus_plugin::HandleTable<Buffer, NXS_ObjectType_Buffer> buffers;

}  // namespace nexus_cpu

#endif  // NEXUS_CPU_BUFFER_HPP_
