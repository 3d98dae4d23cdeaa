// SPDX-License-Identifier: Apache-2.0
#include "stream/commands.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace nexus_metal NXS_HIDDEN {
namespace {

constexpr uint64_t kWord = 4;  // blits move whole words on macOS
constexpr uint64_t kHelperThreads = 256;

bool whole_words(uint64_t a, uint64_t b, uint64_t c) noexcept {
  return (a | b | c) % kWord == 0;
}

}  // namespace

id Commands::buffer() {
  if (buffer_ != nullptr) return buffer_;
  buffer_ = msg.command_buffer(queue_);
  if (buffer_ == nullptr) {
    throw Error(NXS_OutOfResources, "making a command buffer failed: Metal returned nil");
  }
  if (first_event_ != nullptr) msg.encode_wait(buffer_, first_event_, first_value_);
  return buffer_;
}

id Commands::compute() {
  if (compute_ != nullptr) return compute_;
  end_encoder();
  compute_ = msg.compute_encoder(buffer());
  if (compute_ == nullptr) {
    throw Error(NXS_OutOfResources, "making a compute encoder failed: Metal returned nil");
  }
  return compute_;
}

id Commands::blit() {
  if (blit_ != nullptr) return blit_;
  end_encoder();
  blit_ = msg.blit_encoder(buffer());
  if (blit_ == nullptr) {
    throw Error(NXS_OutOfResources, "making a blit encoder failed: Metal returned nil");
  }
  return blit_;
}

void Commands::end_encoder() noexcept {
  for (id *encoder : {&compute_, &blit_}) {
    if (*encoder != nullptr) msg.end_encoding(*encoder);
    *encoder = nullptr;
  }
}

void Commands::wait(id event, uint64_t value) {
  end_encoder();
  msg.encode_wait(buffer(), event, value);
  waits_ = true;
}

void Commands::copy(const Place &to, const Place &from, uint64_t size) {
  if (size == 0) return;
  if (whole_words(to.offset, from.offset, size)) {
    msg.copy_buffer(blit(), from.buffer, from.offset, to.buffer, to.offset, size);
    return;
  }
  const id pipeline = device_->helper(Helper::CopyBytes);
  msg.set_pipeline(compute(), pipeline);
  msg.set_buffer(compute(), from.buffer, from.offset, 1);
  run_helper(to, size);
}

void Commands::fill(const Place &to, uint64_t size, const std::byte *pattern,
                    uint64_t pattern_size) {
  if (size == 0) return;
  std::array<std::byte, 16> whole;
  for (std::size_t i = 0; i < whole.size(); ++i) whole[i] = pattern[i % pattern_size];
  const bool words = whole_words(to.offset, size, 0);
  const bool alike =
      std::all_of(whole.begin(), whole.end(), [&](std::byte each) { return each == whole[0]; });
  if (words && alike) {
    msg.fill_buffer(blit(), to.buffer, {to.offset, size}, static_cast<uint8_t>(whole[0]));
    return;
  }
  const Helper helper = words ? Helper::FillWords : Helper::FillBytes;
  msg.set_pipeline(compute(), device_->helper(helper));
  msg.set_bytes(compute(), whole.data(), whole.size(), 1);
  run_helper(to, words ? size / kWord : size);
}

void Commands::run_helper(const Place &to, uint64_t count) {
  msg.set_buffer(compute(), to.buffer, to.offset, 0);
  msg.set_bytes(compute(), &count, sizeof(count), 2);
  msg.dispatch(compute(), {(count + kHelperThreads - 1) / kHelperThreads, 1, 1},
               {kHelperThreads, 1, 1});
}

void Commands::call_host(void (*function)(void *), void *argument) {
  buffer();
  reached_ = function;
  call_ = argument;
}

id Commands::finish() {
  end_encoder();
  return buffer_;
}

void run_now(const Device &device, const std::function<void(Commands &)> &encode) {
  const Owned queue = device.queue();
  Commands commands(device, queue.get());
  encode(commands);
  const id buffer = commands.finish();
  if (buffer == nullptr) return;
  msg.commit(buffer);
  msg.wait_until_completed(buffer);
  if (msg.status(buffer) == MTLCommandBufferStatusCompleted) return;
  throw_error(msg.command_error(buffer), NXS_InternalError, "work of the backend's own");
}

}  // namespace nexus_metal
