// SPDX-License-Identifier: Apache-2.0
#include <nexus-plugin/base/checks.hpp>
#include <nexus-plugin/memory/buffer.hpp>
#include <nexus-plugin/memory/row_copy.hpp>

#include "layers/validate/call.hpp"

namespace nexus::core::layers::validation {

void noteUse(Call &call, const Objects &objects, const nxs_buffer_range &range, Access access) {
  const auto buffer = objects.find<BufferFacts>(range.buffer);
  if (buffer == nullptr || range.size == 0) return;
  const uint64_t begin = buffer->base + range.offset;
  call.uses.push_back({buffer->space, begin, begin + range.size, access, range.buffer, false});
}

namespace {

void noteHostUse(Call &call, Access access, bool early) {
  if (call.given.size == 0) return;
  const auto begin = static_cast<uint64_t>(reinterpret_cast<uintptr_t>(call.given.host_ptr));
  call.uses.push_back({0, begin, begin + call.given.size, access, 0, early});
}

void checkRange(Call &call, const Objects &objects, const char *name,
                const nxs_buffer_range &range) {
  const auto buffer = objects.find<BufferFacts>(range.buffer);
  if (buffer == nullptr) return;  // found already
  call.check(Message::Range,
             [&] { nexus_plugin::check_range(name, range.offset, range.size, buffer->size); });
}

void checkCopy(Call &call, const Objects &objects, const nxs_buffer_range &to,
               const nxs_buffer_range &from) {
  checkRange(call, objects, "destination", to);
  checkRange(call, objects, "source", from);
  call.check(Message::Range, [&] {
    const bool same = to.buffer == from.buffer;
    if (const nxs_rows *rows = call.given.rows) {
      nexus_plugin::check_rows(*rows, to.size, from.size);
      if (same) nexus_plugin::check_overlap(to.offset, to.size, from.offset, from.size);
    } else {
      nexus_plugin::check_copy(same, to.offset, to.size, from.offset, from.size);
    }
  });
  noteUse(call, objects, from, Access::Read);
  noteUse(call, objects, to, Access::Write);
}

void checkFill(Call &call, const Objects &objects, const nxs_buffer_range &range) {
  checkRange(call, objects, "range", range);
  call.check(Message::Pattern, [&] {
    nexus_plugin::check_fill(range.offset, range.size, call.given.pattern, call.given.pattern_size);
  });
  noteUse(call, objects, range, Access::Write);
}

void checkHostCopy(Call &call, const Objects &objects) {
  const Given &given = call.given;
  const nxs_buffer_range range{sizeof(range), given.buffer, given.offset, given.size};
  const bool reads = call.is("CopyBuffer");
  call.check(Message::Null, [&] { nexus_plugin::check_host_pointer(given.host_ptr, given.size); });
  checkRange(call, objects, "offset and size", range);
  noteUse(call, objects, range, reads ? Access::Read : Access::Write);
  noteHostUse(call, reads ? Access::Write : Access::Read, !reads);
}

void checkNewBuffer(Call &call, const Objects &objects) {
  const Given &given = call.given;
  const auto device = objects.find<DeviceFacts>(given.device);
  const uint64_t largest =
      device == nullptr || device->max_buffer == 0 ? UINT64_MAX : device->max_buffer;
  call.check(Message::BufferSize, [&] {
    nexus_plugin::check_new_buffer(given.size, given.settings, given.host_ptr, UINT64_MAX, largest);
  });
}

void checkUnmap(Call &call, const Objects &objects) {
  const auto buffer = objects.find<BufferFacts>(call.given.buffer);
  if (buffer == nullptr || buffer->mappings.contains(const_cast<void *>(call.given.pointer)))
    return;
  call.find(Message::Mapping, NXS_InvalidValue, "pointer is not a mapping of ",
            idText(call.given.buffer));
}

}  // namespace

void checkMemory(Call &call, const Objects &objects) {
  const Given &given = call.given;
  if (given.destination != nullptr) checkCopy(call, objects, *given.destination, *given.source);
  if (given.pattern != nullptr) checkFill(call, objects, *given.range);
  if (call.is("CopyBuffer") || call.is("WriteBuffer")) checkHostCopy(call, objects);
  if (call.is("CreateBuffer")) checkNewBuffer(call, objects);
  // The host's accesses to a mapping are invisible, so mapping counts as no use.
  if (given.mapped != nullptr) {
    checkRange(call, objects, "range", *given.range);
    call.check(Message::Flags, [&] { nexus_plugin::check_access(given.access); });
  }
  if (call.is("UnmapBuffer")) checkUnmap(call, objects);
  if (call.is("CreateLibrary") && given.data == nullptr && given.size != 0) {
    call.stop(Message::Null, NXS_InvalidValue, "data is NULL, but size is ", given.size);
  }
  if (const nxs_argument *argument = given.argument;
      argument != nullptr && argument->kind == NXS_ArgumentKind_Buffer) {
    checkRange(call, objects, "argument", rangeOf(*argument));
  }
}

}  // namespace nexus::core::layers::validation
