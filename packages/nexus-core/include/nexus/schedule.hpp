// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_SCHEDULE_HPP_
#define NEXUS_SCHEDULE_HPP_

#include <nexus/buffer.hpp>
#include <nexus/command.hpp>
#include <nexus/event.hpp>
#include <nexus/kernel.hpp>
#include <nexus/object.hpp>
#include <nexus/stream.hpp>

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace nexus {

class Device;

namespace detail {

/// Calls a std::function<void()>, for nexus_host_function.
inline nxs_status callHostFunction(void *context, const nxs_sink *text, const nxs_sink *) {
  std::string_view why = "The function threw an object that is not a std::exception.";
  try {
    (*static_cast<std::function<void()> *>(context))();
    return NXS_Success;
  } catch (const std::exception &error) {
    why = error.what();
    text->write(text->context, why.data(), why.size());
  } catch (...) {
    text->write(text->context, why.data(), why.size());
  }
  return NXS_InvalidOperation;
}

}  // namespace detail

/// Commands that run in order, recorded once and run many times. It keeps alive all that its
/// commands use. Made by Device::createSchedule. Threads: only one thread at a time may record it;
/// any thread may run it.
class Schedule : public Object {
 public:
  Schedule() noexcept = default;
  /// Takes over the caller's reference.
  explicit Schedule(nexus_schedule *object) noexcept : Object(object) {}

  /// Defined in <nexus/device.hpp>.
  Device getDevice() const;

  /// Makes a buffer of scratch memory, without settings and data. Only commands of this schedule
  /// use it, and host functions that it is given to, by copies and fills. Buffers whose uses do not
  /// overlap share memory, so the contents are undefined when a run begins. The first run allocates
  /// it.
  Buffer createBuffer(const BufferDesc &desc) const {
    const nexus_buffer_desc raw = detail::toDesc(desc);
    return detail::result<Buffer>(nexus_schedule_create_buffer, get(), &raw);
  }

  /// Makes a buffer of scratch memory for count elements of a data type.
  Buffer createBuffer(std::uint64_t count, nxs_data_type dataType) const {
    return createBuffer(BufferDesc{.dataType = dataType, .shape = {count}});
  }

  /// Adds a command that runs the kernel.
  Command createCommand(const Kernel &kernel) const {
    return detail::result<Command>(nexus_schedule_create_command, get(), kernel.get());
  }

  /// The same with all arguments, as Command::setArgument takes them. Call finalize() next:
  /// schedule.createCommand(kernel, x, y, 2.0f, n).finalize({}, n). If an argument is refused, no
  /// command is added.
  template <class... Arguments>
    requires(sizeof...(Arguments) != 0)
  Command createCommand(const Kernel &kernel, const Arguments &...arguments) const {
    Command command = createCommand(kernel);
    try {
      std::uint32_t index = 0;
      (command.setArgument(index++, arguments), ...);
    } catch (...) {
      static_cast<void>(nexus_command_remove(command.get()));  // its failure would say less
      throw;
    }
    return command;
  }

  /// Adds a copy between buffers of equal size. One may be of another device, or a system buffer
  /// over the program's own memory, which is read or written at each run.
  Command createCopyCommand(const Buffer &destination, const Buffer &source) const {
    return detail::result<Command>(nexus_schedule_create_copy_command, get(), destination.get(),
                                   source.get());
  }

  /// Adds a command that sets each element of the buffer to value.
  template <class T>
    requires std::is_trivially_copyable_v<T>
  Command createFillCommand(const Buffer &buffer, const T &value) const {
    return detail::result<Command>(nexus_schedule_create_fill_command, get(), buffer.get(), &value,
                                   sizeof(value));
  }

  /// Adds a command that signals the event: run n sets value + (n - 1) x step.
  Command createSignalCommand(const Event &event, std::uint64_t value = 1,
                              std::uint64_t step = 1) const {
    return detail::result<Command>(nexus_schedule_create_signal_command, get(), event.get(), value,
                                   step);
  }

  /// Adds a command that waits for the event: run n waits for value + (n - 1) x step.
  Command createWaitCommand(const Event &event, std::uint64_t value = 1,
                            std::uint64_t step = 1) const {
    return detail::result<Command>(nexus_schedule_create_wait_command, get(), event.get(), value,
                                   step);
  }

  /// Adds a run of another schedule, with the commands that it has when this one runs. It may be in
  /// several schedules, and several times in one, but must not contain this one:
  /// NXS_InvalidOperation.
  Command createScheduleCommand(const Schedule &nested) const {
    return detail::result<Command>(nexus_schedule_create_schedule_command, get(), nested.get());
  }

  /// Adds a call of function(), which begins after the commands before it, on a thread of libnexus;
  /// those after it begin when it returned. It may use Nexus and wait, but not for work after it in
  /// the stream of the run. If it throws, the run and its stream fail with that text. name: for
  /// errors and lists. scratch: the buffers of createBuffer() that it uses. The function lives
  /// until the schedule is closed or destroyed and no run uses it.
  Command createHostCommand(std::function<void()> function, std::string_view name = {},
                            const std::vector<Buffer> &scratch = {}) const {
    auto kept = std::make_unique<std::function<void()>>(std::move(function));
    auto info = detail::sized<nexus_host_function>();
    info.name = detail::toString(name);
    info.call = *kept ? &detail::callHostFunction : nullptr;
    info.context = kept.get();
    std::vector<nexus_buffer *> buffers;
    buffers.reserve(scratch.size());
    for (const Buffer &buffer : scratch) {
      buffers.push_back(buffer.get());
    }
    info.buffers = buffers.data();
    info.buffer_count = buffers.size();
    info.release = [](void *context) { delete static_cast<std::function<void()> *>(context); };
    auto command = detail::result<Command>(nexus_schedule_create_host_command, get(), &info);
    static_cast<void>(kept.release());  // now the schedule's
    return command;
  }

  /// Adds a command that reads the first element of condition, a buffer of int32 or uint32, when
  /// the run has come to it, and runs `then` if that is not 0. The schedules of a condition are
  /// nested ones, and may have no signal and no wait command.
  Command createIfCommand(const Buffer &condition, const Schedule &then) const {
    return detail::result<Command>(nexus_schedule_create_if_command, get(), condition.get(),
                                   then.get(), nullptr);
  }
  /// The same; runs `otherwise` if the integer is 0.
  Command createIfCommand(const Buffer &condition, const Schedule &then,
                          const Schedule &otherwise) const {
    return detail::result<Command>(nexus_schedule_create_if_command, get(), condition.get(),
                                   then.get(), otherwise.get());
  }

  /// Adds a command that runs body while the integer, read before each iteration, is not 0: at most
  /// maxCount iterations. A wait for the run may end before the loop does; the loop ends after an
  /// iteration when the stream is closed or the process ends.
  Command createWhileCommand(const Buffer &condition, const Schedule &body,
                             std::uint64_t maxCount = UINT64_MAX) const {
    return detail::result<Command>(nexus_schedule_create_while_command, get(), condition.get(),
                                   body.get(), maxCount);
  }

  /// Adds a command that runs the case whose number is the integer; nothing if there is none.
  Command createSwitchCommand(const Buffer &selector, const std::vector<Schedule> &cases) const {
    std::vector<nexus_schedule *> list;
    list.reserve(cases.size());
    for (const Schedule &each : cases) {
      list.push_back(each.get());
    }
    return detail::result<Command>(nexus_schedule_create_switch_command, get(), selector.get(),
                                   list.data(), cases.size());
  }

  /// Calls body, and adds a command with the work that other libraries submit to the driver's
  /// stream (NP_NativeHandle) meanwhile, which does not run then. Until the end the stream takes no
  /// work of Nexus. If body throws, nothing is added. The memory that the work uses belongs to the
  /// other library: keep it, at its address, as long as the command can run. Throws
  /// NXS_NotSupported if the backend captures nothing, and NXS_InvalidOperation if a call made the
  /// capture invalid.
  template <class Body>
  Command capture(const Stream &stream, Body &&body) const {
    detail::check(nexus_schedule_begin_capture(get(), stream.get()));
    try {
      std::forward<Body>(body)();
    } catch (...) {
      static_cast<void>(nexus_schedule_end_capture(get(), stream.get(), nullptr));
      throw;
    }
    return detail::result<Command>(nexus_schedule_end_capture, get(), stream.get());
  }

  /// Sets the predecessors of the next command, by default the one before it; {} means none:
  /// schedule.after({a, b}).createCommand(kernel). In each run it sees the effects of its direct
  /// and indirect predecessors, and may run at the same time as all others.
  const Schedule &after(const std::vector<Command> &commands) const {
    std::vector<nexus_command *> list;
    list.reserve(commands.size() + 1);  // so that data() is not NULL
    for (const Command &command : commands) {
      list.push_back(command.get());
    }
    detail::check(nexus_schedule_set_after(get(), list.data(), commands.size()));
    return *this;
  }

  /// Calls body. Commands added in it are independent of each other: each follows the commands
  /// before the block, and the next command after the block follows them all.
  template <class Body>
  void parallel(Body &&body) const {
    detail::check(nexus_schedule_begin_parallel(get()));
    struct End {
      nexus_schedule *of;
      ~End() { static_cast<void>(nexus_schedule_end_parallel(of)); }
    } end{get()};
    std::forward<Body>(body)();
  }

  /// Returns the commands in order.
  std::vector<Command> getCommands() const {
    const auto count = detail::result<std::uint64_t>(nexus_schedule_command_count, get());
    return detail::listOf(count, [this](std::uint64_t index) {
      return detail::result<Command>(nexus_schedule_get_command, get(), index);
    });
  }

  /// Removes all commands. They can't be used afterwards. Throws NXS_InvalidOperation if a run is
  /// in flight.
  void clear() const { detail::check(nexus_schedule_clear(get())); }

  /// Prepares the first run, so that it is as fast as later ones.
  void prepare(const Stream &stream = {}) const {
    detail::check(nexus_schedule_prepare(get(), stream.get()));
  }

  /// Submits runs, one after the other, in the stream; an empty one is the default stream. A
  /// blocking call waits for their end, for timeout at most; after NXS_Timeout they go on. timing
  /// measures them as a whole, for getElapsedTime.
  void run(const Stream &stream = {}, bool blocking = true, Timeout timeout = forever,
           bool timing = false, std::uint64_t times = 1) const {
    const nxs_execution_settings settings = (blocking ? 0 : NXS_ExecutionSettings_NonBlocking) |
                                            (timing ? NXS_ExecutionSettings_Timing : 0);
    detail::check(
        nexus_schedule_run(get(), stream.get(), settings, detail::toNanoseconds(timeout), times));
  }

  /// Returns the nanoseconds that the newest run with timing took on the device.
  double getElapsedTime() const {
    return detail::result<double>(nexus_schedule_get_elapsed_time, get());
  }

  /// Closes the schedule; runs in flight finish, and schedules that contain it still run it.
  void close() const { closeObject(); }
};

inline std::vector<Schedule> Command::getBodies() const {
  const auto count = detail::result<std::uint64_t>(nexus_command_body_count, get());
  return detail::listOf(count, [this](std::uint64_t index) {
    return detail::result<Schedule>(nexus_command_get_body, get(), index);
  });
}

inline Schedule Command::getSchedule() const {
  return detail::result<Schedule>(nexus_command_get_schedule, get());
}

}  // namespace nexus

#endif  // NEXUS_SCHEDULE_HPP_
