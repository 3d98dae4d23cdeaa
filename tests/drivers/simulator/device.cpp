// SPDX-License-Identifier: Apache-2.0
#include "device.hpp"

#include "failure.hpp"
#include "world.hpp"

#include <cstring>

namespace simulator {

Device::Device(int ordinal, int number, const Settings &settings)
    : ordinal_(ordinal),
      number_(number),
      architecture_(settings.architecture),
      memory_(settings.memory),
      attributes_(attributes_of(number, settings.architecture)),
      addresses_(settings.memory) {
  for (const auto &[attribute, value] : settings.attributes) attributes_[attribute] = value;
}

int Device::attribute(int number) const {
  const auto found = attributes_.find(number);
  require(found != attributes_.end());
  return found->second;
}

void Device::take(uint64_t bytes) {
  require(bytes <= memory_ - used_, kOutOfMemory);
  used_ += bytes;
}

uintptr_t Device::place(size_t size) {
  constexpr size_t kFilled = size_t{1} << 20;  // bytes; more would take too long
  constexpr int kGarbage = 0xa5;
  const uintptr_t begin = addresses_.allocate(size);
  require(begin != 0, kOutOfMemory);
  if (size <= kFilled) std::memset(reinterpret_cast<void *>(begin), kGarbage, size);
  return begin;
}

Device &device_of(int ordinal) {
  const auto &devices = world().devices;
  require(ordinal >= 0 && static_cast<size_t>(ordinal) < devices.size(), kInvalidDevice);
  return *devices[static_cast<size_t>(ordinal)];
}

bool reach(const Device &device, const Device &peer) {
  return &device != &peer && world().settings.peers != 0;
}

}  // namespace simulator
