// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_SIMULATOR_STREAM_HPP_
#define NEXUS_SIMULATOR_STREAM_HPP_

#include "call.hpp"

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

namespace simulator {

// A place in a stream: the work up to a number.
struct Point {
  std::shared_ptr<Stream> stream;  // empty: nothing, which is done
  uint64_t number = 0;

  bool done() const;
};

// The next item of a stream.
struct Work {
  // Called without the world's lock. Any result but kSuccess breaks the context.
  std::function<Result()> run;
  std::vector<Point> after = {};     // not before these are done
  std::function<bool()> ready = {};  // nor before this says so; asked again and again
  bool after_failure = false;        // runs in a broken context too
};

// Work in order, done by a thread of its own. Under the world's lock.
class Stream : public std::enable_shared_from_this<Stream> {
 public:
  static std::shared_ptr<Stream> make(Context &context, bool blocking);
  Stream(Context &context, bool blocking) : context_(&context), blocking_(blocking) {}

  Context *context() const { return context_; }
  bool blocking() const { return blocking_; }  // it and the NULL stream wait for each other

  // Of a capture, into a graph: launches, copies, fills and allocations. All else makes it invalid.
  bool capturing() const { return captured_ != nullptr; }
  bool valid_capture() const { return valid_capture_; }
  void begin_capture();
  // Throws kCaptureInvalidated.
  std::shared_ptr<Graph> end_capture();
  // Throws kStreamIsCaptured while the stream captures, which makes the capture invalid.
  void refuse_capturing();
  // The graph, and its newest node or NULL. For submit() in graph.hpp.
  const std::shared_ptr<Graph> &captured() const { return captured_; }
  Handle newest_captured = nullptr;

  // Submits; keeps the order between the NULL stream and blocking streams. As refuse_capturing().
  Point add(Work work);
  Point add(std::function<Result()> run) { return add(Work{std::move(run)}); }
  // The position of the newest work.
  Point end() { return {shared_from_this(), submitted_}; }
  bool done(uint64_t number) const { return completed_ >= number; }
  bool idle() const { return completed_ == submitted_; }
  // Its thread ends when its work is done.
  void close();

 private:
  static void work(const std::shared_ptr<Stream> &self);
  void start(Lock &lock, Work &next);
  void order_with_legacy(Work &work);

  Context *context_;
  bool blocking_;
  std::deque<Work> queue_;
  uint64_t submitted_ = 0;
  uint64_t completed_ = 0;
  bool running_ = false;  // it has a thread
  bool closing_ = false;
  std::shared_ptr<Graph> captured_;
  bool valid_capture_ = false;
};

// All streams of a context that are not freed yet, also those without a handle.
std::vector<std::shared_ptr<Stream>> streams_in(const Context &context);

void wait_for(Lock &lock, const Point &point);

// Returns the stream of a call in its context; throws kInvalidContext for another context's.
std::shared_ptr<Stream> stream_of(Call &call, Handle handle);
// Likewise for a launch, which uses its stream's context, not the current one.
std::shared_ptr<Stream> launching_stream(Call &call, Handle handle);

}  // namespace simulator

#endif  // NEXUS_SIMULATOR_STREAM_HPP_
