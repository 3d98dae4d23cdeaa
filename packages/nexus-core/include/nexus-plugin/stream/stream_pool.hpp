// SPDX-License-Identifier: Apache-2.0
// Pools of the driver's streams, which are used again, and deferred frees, which wait for work in
// them.
#ifndef NEXUS_PLUGIN_STREAM_POOL_HPP_
#define NEXUS_PLUGIN_STREAM_POOL_HPP_

#include <nexus-plugin/base/failure.hpp>
#include <nexus-plugin/base/thread.hpp>
#include <nexus-plugin/stream/tickets.hpp>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

namespace nexus_plugin NXS_HIDDEN {

// A stream of the driver that serves one nxs stream after another. When the nxs stream is released
// it is kept, since it may still have work, and it is reused when idle. If the nxs stream wraps a
// driver stream that is never destroyed, the work goes to that one instead.
template <class NativeStream>
struct PooledStream {
  NativeStream stream{};     // gets all the work
  mutable std::mutex mutex;  // held while `stream` changes, or is used without a nxs stream
  NativeStream own{};
  uint32_t index = 0;
  int32_t priority = 0;
  bool taken = false;
};

// A stream that has unfinished work or has failed. It is not redirected while this lives.
template <class NativeStream>
struct BusyStream {
  NativeStream stream;
  std::unique_lock<std::mutex> lock;
};

// A set of pooled streams: those that may have work with a buffer.
using StreamSet = uint64_t;

// Streams from this index on share one bit.
inline constexpr uint32_t kLastStreamBit = 63;
constexpr StreamSet stream_bit(uint32_t index) noexcept {
  return StreamSet{1} << (index < kLastStreamBit ? index : kLastStreamBit);
}
inline constexpr StreamSet kAllStreams = ~StreamSet{0};

// The pooled streams of one device, which live as long as the process. Any thread that may call the
// driver may use it. Beside the members in tickets.hpp, Queue has
//
//   using Device = ...;
//   using NativeStream = ...;
//   static NativeStream make_stream(Device &device, int32_t priority);  // throws
//   static Status query_stream(NativeStream stream) noexcept;
template <class Queue>
class StreamPool {
 public:
  using Device = typename Queue::Device;
  using NativeStream = typename Queue::NativeStream;
  using Pooled = PooledStream<NativeStream>;
  using BusyStreams = std::vector<BusyStream<NativeStream>>;

  explicit StreamPool(Device &device) : device_(&device) {}

  // Returns an idle stream of that priority, or makes one. Throws the driver's error.
  Pooled &take(int32_t priority) {
    const std::lock_guard lock(mutex_);
    for (const auto &pooled : all_) {
      if (!pooled->taken && pooled->priority == priority &&
          Queue::query_stream(pooled->stream) == Queue::kDone) {
        pooled->taken = true;
        return *pooled;
      }
    }
    auto made = std::make_unique<Pooled>();
    all_.reserve(all_.size() + 1);
    made->own = made->stream = Queue::make_stream(*device_, priority);
    made->index = static_cast<uint32_t>(all_.size());
    made->priority = priority;
    made->taken = true;
    all_.push_back(std::move(made));
    return *all_.back();
  }

  void give_back(Pooled &pooled) noexcept {
    const std::lock_guard lock(mutex_);
    pooled.taken = false;
  }

  // Sends the work of a taken stream to a stream that is never destroyed, until redirect_back().
  void redirect(Pooled &pooled, NativeStream stream) noexcept {
    const std::lock_guard lock(pooled.mutex);
    pooled.stream = stream;
  }
  void redirect_back(Pooled &pooled) noexcept { redirect(pooled, pooled.own); }

  // Returns the streams of a set that have unfinished work or have failed. A thread may have one
  // such list at a time. It locks none of the others, since the driver may wait for room in one.
  BusyStreams busy(StreamSet among) const {
    BusyStreams found;
    if (among == 0) return found;
    for (const Pooled *pooled : all_of(among)) {
      std::unique_lock lock(pooled->mutex);
      if (Queue::query_stream(pooled->stream) == Queue::kDone) continue;
      found.push_back({pooled->stream, std::move(lock)});
    }
    return found;
  }

 private:
  std::vector<const Pooled *> all_of(StreamSet among) const {
    std::vector<const Pooled *> found;
    const std::lock_guard lock(mutex_);
    for (const auto &pooled : all_) {
      if ((among & stream_bit(pooled->index)) != 0) found.push_back(pooled.get());
    }
    return found;
  }

  Device *device_;
  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<Pooled>> all_;
};

// While it lives, a thread of the backend may call the driver. exit() waits for living ones and
// admits no new ones, since at exit HIP frees what its calls use.
class CallBeforeExit {
 public:
  // Throws at the process' end.
  CallBeforeExit() {
    // Registered after the driver's own exit handlers, so called before them.
    [[maybe_unused]] static const int registered = std::atexit(end);
    alive_.fetch_add(1);
    if (!ended_) return;
    alive_.fetch_sub(1);
    throw std::runtime_error("the process ends");
  }
  ~CallBeforeExit() { alive_.fetch_sub(1); }
  CallBeforeExit(const CallBeforeExit &) = delete;
  CallBeforeExit &operator=(const CallBeforeExit &) = delete;

 private:
  static constexpr std::chrono::seconds kLongest{1};  // a call may wait for endless work

  static void end() noexcept {
    ended_ = true;
    const auto latest = std::chrono::steady_clock::now() + kLongest;
    while (alive_ != 0 && std::chrono::steady_clock::now() < latest) std::this_thread::yield();
  }

  static inline std::atomic<bool> ended_{false};
  static inline std::atomic<uint32_t> alive_{0};
};

// The deferred frees of one device: frees that must wait for work, or for which the driver waits
// for the whole device. Each device has a thread for them, so that a free that waits for an endless
// kernel delays no other device. Lives as long as the process, and frees nothing at its end. Queue
// has
//
//   static Use use(Device &device);  // while it lives, this thread may call the driver; may throw
template <class Queue>
class DeferredFrees {
 public:
  using Device = typename Queue::Device;
  using Event = typename Queue::Event;

  DeferredFrees(Device &device, const StreamPool<Queue> &streams)
      : device_(&device), streams_(&streams) {}

  // Calls free when the events are done, while a Use lives. Never calls it if no thread can be
  // started.
  void add(std::vector<Event> after, std::function<void()> free) noexcept {
    add({std::move(after), 0, std::move(free)});
  }
  // Calls free when the streams are seen idle, for work after which no event can be recorded.
  void add_when_idle(StreamSet users, std::function<void()> free) noexcept {
    add({{}, users, std::move(free)});
  }

 private:
  static constexpr std::chrono::milliseconds kLookForEnds{1};

  struct DeferredFree {
    std::vector<Event> after;
    StreamSet users;
    std::function<void()> free;
  };

  void add(DeferredFree each) noexcept {
    try {
      const std::lock_guard lock(mutex_);
      frees_.push_back(std::move(each));
      if (!started_) start_thread(&DeferredFrees::serve, this).detach();
      started_ = true;
      changed_.notify_one();
    } catch (const std::exception &) {
    }
  }

  static void serve(DeferredFrees *self) noexcept {
    while (true) self->run(self->next());
  }

  // Returns true if the device is lost: then nothing can be freed, so there is nothing to wait for.
  bool due(const DeferredFree &each) const noexcept {
    try {
      const CallBeforeExit call;
      [[maybe_unused]] const auto use = Queue::use(*device_);
      for (const Event &event : each.after) {
        if (still_runs<Queue>([&] { return Queue::query(event); })) return false;
      }
      return streams_->busy(each.users).empty();
    } catch (const Failed &) {
      return true;
    } catch (const std::exception &) {  // the device could not be used this time
      return false;
    }
  }

  void run(DeferredFree each) noexcept {
    bool begun = false;
    try {
      const CallBeforeExit call;
      [[maybe_unused]] const auto use = Queue::use(*device_);
      begun = true;
      each.free();
      each.after.clear();
    } catch (const Failed &) {  // the device is lost, with all that it had
    } catch (const std::exception &) {
      if (!begun) add(std::move(each));
    }
  }

  DeferredFree next() noexcept {
    std::unique_lock lock(mutex_);
    while (true) {
      for (auto each = frees_.begin(); each != frees_.end(); ++each) {
        if (!due(*each)) continue;
        DeferredFree found = std::move(*each);
        frees_.erase(each);
        return found;
      }
      if (frees_.empty()) {
        changed_.wait(lock);
      } else {
        changed_.wait_for(lock, kLookForEnds);
      }
    }
  }

  Device *device_;
  const StreamPool<Queue> *streams_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<DeferredFree> frees_;
  bool started_ = false;
};

}  // namespace nexus_plugin

#endif  // NEXUS_PLUGIN_STREAM_POOL_HPP_
