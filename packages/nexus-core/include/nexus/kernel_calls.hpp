// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_KERNEL_CALLS_HPP_
#define NEXUS_KERNEL_CALLS_HPP_

#include <nexus/object.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace nexus {

/// An argument in local memory: bytes for each group.
struct LocalMemory {
  std::uint64_t size;
};

namespace detail {

/// An argument of a call. Borrows the buffer and the bytes.
struct CallArgument {
  nxs_argument_kind kind;
  nexus_buffer *buffer = nullptr;  ///< With kind Buffer and no buffer: the host's memory at data.
  const void *data = nullptr;
  std::uint64_t size = 0;  ///< Bytes; 0 for a buffer.
  nxs_data_type dataType = NXS_DataType_Undefined;
  nxs_buffer_settings settings = 0;  ///< ReadOnly, or 0; of the host's memory.

  bool isHost() const noexcept { return kind == NXS_ArgumentKind_Buffer && buffer == nullptr; }
  bool isLike(const CallArgument &other) const noexcept {
    if (kind != other.kind || isHost() != other.isHost()) return false;
    return isHost() || (size == other.size && dataType == other.dataType);
  }
};

/// The schedules of a kernel's calls. Each has one command, which a call with the same stream,
/// sizes and kinds of arguments uses again.
///
/// A call takes a schedule out and puts it back when it has submitted its run, so that no two calls
/// change the arguments of one. A schedule that keeps the last buffer of a memory closes, so that
/// the memory ends with the program's buffers.
class KernelCalls {
 public:
  void run(nexus_kernel *kernel, nexus_stream *stream, const nexus_launch_desc &launch,
           std::span<const CallArgument> arguments, nxs_execution_settings settings) {
    std::unique_ptr<Ready> ready = take(stream, launch, arguments);
    nxs_status status = NXS_InvalidSchedule;
    if (ready != nullptr && setAll(*ready, arguments) == NXS_Success) {
      status = nexus_schedule_run(ready->schedule.get(), stream, settings, NEXUS_FOREVER, 1);
    }
    if (status == NXS_InvalidSchedule) {  // there was none, or it has closed meanwhile
      ready = make(kernel, stream, launch, arguments);
      check(setAll(*ready, arguments));
      check(nexus_command_finalize(ready->command.get(), &launch));
      status = nexus_schedule_run(ready->schedule.get(), stream, settings, NEXUS_FOREVER, 1);
    }
    check(status);
    put(std::move(ready));
  }

 private:
  static constexpr std::size_t kMost = 16;

  struct Release {
    void operator()(nexus_object *object) const noexcept { nexus_release(object); }
  };
  using Owned = std::unique_ptr<nexus_object, Release>;

  struct Ready {
    Owned schedule, command;
    const nexus_object *stream;  // only compared; it may not live any more
    nexus_launch_desc launch;
    std::vector<CallArgument> arguments;  // the newest ones, of which only the host's are set
    std::vector<std::string> scalars{};   // those that are set, by argument; else empty
    // Buffers over the host's memory. It may have ended since: only a call with it uses them.
    std::vector<Owned> hosts{};
  };

  // Returns the schedule of such a call; NULL if there is none, or another thread looks at them.
  std::unique_ptr<Ready> take(const nexus_object *stream, const nexus_launch_desc &launch,
                              std::span<const CallArgument> arguments) {
    // Only tried, since in a child process it may be locked by a thread that is not there.
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock) return nullptr;
    const auto found = std::find_if(ready_.rbegin(), ready_.rend(), [&](const auto &each) {
      return each->stream == stream && std::memcmp(&each->launch, &launch, sizeof(launch)) == 0 &&
             std::ranges::equal(each->arguments, arguments, &CallArgument::isLike);
    });
    if (found == ready_.rend()) return nullptr;
    std::unique_ptr<Ready> taken = std::move(*found);
    ready_.erase(std::next(found).base());
    return taken;
  }

  void put(std::unique_ptr<Ready> ready) {
    std::unique_ptr<Ready> oldest;  // released after the lock
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock) return;
    if (ready_.size() == kMost) {
      oldest = std::move(ready_.front());
      ready_.erase(ready_.begin());
    }
    ready_.push_back(std::move(ready));
  }

  static std::unique_ptr<Ready> make(nexus_kernel *kernel, const nexus_object *stream,
                                     const nexus_launch_desc &launch,
                                     std::span<const CallArgument> arguments) {
    Owned schedule(result<nexus_object *>(nexus_kernel_create_schedule, kernel));
    Owned command(result<nexus_object *>(nexus_schedule_create_command, schedule.get(), kernel));
    return std::make_unique<Ready>(Ready{std::move(schedule),
                                         std::move(command),
                                         stream,
                                         launch,
                                         {arguments.begin(), arguments.end()}});
  }

  static nxs_status setAll(Ready &ready, std::span<const CallArgument> arguments) {
    ready.scalars.resize(arguments.size());
    ready.hosts.resize(arguments.size());
    for (std::uint32_t index = 0; index < arguments.size(); ++index) {
      const CallArgument &argument = arguments[index];
      if (argument.isHost()) {
        const nxs_status status = setHost(ready, index, argument);
        if (status != NXS_Success) return status;
        continue;
      }
      const std::string_view scalar(static_cast<const char *>(argument.data),
                                    argument.data == nullptr ? 0 : argument.size);
      const bool known = argument.data != nullptr && ready.scalars[index] == scalar;
      const nxs_status status = known ? NXS_Success : set(ready.command.get(), index, argument);
      if (status != NXS_Success) return status;
      if (!known) ready.scalars[index] = scalar;
    }
    return NXS_Success;
  }

  static nxs_status setHost(Ready &ready, std::uint32_t index, const CallArgument &argument) {
    CallArgument &newest = ready.arguments[index];
    if (ready.hosts[index] != nullptr && newest.data == argument.data &&
        newest.size == argument.size && newest.dataType == argument.dataType &&
        newest.settings == argument.settings) {
      return NXS_Success;
    }
    auto desc = sized<nexus_buffer_desc>();
    desc.size = argument.size;
    desc.data_type = argument.dataType;
    desc.settings = NXS_BufferSettings_Maintain | argument.settings;
    desc.host_data = const_cast<void *>(argument.data);  // unless it is ReadOnly, it may be written
    Owned buffer(result<nexus_object *>(nexus_create_system_buffer, &desc));
    const nxs_status status = nexus_command_set_buffer(ready.command.get(), index, buffer.get());
    if (status != NXS_Success) return status;
    ready.hosts[index] = std::move(buffer);  // the older one ends when the command has left it
    newest = argument;
    return NXS_Success;
  }

  static nxs_status set(nexus_command *command, std::uint32_t index, const CallArgument &argument) {
    if (argument.kind == NXS_ArgumentKind_Buffer) {
      return nexus_command_set_buffer(command, index, argument.buffer);
    }
    if (argument.kind == NXS_ArgumentKind_LocalMemory) {
      return nexus_command_set_local_memory(command, index, argument.size);
    }
    return nexus_command_set_scalar(command, index, argument.data, argument.size,
                                    argument.dataType);
  }

  std::mutex mutex_;
  std::vector<std::unique_ptr<Ready>> ready_;  // under mutex_; the newest last
};

/// The calls of one value of Kernel, made at the first. A copy of the value has its own.
class OwnCalls {
 public:
  OwnCalls() noexcept = default;
  OwnCalls(const OwnCalls &) noexcept {}
  OwnCalls(OwnCalls &&other) noexcept : calls_(other.calls_.exchange(nullptr)) {}
  OwnCalls &operator=(OwnCalls other) noexcept {
    other.calls_ = calls_.exchange(other.calls_);
    return *this;
  }
  ~OwnCalls() { delete calls_.load(); }

  KernelCalls &get() const {
    KernelCalls *present = calls_.load(std::memory_order_acquire);
    if (present != nullptr) return *present;
    auto made = std::make_unique<KernelCalls>();
    return calls_.compare_exchange_strong(present, made.get()) ? *made.release() : *present;
  }

 private:
  mutable std::atomic<KernelCalls *> calls_{nullptr};
};

}  // namespace detail
}  // namespace nexus

#endif  // NEXUS_KERNEL_CALLS_HPP_
