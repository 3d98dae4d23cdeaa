// SPDX-License-Identifier: Apache-2.0
// What encoders have in common, and copies and fills.
#include "encoders.hpp"

#include "../simulator/transfer.hpp"

using simulator::Copy;
using simulator::Fill;
using simulator::on_host;

namespace metal {
namespace {

constexpr NSUInteger kUnit = 4;  // bytes, of copies and fills on macOS

}  // namespace

const Class &Encoder::kClass = *new Class(
    "MTLCommandEncoder", "OfDevice",
    {getter<&Encoder::ignoreText>("pushDebugGroup:"), getter<&Encoder::ignore>("popDebugGroup"),
     getter<&Encoder::ignoreText>("insertDebugSignpost:"),
     method<&Encoder::endEncoding>("endEncoding")});

Encoder::~Encoder() {
  if (!open_) return;
  die(kind() + " is gone before its endEncoding");
}

void Encoder::check_open(const char *what) {
  if (!open_) die(kind() + " " + what + " after its endEncoding");
}

void Encoder::endEncoding() {
  check_open("endEncoding");
  open_ = false;
  commands->ended(*this);
}

bool Encoder::check(const char *what, const MTLBuffer *buffer, NSUInteger offset, NSUInteger size) {
  if (buffer != nullptr && buffer->contains(offset, size)) return true;
  note_misuse(std::string(what) + (buffer == nullptr ? " of nil" : " beyond the end of a buffer"));
  return false;
}

// ---- MTLBlitCommandEncoder ----

const Class &MTLBlitCommandEncoder::kClass =
    *new Class("MTLBlitCommandEncoder", "MTLCommandEncoder",
               {method<&MTLBlitCommandEncoder::copy>(
                    "copyFromBuffer:sourceOffset:toBuffer:destinationOffset:size:"),
                method<&MTLBlitCommandEncoder::fill>("fillBuffer:range:value:"),
                method<&MTLBlitCommandEncoder::synchronizeResource>("synchronizeResource:")});

void MTLBlitCommandEncoder::copy(MTLBuffer *from, NSUInteger from_offset, MTLBuffer *to,
                                 NSUInteger to_offset, NSUInteger size) {
  const char *const what = "copyFromBuffer:sourceOffset:toBuffer:destinationOffset:size:";
  check_open(what);
  if (!check(what, from, from_offset, size) || !check(what, to, to_offset, size)) return;
  if (from_offset % kUnit != 0 || to_offset % kUnit != 0 || size % kUnit != 0 || size == 0) {
    return note_misuse(std::string(what) + " with the offsets " + std::to_string(from_offset) +
                       " and " + std::to_string(to_offset) + " and the size " +
                       std::to_string(size));
  }
  const uintptr_t source = from->begin + from_offset, target = to->begin + to_offset;
  if (from == to && source < target + size && target < source + size) {
    return note_misuse(std::string(what) + " of ranges that overlap");
  }
  const Copy work{{target, simulator::Side::kHost}, {source, simulator::Side::kHost}, size};
  commands->use({from, to});
  commands->add([work] { return work.run(); });
}

void MTLBlitCommandEncoder::fill(MTLBuffer *buffer, NSRange range, uint8_t value) {
  check_open("fillBuffer:range:value:");
  if (!check("fillBuffer:range:value:", buffer, range.location, range.length)) return;
  if (range.location % kUnit != 0 || range.length % kUnit != 0 || range.length == 0) {
    return note_misuse("fillBuffer:range:value: of " + std::to_string(range.length) +
                       " bytes from " + std::to_string(range.location));
  }
  commands->use({buffer});
  commands->add([begin = buffer->begin + range.location, length = range.length, value] {
    const simulator::Result planned = simulator::planned_fault("fill");
    if (planned == simulator::kSuccess) {
      std::memset(reinterpret_cast<void *>(begin), value, length);
    }
    return planned;
  });
}

void MTLBlitCommandEncoder::synchronizeResource(MTLBuffer *buffer) {
  check_open("synchronizeResource:");
  if (buffer == nullptr || buffer->storageMode() != MTLStorageModeManaged) {
    note_misuse("synchronizeResource: of what is not managed");
  }
}

}  // namespace metal
