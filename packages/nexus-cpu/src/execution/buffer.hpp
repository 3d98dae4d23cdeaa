// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_CPU_BUFFER_HPP_
#define NEXUS_CPU_BUFFER_HPP_

#include "execution/guarded_memory.hpp"

#include <cstdint>
#include <nexus-plugin/handle_table.hpp>
#include <nexus-plugin/host_memory.hpp>

namespace nexus_cpu NXS_HIDDEN {

// Host memory, aligned to a cache line at least, and to a page if it has that size. The end of
// guarded memory is at the end of a page, so its start is aligned only as far as its size is.
class Buffer : public nexus_plugin::HostBuffer {
 public:
  // settings and host_ptr are those of nxsCreateBuffer, already checked.
  Buffer(uint64_t size, nxs_buffer_settings settings, void *host_ptr);
  // Uses memory that the program owns.
  Buffer(const nexus_plugin::HostAddress &memory, uint64_t size);
  // Uses memory that another process shares.
  explicit Buffer(nexus_plugin::ProcessMemory opened);

  const GuardedMemory &guarded() const noexcept { return guarded_; }

 private:
  GuardedMemory guarded_;
};

extern constinit nexus_plugin::HandleTable<Buffer, NXS_ObjectType_Buffer> buffers;

}  // namespace nexus_cpu

#endif  // NEXUS_CPU_BUFFER_HPP_
