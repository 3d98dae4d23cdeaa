// SPDX-License-Identifier: Apache-2.0
#include "buffer.hpp"

using simulator::Lock;
using simulator::world;

namespace metal {
namespace {

// Returns whether memory can be so; misuse if not.
bool check_options(const char *selector, NSUInteger length, NSUInteger options) {
  constexpr NSUInteger kKnown = 0xf | 0xf << 4 | 3 << 8;
  const NSUInteger mode = options >> 4 & 15;
  if (length != 0 && mode <= MTLStorageModePrivate && (options & ~kKnown) == 0) return true;
  note_misuse(std::string(selector) + " with the length " + std::to_string(length) +
              " and the options " + std::to_string(options));
  return false;
}

}  // namespace

const Class &MTLBuffer::kClass = *new Class(
    "MTLBuffer", "OfDevice",
    {getter<&MTLBuffer::length>("length"), getter<&MTLBuffer::allocatedSize>("allocatedSize"),
     getter<&MTLBuffer::contents>("contents"), getter<&MTLBuffer::gpuAddress>("gpuAddress"),
     getter<&MTLBuffer::storageMode>("storageMode"),
     getter<&MTLBuffer::resourceOptions>("resourceOptions"),
     getter<&MTLBuffer::didModifyRange>("didModifyRange:"),
     getter<&MTLBuffer::setPurgeableState>("setPurgeableState:")});

Ref<MTLBuffer> MTLBuffer::allocate(MTLDevice &device, NSUInteger length, NSUInteger options) {
  const bool good = check_options("newBufferWithLength:options:", length, options);
  if (!good || length > device.maxBufferLength()) return {};
  uintptr_t begin;
  {
    simulator::Call call{Lock(world().mutex), &device.context};
    begin = allocate_on_device(call, length).begin;
  }
  return make<MTLBuffer>(device, begin, length, options, true);
}

Ref<MTLBuffer> MTLBuffer::wrap(MTLDevice &device, void *bytes, NSUInteger length,
                               NSUInteger options, const void *deallocator) {
  const char *const selector = "newBufferWithBytesNoCopy:length:options:deallocator:";
  const auto begin = reinterpret_cast<uintptr_t>(bytes);
  const bool in_pages = begin % device.page() == 0 && length % device.page() == 0;
  if (bytes == nullptr || !in_pages || (options >> 4 & 15) == MTLStorageModePrivate) {
    note_misuse(std::string(selector) + ": not whole pages of shared memory");
    return {};
  }
  if (!check_options(selector, length, options) || length > device.maxBufferLength()) return {};
  auto made = make<MTLBuffer>(device, begin, length, options, false);
  if (deallocator != nullptr) made->deallocator_ = std::make_unique<Block>(deallocator);
  return made;
}

MTLBuffer::MTLBuffer(MTLDevice &of, uintptr_t address, NSUInteger size, NSUInteger with,
                     bool is_own)
    : OfDevice(kClass, of), begin(address), length_(size), options_(with), own_(is_own) {}

MTLBuffer::~MTLBuffer() {
  if (own_) {
    const Lock lock(world().mutex);
    simulator::release(*world().allocations.at(begin));
  }
  if (deallocator_ != nullptr) (*deallocator_)(reinterpret_cast<void *>(begin), length_);
}

void MTLBuffer::didModifyRange(NSRange range) {
  if (mode() != MTLStorageModeManaged || !contains(range.location, range.length)) {
    note_misuse("didModifyRange: of a buffer that is not managed, or beyond its end");
  }
}

}  // namespace metal
