// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_STREAM_HPP_
#define NEXUS_STREAM_HPP_

#include <nexus/event.hpp>
#include <nexus/object.hpp>

#include <memory>
#include <type_traits>
#include <utility>

namespace nexus {

class Buffer;
class Device;

/// An ordered queue of work on a device. Work in one stream runs in order; work in different
/// streams does not, unless events order it. An empty Stream as an argument is the device's default
/// stream. Made by Device::createStream and Device::getDefaultStream.
class Stream : public Object {
 public:
  Stream() noexcept = default;
  /// Takes over the caller's reference.
  explicit Stream(nexus_stream *object) noexcept : Object(object) {}

  /// Defined in <nexus/device.hpp>.
  Device getDevice() const;

  /// Waits for all work submitted so far. Throws Error: NXS_Timeout, NXS_Cancelled, or the
  /// cause of the stream's failure.
  void synchronize(Timeout timeout = forever) const {
    detail::check(nexus_stream_synchronize(get(), detail::toNanoseconds(timeout)));
  }

  /// Returns whether all work submitted so far is done.
  bool isIdle() const { return detail::result<std::int32_t>(nexus_stream_is_idle, get()) != 0; }

  /// Sets the event to value when the stream's earlier work is done. Returns at once.
  void signal(const Event &event, std::uint64_t value = 1) const {
    detail::check(nexus_stream_signal(get(), event.get(), value));
  }

  /// Makes the stream's later work wait until the event reaches value. Returns at once.
  void wait(const Event &event, std::uint64_t value = 1) const {
    detail::check(nexus_stream_wait(get(), event.get(), value));
  }

  /// Makes the stream's later work wait until all work submitted to other so far is done.
  void wait(const Stream &other) const {
    detail::check(nexus_stream_wait_stream(get(), other.get()));
  }

  /// Makes the stream's later work, and work that another library submits to the driver's stream
  /// after this call, wait until all submitted work that uses the buffer is done. The call itself
  /// waits for what the driver can't order yet, such as work that is held back for an event.
  /// Defined in <nexus/device.hpp>.
  void wait(const Buffer &buffer) const;

  /// Makes a Signal event that is signalled after the stream's earlier work; with timing if the
  /// backend has it.
  Event record() const { return detail::result<Event>(nexus_stream_record, get()); }

  /// Calls function(status) when the stream's earlier work is done or has failed with that status,
  /// on libnexus' thread for callbacks. If it throws, the process ends.
  template <class Function>
    requires std::is_invocable_v<Function &, nxs_status>
  void addCallback(Function function) const {
    auto held = std::make_unique<Function>(std::move(function));
    detail::check(nexus_stream_add_callback(
        get(),
        [](void *context, nxs_status status) noexcept {
          const std::unique_ptr<Function> owned(static_cast<Function *>(context));
          (*owned)(status);
        },
        held.get()));
    static_cast<void>(held.release());  // now owned by the callback
  }

  /// Closes the stream; its work finishes. Throws NXS_InvalidOperation for a default stream.
  void close() const { closeObject(); }
};

}  // namespace nexus

#endif  // NEXUS_STREAM_HPP_
