// SPDX-License-Identifier: Apache-2.0
#include "context.hpp"

#include "device.hpp"
#include "event.hpp"
#include "library.hpp"
#include "stream.hpp"

namespace simulator {

Context &Context::make(Device &device) {
  auto made = std::make_shared<Context>(device);
  made->handle = world().contexts.add(made);
  return *made;
}

void Context::break_down(Result why) {
  if (failure_ == kSuccess) failure_ = why;
  world().changed.notify_all();
}

void Context::revive() {
  destroyed_ = false;
  failure_ = kSuccess;
}

void Context::wait(Call &call) {
  std::vector<Point> ends;
  for (const auto &stream : streams_in(*this)) ends.push_back(stream->end());
  for (const Point &end : ends) wait_for(call.lock, end);
}

void Context::destroy(Call &call) {
  destroyed_ = true;
  world().changed.notify_all();
  wait(call);
  for (const auto &stream : streams_in(*this)) stream->close();
  World &all = world();
  const auto is_mine = [this](const auto &object) { return object.context() == this; };
  all.streams.remove_if(is_mine);
  all.events.remove_if(is_mine);
  unload_all(*this);
  free_all(*this);
  legacy_ = nullptr;
  per_thread_.clear();
  peers.clear();
}

const std::shared_ptr<Stream> &Context::legacy() {
  if (legacy_ == nullptr) legacy_ = Stream::make(*this, true);
  return legacy_;
}

std::shared_ptr<Stream> Context::per_thread() {
  auto &mine = per_thread_[std::this_thread::get_id()];
  if (mine == nullptr) mine = Stream::make(*this, true);
  return mine;
}

std::shared_ptr<Stream> Context::stream(Handle wanted) {
  const auto number = reinterpret_cast<uintptr_t>(wanted);
  if (number <= kLegacyStream) return legacy();
  if (number == kPerThreadStream) return per_thread();
  return world().streams.get(wanted);
}

Context &primary_context(Device &device) {
  if (device.primary == nullptr) device.primary = &Context::make(device);
  if (device.primary->destroyed()) device.primary->revive();
  return *device.primary;
}

std::vector<Context *> &context_stack() {
  thread_local std::vector<Context *> stack;
  return stack;
}

Context *current_context() {
  const auto &stack = context_stack();
  return stack.empty() ? nullptr : stack.back();
}

Context &context_of(Handle handle) {
  const auto &all = world().contexts.all();
  const auto found = all.find(handle);
  require(found != all.end(), kInvalidContext);
  return *found->second;
}

}  // namespace simulator
