// SPDX-License-Identifier: Apache-2.0
#include "stream.hpp"

#include "context.hpp"
#include "graph.hpp"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

namespace simulator {
namespace {

constexpr auto kPoll = std::chrono::microseconds(200);

std::vector<std::weak_ptr<Stream>> &living() {
  static auto *const streams = new std::vector<std::weak_ptr<Stream>>;
  return *streams;
}

}  // namespace

bool Point::done() const {
  return stream == nullptr || stream->done(number);
}

std::shared_ptr<Stream> Stream::make(Context &context, bool blocking) {
  auto made = std::make_shared<Stream>(context, blocking);
  std::erase_if(living(), [](const auto &each) { return each.expired(); });
  living().push_back(made);
  return made;
}

std::vector<std::shared_ptr<Stream>> streams_in(const Context &context) {
  std::vector<std::shared_ptr<Stream>> found;
  for (const auto &each : living()) {
    auto stream = each.lock();
    if (stream != nullptr && stream->context() == &context) found.push_back(std::move(stream));
  }
  return found;
}

// The NULL stream's work comes after all that blocking streams have, and theirs after its.
void Stream::order_with_legacy(Work &work) {
  if (!blocking_) return;
  const auto &legacy = context_->legacy();
  if (this != legacy.get()) {
    work.after.push_back(legacy->end());
    return;
  }
  for (const auto &each : streams_in(*context_)) {
    if (each->blocking() && each.get() != this) work.after.push_back(each->end());
  }
}

Point Stream::add(Work work) {
  refuse_capturing();
  order_with_legacy(work);
  queue_.push_back(std::move(work));
  ++submitted_;
  if (!running_) {
    running_ = true;
    std::thread(&Stream::work, shared_from_this()).detach();
  }
  world().changed.notify_all();
  return end();
}

void Stream::begin_capture() {
  require(this != context_->legacy().get(), kStreamIsCaptured);
  require(!capturing(), kIllegalState);
  captured_ = std::make_shared<Graph>();
  newest_captured = nullptr;
  valid_capture_ = true;
}

std::shared_ptr<Graph> Stream::end_capture() {
  require(capturing(), kIllegalState);
  auto graph = std::exchange(captured_, nullptr);
  if (valid_capture_) return graph;
  graph->destroy();
  fail(kCaptureInvalidated);
}

void Stream::refuse_capturing() {
  if (!capturing()) return;
  valid_capture_ = false;
  fail(kStreamIsCaptured);
}

void Stream::close() {
  closing_ = true;
  world().changed.notify_all();
}

void Stream::work(const std::shared_ptr<Stream> &self) {
  World &all = world();
  Lock lock(all.mutex);
  for (;;) {
    all.changed.wait(lock, [&] { return !self->queue_.empty() || self->closing_; });
    if (self->queue_.empty()) break;
    Work next = std::move(self->queue_.front());
    self->queue_.pop_front();
    self->start(lock, next);
    ++self->completed_;
    all.changed.notify_all();
  }
  self->running_ = false;
}

void Stream::start(Lock &lock, Work &next) {
  const auto ready = [&] {
    return context_->broken() || (std::all_of(next.after.begin(), next.after.end(),
                                              [](const Point &point) { return point.done(); }) &&
                                  (!next.ready || next.ready()));
  };
  while (!ready()) {
    if (next.ready) {
      world().changed.wait_for(lock, kPoll);
    } else {
      world().changed.wait(lock);
    }
  }
  if (context_->broken() && !next.after_failure) return;
  lock.unlock();
  const Result result = next.run();
  next.run = nullptr;  // what it holds goes before it counts as done
  lock.lock();
  if (result != kSuccess) context_->break_down(result);
}

void wait_for(Lock &lock, const Point &point) {
  world().changed.wait(lock, [&] { return point.done(); });
}

std::shared_ptr<Stream> stream_of(Call &call, Handle handle) {
  auto stream = call.context->stream(handle);
  require(stream->context() == call.context, kInvalidContext);
  return stream;
}

std::shared_ptr<Stream> launching_stream(Call &call, Handle handle) {
  // The default streams are of the current context.
  const bool own = reinterpret_cast<uintptr_t>(handle) > kPerThreadStream;
  const Result entered =
      call.enter(own ? world().streams.get(handle)->context() : current_context());
  require(entered == kSuccess, entered);
  return stream_of(call, handle);
}

}  // namespace simulator
