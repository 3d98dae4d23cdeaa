// SPDX-License-Identifier: Apache-2.0
//
// Buffers, copies and fills.
#include "base/error_record.hpp"
#include "layers/validate/function_checks.hpp"
#include "layers/validate/ranges.hpp"
#include "layers/validate/submission.hpp"
#include "layers/validate/words.hpp"

namespace nexus::core::layers::validation {
namespace {

void checkHost(Call &call, const void *host, uint64_t size) {
  if (host == nullptr && size != 0) {
    call.stop(Message::Null, NXS_InvalidHostPtr, words("host_ptr is NULL, and size ", size));
  }
}

}  // namespace

void before(Call &call, f::CreateBuffer, nxs_id device, uint64_t size, nxs_buffer_settings settings,
            void *host_ptr, nxs_id *) {
  uint64_t largest = 0;
  {
    const Locked objects;
    if (const auto facts = objects->devices.find(device)) largest = facts->max_buffer;
  }
  if (size == 0 || (largest != 0 && size > largest)) {
    call.find(Message::BufferSize, NXS_InvalidBufferSize,
              words("size is ", size,
                    largest == 0 ? std::string() : words(", and MaxBufferSize ", largest)));
  }
  if ((settings & NXS_BufferSettings_Maintain) != 0 && host_ptr == nullptr) {
    call.stop(Message::Null, NXS_InvalidHostPtr, "host_ptr is NULL, and settings have Maintain");
  }
}

void after(Call &call, f::CreateBuffer, nxs_id device, uint64_t size, nxs_buffer_settings settings,
           void *host_ptr, nxs_id *out_buffer) {
  checkGivenId(call, *out_buffer, NXS_ObjectType_Buffer);
  const Place place = presentPlace();
  const Locked objects;
  BufferFacts &facts = objects->buffers.add(*out_buffer);
  noteNew(facts, device, place);
  facts.size = size;
  if ((settings & NXS_BufferSettings_Maintain) != 0) {
    facts.base = static_cast<uint64_t>(reinterpret_cast<uintptr_t>(host_ptr));
  } else {
    facts.space = *out_buffer;
  }
}

// Where a handle is an address that the host uses too, uses of the memory by its address count.
void after(Call &call, f::CreateBufferFromHandle, nxs_id device, uint64_t handle, uint64_t offset,
           uint64_t size, nxs_id *out_buffer) {
  checkGivenId(call, *out_buffer, NXS_ObjectType_Buffer);
  const Place place = presentPlace();
  const Locked objects;
  BufferFacts &facts = objects->buffers.add(*out_buffer);
  noteNew(facts, device, place);
  facts.size = size;
  facts.base = handle + offset;
}

void after(Call &, f::ReleaseBuffer, nxs_id buffer) {
  const Locked objects;
  if (const auto facts = objects->buffers.find(buffer); facts != nullptr && facts->space != 0) {
    objects->order.forget(facts->space);
  }
  objects->buffers.remove(buffer);
}

// The buffer is released also where what lies around it was found overwritten.
void refused(Call &call, f::ReleaseBuffer, nxs_status status, nxs_id buffer) {
  if (status != NXS_InvalidMemObject) {
    return;
  }
  const auto record = findErrorRecord(threadErrorRecord());
  report(call.tag(), call.function(),
         {Message::OutOfBounds, status, record ? record->text : std::string()}, false);
  after(call, f::ReleaseBuffer{}, buffer);
}

void before(Call &call, f::CopyBuffer, nxs_id buffer, uint64_t offset, void *host_ptr,
            uint64_t size, nxs_id stream, nxs_ticket *) {
  checkHost(call, host_ptr, size);
  checkRange(call, "", buffer, offset, size);
  checkSameDevice(call, "buffer", buffer, "stream", stream);
  addUse(call, buffer, offset, size, Access::Read);
  addHostUse(call, host_ptr, size, Access::Write, false);
  beforeSubmission(call, stream);
}

void after(Call &call, f::CopyBuffer, nxs_id, uint64_t, void *, uint64_t, nxs_id stream,
           nxs_ticket *out_ticket) {
  afterSubmission(call, stream, *out_ticket);
}

void before(Call &call, f::WriteBuffer, nxs_id buffer, uint64_t offset, const void *host_ptr,
            uint64_t size, nxs_id stream, nxs_ticket *) {
  checkHost(call, host_ptr, size);
  checkRange(call, "", buffer, offset, size);
  checkSameDevice(call, "buffer", buffer, "stream", stream);
  addHostUse(call, host_ptr, size, Access::Read, true);
  addUse(call, buffer, offset, size, Access::Write);
  beforeSubmission(call, stream);
}

void after(Call &call, f::WriteBuffer, nxs_id, uint64_t, const void *, uint64_t, nxs_id stream,
           nxs_ticket *out_ticket) {
  afterSubmission(call, stream, *out_ticket);
}

void before(Call &call, f::TransferBuffer, nxs_id stream, const nxs_buffer_range *destination,
            const nxs_buffer_range *source, nxs_ticket *) {
  checkCopy(call, *destination, *source);
  checkSameDevice(call, "destination", destination->buffer, "stream", stream);
  beforeSubmission(call, stream);
}

void after(Call &call, f::TransferBuffer, nxs_id stream, const nxs_buffer_range *,
           const nxs_buffer_range *, nxs_ticket *out_ticket) {
  afterSubmission(call, stream, *out_ticket);
}

void before(Call &call, f::FillBuffer, nxs_id stream, const nxs_buffer_range *range, const void *,
            uint64_t pattern_size, nxs_ticket *) {
  checkFill(call, *range, pattern_size);
  checkSameDevice(call, "range", range->buffer, "stream", stream);
  beforeSubmission(call, stream);
}

void after(Call &call, f::FillBuffer, nxs_id stream, const nxs_buffer_range *, const void *,
           uint64_t, nxs_ticket *out_ticket) {
  afterSubmission(call, stream, *out_ticket);
}

// What the host does with a mapping is not seen, so a mapping is no use of its memory.
void before(Call &call, f::MapBuffer, nxs_id stream, const nxs_buffer_range *range,
            nxs_map_access access, void **, nxs_ticket *) {
  checkRange(call, "range->", range->buffer, range->offset, range->size);
  checkSameDevice(call, "range", range->buffer, "stream", stream);
  if (access == 0) {
    call.find(Message::Flags, NXS_InvalidValue, "access is 0, a mapping for nothing");
  }
  beforeSubmission(call, stream);
}

void after(Call &call, f::MapBuffer, nxs_id stream, const nxs_buffer_range *range, nxs_map_access,
           void **out_pointer, nxs_ticket *out_ticket) {
  afterSubmission(call, stream, *out_ticket);
  const Locked objects;
  if (const auto facts = objects->buffers.find(range->buffer)) {
    facts->mappings.insert(*out_pointer);
  }
}

void before(Call &call, f::UnmapBuffer, nxs_id stream, nxs_id buffer, void *pointer, nxs_ticket *) {
  bool mapped = true;
  {
    const Locked objects;
    const auto facts = objects->buffers.find(buffer);
    mapped = facts == nullptr || facts->mappings.count(pointer) != 0;
  }
  if (!mapped) {
    call.find(Message::Mapping, NXS_InvalidValue,
              words("pointer is none that ", idText(buffer), " is mapped at"));
  }
  beforeSubmission(call, stream);
}

void after(Call &call, f::UnmapBuffer, nxs_id stream, nxs_id buffer, void *pointer,
           nxs_ticket *out_ticket) {
  afterSubmission(call, stream, *out_ticket);
  const Locked objects;
  if (const auto facts = objects->buffers.find(buffer)) {
    if (const auto mapping = facts->mappings.find(pointer); mapping != facts->mappings.end()) {
      facts->mappings.erase(mapping);
    }
  }
}

}  // namespace nexus::core::layers::validation
