// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_METAL_COMMANDS_HPP_
#define NEXUS_METAL_COMMANDS_HPP_

#include "device/device.hpp"

#include <cstddef>
#include <functional>
#include <vector>

namespace nexus_metal NXS_HIDDEN {

// Where an argument's memory begins.
struct Place {
  id buffer;
  uint64_t offset;  // bytes
};

// A copy that the host makes when the commands are done.
struct HostCopy {
  void *to;
  Owned staging;
  uint64_t size;  // bytes
};

// The commands of one submission: a command buffer, made for the first of them, and the encoder
// that is open. Nothing runs before the command buffer is committed. Used under a Pool.
class Commands {
 public:
  Commands(const Device &device, id queue) noexcept : device_(&device), queue_(queue) {}
  ~Commands() { end_encoder(); }
  Commands(const Commands &) = delete;
  Commands &operator=(const Commands &) = delete;

  const Device &device() const noexcept { return *device_; }
  bool begun() const noexcept { return buffer_ != nullptr; }
  bool waits() const noexcept { return waits_; }

  // Lets the command buffer, if one is made, start after an event has the value.
  void order_after(id event, uint64_t value) noexcept {
    first_event_ = event;
    first_value_ = value;
  }

  id buffer();   // the command buffer
  id compute();  // a compute encoder that runs its dispatches serially
  // Makes subsequently encoded work wait until an event has the value.
  void wait(id event, uint64_t value);
  void copy(const Place &to, const Place &from, uint64_t size);
  // Repeats a pattern of 1, 2, 4, 8 or 16 bytes; size is a multiple of it.
  void fill(const Place &to, uint64_t size, const std::byte *pattern, uint64_t pattern_size);
  // Lets the host copy from staging memory when the commands are done.
  void copy_to_host(HostCopy copy) { host_copies_.push_back(std::move(copy)); }
  // Calls function(argument), on a thread of Metal's, when the commands have ended.
  void call_host(void (*function)(void *), void *argument);

  // Ends the open encoder. Returns the command buffer; nil if there are no commands.
  id finish();

  std::vector<HostCopy> take_host_copies() noexcept { return std::move(host_copies_); }
  void (*reached())(void *) { return reached_; }
  void *call() const noexcept { return call_; }

 private:
  id blit();
  void end_encoder() noexcept;
  void run_helper(const Place &to, uint64_t count);

  const Device *device_;
  id queue_;
  id buffer_ = nullptr, compute_ = nullptr, blit_ = nullptr;  // autoreleased
  id first_event_ = nullptr;
  uint64_t first_value_ = 0;
  bool waits_ = false;
  std::vector<HostCopy> host_copies_;
  void (*reached_)(void *) = nullptr;
  void *call_ = nullptr;
};

// Encodes commands, submits them to the device's own queue, and waits. Under a Pool.
void run_now(const Device &device, const std::function<void(Commands &)> &encode);

}  // namespace nexus_metal

#endif  // NEXUS_METAL_COMMANDS_HPP_
