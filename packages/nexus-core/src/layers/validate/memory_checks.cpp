// SPDX-License-Identifier: Apache-2.0
#include <nexus-plugin/buffer.hpp>

#include "layers/validate/checks.hpp"

namespace nexus::core::layers::validation {
namespace {

// Notes that work uses part of a buffer.
void use(Call &call, const nxs_buffer_range &range, Access access) {
  const Locked objects;
  const auto facts = objects->buffers.find(range.buffer);
  if (facts == nullptr || range.size == 0) return;
  const uint64_t begin = facts->base + range.offset;
  call.uses.push_back({facts->space, begin, begin + range.size, access, range.buffer, false});
}

// The same of the host's memory.
void useHost(Call &call, Access access, bool early) {
  if (call.given.size == 0) return;
  const auto begin = static_cast<uint64_t>(reinterpret_cast<uintptr_t>(call.given.host_ptr));
  call.uses.push_back({0, begin, begin + call.given.size, access, 0, early});
}

void checkRange(Call &call, const char *name, const nxs_buffer_range &range) {
  const Locked objects;
  const auto facts = objects->buffers.find(range.buffer);
  if (facts == nullptr) return;  // told already
  call.check(Message::Range,
             [&] { nexus_plugin::check_range(name, range.offset, range.size, facts->size); });
}

void checkCopy(Call &call, const nxs_buffer_range &to, const nxs_buffer_range &from) {
  call.check(Message::Range, [&] {
    nexus_plugin::check_copy(to.buffer == from.buffer, to.offset, to.size, from.offset, from.size);
  });
  use(call, from, Access::Read);
  use(call, to, Access::Write);
}

void checkHostCopy(Call &call) {
  const Given &given = call.given;
  const nxs_buffer_range range{sizeof(range), given.buffer, given.offset, given.size};
  const bool reads = call.is("CopyBuffer");
  call.check(Message::Null, [&] { nexus_plugin::check_host_pointer(given.host_ptr, given.size); });
  checkRange(call, "offset and size", range);
  use(call, range, reads ? Access::Read : Access::Write);
  useHost(call, reads ? Access::Write : Access::Read, !reads);
}

void checkNewBuffer(Call &call) {
  const Given &given = call.given;
  const Locked objects;
  const auto device = objects->devices.find(given.device);
  const uint64_t largest =
      device == nullptr || device->max_buffer == 0 ? UINT64_MAX : device->max_buffer;
  call.check(Message::BufferSize, [&] {
    nexus_plugin::check_new_buffer(given.size, given.settings, given.host_ptr, UINT64_MAX, largest);
  });
}

void checkMapping(Call &call) {
  bool mapped = true;
  {
    const Locked objects;
    const auto facts = objects->buffers.find(call.given.buffer);
    mapped = facts == nullptr || facts->mappings.count(const_cast<void *>(call.given.pointer)) != 0;
  }
  if (!mapped) {
    call.find(Message::Mapping, NXS_InvalidValue,
              join("pointer is none that ", idText(call.given.buffer), " is mapped at"));
  }
}

}  // namespace

void checkMemory(Call &call) {
  const Given &given = call.given;
  if (given.destination != nullptr) checkRange(call, "destination", *given.destination);
  if (given.source != nullptr) checkRange(call, "source", *given.source);
  if (given.range != nullptr) checkRange(call, "range", *given.range);
  if (given.destination != nullptr) checkCopy(call, *given.destination, *given.source);
  if (given.pattern != nullptr) {
    call.check(Message::Pattern, [&] {
      nexus_plugin::check_fill(given.range->offset, given.range->size, given.pattern,
                               given.pattern_size);
    });
    use(call, *given.range, Access::Write);
  }
  if (call.is("CopyBuffer") || call.is("WriteBuffer")) checkHostCopy(call);
  if (call.is("CreateBuffer")) checkNewBuffer(call);
  // What the host does with a mapping is not seen, so a mapping is no use of its memory.
  if (given.mapped != nullptr) {
    call.check(Message::Flags, [&] { nexus_plugin::check_access(given.access); });
  }
  if (call.is("UnmapBuffer")) checkMapping(call);
  if (call.is("CreateLibrary") && given.data == nullptr && given.size != 0) {
    call.stop(Message::Null, NXS_InvalidValue, join("data is NULL, and size ", given.size));
  }
  if (given.argument != nullptr && given.argument->kind == NXS_ArgumentKind_Buffer) {
    checkRange(call, "argument",
               {sizeof(nxs_buffer_range), given.argument->buffer, given.argument->offset,
                given.argument->size});
  }
}

}  // namespace nexus::core::layers::validation
