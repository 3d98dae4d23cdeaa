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
  nexus_buffer *buffer = nullptr;
  const void *data = nullptr;
  std::uint64_t size = 0;  ///< Bytes; 0 for a buffer.
  nxs_data_type dataType = NXS_DataType_Undefined;

  bool isLike(const CallArgument &other) const noexcept {
    return kind == other.kind && size == other.size && dataType == other.dataType;
  }
};

/// The schedules of a kernel's calls. Each has one command, which a call with the same stream,
/// sizes and kinds of arguments uses again.
///
/// A call takes a schedule out and puts it back when it has submitted its run, so that no two calls
/// change the arguments of one. Between calls the schedules keep no buffer of the program alive.
class KernelCalls {
 public:
  void run(nexus_kernel *kernel, nexus_stream *stream, const nexus_launch_desc &launch,
           std::span<const CallArgument> arguments, nxs_execution_settings settings) {
    std::unique_ptr<Ready> ready = take(stream, launch, arguments);
    const bool made = ready == nullptr;
    if (made) ready = make(kernel, stream, launch, arguments);
    for (std::uint32_t index = 0; index < arguments.size(); ++index) {
      check(set(ready->command.get(), index, arguments[index]));
    }
    if (made) check(nexus_command_finalize(ready->command.get(), &launch));
    check(nexus_schedule_run(ready->schedule.get(), stream, settings, NEXUS_FOREVER, 1));
    if (letGo(*ready)) put(std::move(ready));
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
    std::vector<CallArgument> arguments;  // their kinds and sizes
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

  // Binds other memory instead of the call's buffers. Returns false if the device can't use memory
  // of the host in place; then the schedule is not used again.
  bool letGo(const Ready &ready) const {
    for (std::uint32_t index = 0; index < ready.arguments.size(); ++index) {
      if (ready.arguments[index].kind != NXS_ArgumentKind_Buffer) continue;
      if (nexus_command_set_buffer(ready.command.get(), index, nothing_.get()) != NXS_Success) {
        return false;
      }
    }
    return true;
  }

  static Owned makeNothing() {
    auto desc = sized<nexus_buffer_desc>();
    desc.size = 1;
    return Owned(result<nexus_object *>(nexus_create_system_buffer, &desc));
  }

  const Owned nothing_ = makeNothing();
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
