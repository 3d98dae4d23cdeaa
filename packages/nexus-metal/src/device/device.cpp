// SPDX-License-Identifier: Apache-2.0
#include "device/device.hpp"

#include <array>

namespace nexus_metal NXS_HIDDEN {

constinit HandleTable<Device, NXS_ObjectType_Device> devices;

namespace {

constexpr int kNewestFamily = 19;  // more than there are

// In groups of 256, of which the last may reach beyond the end.
constexpr const char *kHelperSource = R"(
#include <metal_stdlib>
using namespace metal;

kernel void copy_bytes(device uchar *to [[buffer(0)]], device const uchar *from [[buffer(1)]],
                       constant ulong &size [[buffer(2)]],
                       uint group [[threadgroup_position_in_grid]],
                       uint item [[thread_position_in_threadgroup]]) {
  const ulong i = ulong(group) * 256 + item;
  if (i < size) to[i] = from[i];
}
kernel void fill_bytes(device uchar *to [[buffer(0)]], constant uchar *pattern [[buffer(1)]],
                       constant ulong &size [[buffer(2)]],
                       uint group [[threadgroup_position_in_grid]],
                       uint item [[thread_position_in_threadgroup]]) {
  const ulong i = ulong(group) * 256 + item;
  if (i < size) to[i] = pattern[i % 16];
}
kernel void fill_words(device uint *to [[buffer(0)]], constant uint *pattern [[buffer(1)]],
                       constant ulong &size [[buffer(2)]],
                       uint group [[threadgroup_position_in_grid]],
                       uint item [[thread_position_in_threadgroup]]) {
  const ulong i = ulong(group) * 256 + item;
  if (i < size) to[i] = pattern[i % 4];
}
)";
constexpr std::array<const char *, static_cast<std::size_t>(Helper::Count)> kHelperNames = {
    "copy_bytes", "fill_bytes", "fill_words"};

}  // namespace

Device::Device(int ordinal, id device)
    : ordinal_(ordinal),
      device_(Owned::retained(device)),
      name_(to_text(msg.name(device))),
      unified_(msg.unified(device)),
      max_buffer_size_(msg.max_buffer_length(device)),
      local_memory_size_(msg.max_threadgroup_memory(device)) {
  for (int family = 1; family <= kNewestFamily; ++family) {
    if (supports(MTLGPUFamilyApple1 + family - 1)) apple_family_ = family;
  }
}

id Device::helper(Helper which) const {
  const std::lock_guard lock(mutex_);
  if (helpers_.empty()) {
    id error = nullptr;
    const Owned library(
        msg.new_library_of_source(get(), to_nsstring(kHelperSource), nullptr, &error));
    if (!library) throw_error(error, NXS_InternalError, "compiling the backend's own kernels");
    std::vector<Owned> pipelines;
    for (const char *name : kHelperNames) {
      const Owned function = made(msg.new_function(library.get(), to_nsstring(name)),
                                  NXS_InternalError, "finding the backend's own kernels");
      const id pipeline = msg.new_pipeline(get(), function.get(), 0, nullptr, &error);
      if (pipeline == nullptr) {
        throw_error(error, NXS_InternalError, "making the backend's own kernels");
      }
      pipelines.emplace_back(pipeline);
    }
    helpers_ = std::move(pipelines);
  }
  return helpers_[static_cast<std::size_t>(which)].get();
}

Owned Device::queue() const {
  const std::lock_guard lock(mutex_);
  if (!queue_) {
    queue_ = made(msg.new_queue(get(), kMostCommandBuffers), NXS_OutOfResources, "making a queue");
  }
  return queue_;
}

std::string architecture_of(const Device &device) {
  if (device.apple_family() != 0) return join("apple", device.apple_family());
  return device.supports(MTLGPUFamilyMac2) ? "mac2" : "generic";
}

}  // namespace nexus_metal
