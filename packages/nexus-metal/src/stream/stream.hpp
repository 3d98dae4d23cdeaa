// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_METAL_STREAM_HPP_
#define NEXUS_METAL_STREAM_HPP_

#include "stream/commands.hpp"

#include <atomic>
#include <nexus-plugin/stream/queued_stream.hpp>

namespace nexus_metal NXS_HIDDEN {

class Stream;

// A committed command buffer. Its completed handler, on a thread of Metal's, makes the host's
// copies and sets the status.
struct Submission {
  static constexpr int64_t kDone = 0, kRunning = 1;

  std::atomic<int64_t> status{kRunning};  // any other: kErrors + the number of Metal's error
  static constexpr int64_t kErrors = 100;
  Owned event;          // of the stream: a shared event that gets the value at the end
  uint64_t value = 0;   // grows with each submission of the stream
  double end_time = 0;  // seconds; known once it is done
  WakePtr wake;
  std::vector<HostCopy> host_copies;
  void (*reached)(void *) = nullptr;
  void *call = nullptr;
};

// A queue of Metal's with the shared event of a stream, as the kit sees it: see
// nexus-plugin/stream/queued_stream.hpp. Each submission is a command buffer.
struct Queue {
  using Device = const nexus_metal::Device;
  using Stream = nexus_metal::Stream;
  using Event = Shared<Submission>;
  using Status = int64_t;
  using Signal = StreamSignal<Queue>;
  static constexpr Status kDone = Submission::kDone;
  static bool is_running(Status status) noexcept { return status == Submission::kRunning; }
  // Work is often done before a sleeping thread would have woken.
  static constexpr std::chrono::microseconds kSpin{20};

  static const Failure *lost() noexcept { return nullptr; }
  static FailurePtr lost_cause() noexcept { return {}; }
  struct Use {};
  static Use use() noexcept { return {}; }

  Event record() const;
  static Status query(const Event &event) noexcept {
    return event->status.load(std::memory_order_acquire);
  }
  // Asked only after a mark was refused, since each submission has an event.
  static Status query_all() noexcept { return Submission::kErrors; }
  static FailurePtr failure_of(Status status) noexcept;
  static bool wake_when_done(const Event &event, const WakePtr &wake) noexcept;

  static void waited() noexcept {}
  // The command buffer keeps what its commands use.
  static void call_later(const Event &, const std::function<void()> &) noexcept {}
  static void enqueue_wait(Commands &commands, const Signal &signal) {
    commands.wait(signal.event->event.get(), signal.event->value);
  }
  static double elapsed(Device &device, const Signal &start, const Signal &end);
  static void enqueue_host_call(Commands &commands, void (*reached)(void *), void *call) {
    commands.call_host(reached, call);
  }

  // What submissions change, under the lock of the stream's tickets.
  struct State {
    uint64_t value = 0;  // of the newest submission
    Event barrier{};     // the newest submission with a wait
    WakePtr wake{};      // of the stream
  };

  // Lets the commands start after those that wait for another stream: Metal may start later command
  // buffers of a queue while an earlier one waits.
  void begin(Commands &commands) const;
  // Commits the commands. Returns an empty event if there are none.
  Event commit(Commands &commands) const;

  Device *device;
  Owned queue, event;
  Shared<State> state;
};

// Any thread may submit, query and wait.
class Stream : public QueuedStream<Queue> {
 public:
  // priority: as nxsCreateStream. device outlives this.
  Stream(const Device &device, int32_t priority);

  id queue() const noexcept { return tickets().queue().queue.get(); }

  // See nexus-plugin/stream/queued_stream.hpp. timed: adds a command buffer, which has the time.
  template <class Enqueue>
  nxs_ticket submit_locked(Enqueue &&enqueue, const Shared<Condition<Stream>> &condition,
                           bool timed) {
    tickets().prepare();
    const Pool pool;
    Commands commands(device(), queue());
    const Queue &own = tickets().queue();
    own.begin(commands);
    enqueue(commands);
    if (timed) commands.buffer();
    return tickets().add(own.commit(commands), condition);
  }
};

extern constinit HandleTable<Stream, NXS_ObjectType_Stream> streams;

}  // namespace nexus_metal

#endif  // NEXUS_METAL_STREAM_HPP_
