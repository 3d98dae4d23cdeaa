// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_SIMULATOR_EVENT_HPP_
#define NEXUS_SIMULATOR_EVENT_HPP_

#include "foreign_file.hpp"
#include "stream.hpp"

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>

namespace simulator {

// The part of an event that processes share, in a shared page.
class SharedRecord {
 public:
  SharedRecord();
  explicit SharedRecord(const ForeignFile &other);  // throws where it can't be opened
  ~SharedRecord();
  SharedRecord(const SharedRecord &) = delete;
  SharedRecord &operator=(const SharedRecord &) = delete;

  ForeignFile place() const;

  // Each record has a number, which grows.
  uint64_t begin() { return ++numbers_->recorded; }
  void end(uint64_t number);
  uint64_t latest() const { return numbers_->recorded; }
  bool done(uint64_t number) const { return numbers_->done >= number; }

 private:
  struct Numbers {
    std::atomic<uint64_t> recorded;
    std::atomic<uint64_t> done;
  };
  void map();

  int file_ = -1;
  Numbers *numbers_ = nullptr;
};

// Under the world's lock.
class Event {
 public:
  // shared: with other processes, or NULL.
  Event(Context &context, bool has_time, std::shared_ptr<SharedRecord> shared)
      : context_(&context), has_time_(has_time), shared_(std::move(shared)) {}

  Context *context() const { return context_; }
  const std::shared_ptr<SharedRecord> &shared() const { return shared_; }

  // In a stream of its context, or throws: replaces what was recorded before.
  void record(Stream &stream);

  // Returns whether the recorded work is done; true if none was recorded.
  bool done() const;
  void wait(Lock &lock) const;
  // Throw why the recorded work failed, or kNotReady.
  void query() const;
  void synchronize(Lock &lock) const;
  // Why the work that it was recorded behind failed.
  Result failure() const;
  // An item for streams that wait for the event: does nothing, once the event has happened.
  Work wait_on_device() const;

  // Milliseconds from start to end, or throws.
  static float between(const Event &start, const Event &end);

 private:
  using Clock = std::chrono::steady_clock;

  struct Record {
    Point point;
    Context *context;
    bool done = false;
    Clock::time_point time;
  };

  Context *context_;
  bool has_time_;
  std::shared_ptr<SharedRecord> shared_;
  std::shared_ptr<Record> record_;  // empty: never recorded
};

// Return handles. shared: with other processes.
Handle make_event(Context &context, bool has_time, bool shared);
Handle import_event(Context &context, const ForeignFile &place);

// Adds a function of the caller's, which may not call the driver.
void add_host_function(Stream &stream, std::function<void()> function);
// Whether this thread runs one.
bool on_host_function();

}  // namespace simulator

#endif  // NEXUS_SIMULATOR_EVENT_HPP_
