// SPDX-License-Identifier: Apache-2.0
#include "layers/validate/ranges.hpp"

#include "layers/validate/submission.hpp"
#include "layers/validate/words.hpp"

namespace nexus::core::layers::validation {

void checkRange(Call &call, const char *name, nxs_id buffer, uint64_t offset, uint64_t size) {
  uint64_t bytes = 0;
  {
    const Locked objects;
    const auto facts = objects->buffers.find(buffer);
    if (facts == nullptr) return;  // told already
    bytes = facts->size;
  }
  if (offset > bytes || size > bytes - offset) {
    call.find(Message::Range, NXS_InvalidValue,
              words(name, "offset is ", offset, " and ", name, "size is ", size, ", and ",
                    idText(buffer), " has ", bytes, " bytes"));
  }
}

void checkCopy(Call &call, const nxs_buffer_range &destination, const nxs_buffer_range &source) {
  checkRange(call, "destination->", destination.buffer, destination.offset, destination.size);
  checkRange(call, "source->", source.buffer, source.offset, source.size);
  checkSameDevice(call, "destination", destination.buffer, "source", source.buffer);
  if (destination.size != source.size) {
    call.find(Message::Range, NXS_InvalidValue,
              words("destination->size is ", destination.size, " and source->size ", source.size));
  }
  const uint64_t apart = destination.offset > source.offset ? destination.offset - source.offset
                                                            : source.offset - destination.offset;
  if (destination.buffer == source.buffer && apart < source.size) {
    call.find(Message::Overlap, NXS_MemCopyOverlap,
              words("both are ", idText(source.buffer), ", ", source.size, " bytes from ",
                    source.offset, " on and from ", destination.offset, " on"));
  }
  addUse(call, source.buffer, source.offset, source.size, Access::Read);
  addUse(call, destination.buffer, destination.offset, destination.size, Access::Write);
}

void checkFill(Call &call, const nxs_buffer_range &range, uint64_t pattern_size) {
  checkRange(call, "range->", range.buffer, range.offset, range.size);
  const bool possible =
      pattern_size != 0 && pattern_size <= 16 && (pattern_size & (pattern_size - 1)) == 0;
  if (!possible || range.size % pattern_size != 0 || range.offset % pattern_size != 0) {
    call.find(Message::Pattern, NXS_InvalidValue,
              words("pattern_size is ", pattern_size, ", range->offset ", range.offset,
                    " and range->size ", range.size));
  }
  addUse(call, range.buffer, range.offset, range.size, Access::Write);
}

void addUse(Call &call, nxs_id buffer, uint64_t offset, uint64_t size, Access access) {
  if (size == 0) {
    return;
  }
  const Locked objects;
  if (const auto facts = objects->buffers.find(buffer)) {
    const uint64_t begin = facts->base + offset;
    call.uses.push_back({facts->space, begin, begin + size, access, buffer, false});
  }
}

void addHostUse(Call &call, const void *host, uint64_t size, Access access, bool early) {
  if (size != 0) {
    const auto begin = static_cast<uint64_t>(reinterpret_cast<uintptr_t>(host));
    call.uses.push_back({0, begin, begin + size, access, 0, early});
  }
}

}  // namespace nexus::core::layers::validation
