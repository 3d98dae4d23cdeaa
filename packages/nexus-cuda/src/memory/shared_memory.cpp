// SPDX-License-Identifier: Apache-2.0
#include "memory/shared_memory.hpp"

#include <nexus-plugin/error.hpp>
#include <nexus-plugin/text.hpp>

namespace nexus_cuda NXS_HIDDEN {

namespace {

constexpr std::string_view kMemoryHead = "nexus-cuda-memory 1 ";

}  // namespace

std::string SharedMemory::text() const {
  return nexus_plugin::join(kMemoryHead, from.text(), size, " ", exported_bytes(handle.reserved),
                            "\n");
}

SharedMemory SharedMemory::parse(std::string_view text) {
  SharedMemory told;
  ExportedText parts(text);
  const bool good = parts.take(kMemoryHead) && told.from.take_from(parts) &&
                    parts.take_number(told.size) && parts.take_bytes(told.handle.reserved) &&
                    parts.rest() == "\n" && told.size != 0;
  if (good) return told;
  throw nexus_plugin::Error(NXS_InvalidValue,
                            "handle is none of memory that a process exported from a GPU; give "
                            "what nxsExportBuffer wrote, whole");
}

}  // namespace nexus_cuda
