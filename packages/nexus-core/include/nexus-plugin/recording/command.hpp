// SPDX-License-Identifier: Apache-2.0
// The commands of schedules. recording.hpp says what a backend defines.
#ifndef NEXUS_PLUGIN_COMMAND_HPP_
#define NEXUS_PLUGIN_COMMAND_HPP_

#include <nexus-plugin/base/failure.hpp>
#include <nexus-plugin/base/handle_table.hpp>
#include <nexus-plugin/base/property_table.hpp>
#include <nexus-plugin/kernel/arguments.hpp>
#include <nexus-plugin/kernel/launch.hpp>
#include <nexus-plugin/memory/transfer.hpp>

#include <cstddef>
#include <mutex>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

namespace nexus_plugin NXS_HIDDEN {

template <class R>
class Command;

// The handle tables of commands and schedules.
template <class R>
struct Recorded {
  static inline constinit HandleTable<Command<R>, NXS_ObjectType_Command> commands;
  static inline constinit HandleTable<typename R::Schedule, NXS_ObjectType_Schedule> schedules;
};

// Calls body, and adds the kernel's name to the text of an Error that it throws.
template <class Kernel, class Body>
void naming_kernel(const Kernel &kernel, Body &&body) {
  try {
    std::forward<Body>(body)();
  } catch (const Failed &) {  // a failure of other work: its text stays as it is
    throw;
  } catch (const Error &error) {
    throw Error::with_native_code(error.native_code(), error.status(), "the kernel '",
                                  kernel.name(), "': ", error.what());
  }
}

// A launch of a kernel with its arguments: the base class of a backend's KernelCommand, which
// translates it for the driver. The mutex of its schedule guards it.
template <class R>
class RecordedKernel {
 public:
  using Kernel = typename R::Kernel;
  using Buffer = typename R::Buffer;

  // Implements nxsSetCommandArgument. If it throws, nothing has changed.
  void set(uint32_t index, const nxs_argument *argument) {
    naming_kernel(*kernel_, [&] {
      Argument<Buffer> made = arguments_.checked(index, argument, R::buffers);
      if (made.buffer) detail::require_same_device("buffer", *made.buffer, *kernel_);
      lowered().lower_argument(index, made);
      arguments_.put(index, std::move(made));
    });
  }

  // Implements nxsFinalizeCommand. If it throws, nothing has changed.
  void finalize(const nxs_launch *launch) {
    naming_kernel(*kernel_, [&] {
      const nxs_launch &given = check_struct(launch, "launch");
      arguments_.check_complete();
      launch_ = lowered().lower_launch(given);
      arguments_.fix();
      finalized_ = true;
    });
  }

  bool finalized() const noexcept { return finalized_; }
  const Kernel &kernel() const noexcept { return *kernel_; }
  const Ref<Kernel> &kernel_ref() const noexcept { return kernel_; }
  // Valid once the command is finalized.
  const Launch &launch() const noexcept { return launch_; }
  const ArgumentList<Buffer> &arguments() const noexcept { return arguments_.list(); }
  // Returns the present arguments, for a run that reads them later.
  typename Arguments<Buffer>::Snapshot snapshot() { return arguments_.snapshot(); }

 protected:
  // described: whether kernel->specs() describes the kernel's arguments.
  RecordedKernel(Ref<Kernel> kernel, bool described)
      : kernel_(std::move(kernel)),
        arguments_(described ? Arguments<Buffer>(kernel_->specs()) : Arguments<Buffer>()) {}

  // The default, for backends that do nothing when an argument is set.
  void lower_argument(uint32_t, const Argument<Buffer> &) noexcept {}

 private:
  typename R::KernelCommand &lowered() noexcept {
    return static_cast<typename R::KernelCommand &>(*this);
  }

  Ref<Kernel> kernel_;
  Arguments<Buffer> arguments_;
  Launch launch_;
  bool finalized_ = false;
};

// Runs of other schedules that depend on a 32-bit integer in a buffer.
template <class R>
struct RecordedCondition {
  nxs_command_type type;
  BufferRange<typename R::Buffer> value;
  std::vector<Ref<typename R::Schedule>> bodies;
  uint64_t max_count;  // of turns of a loop

  bool loops() const noexcept { return type == NXS_CommandType_While; }
};

// The Captured of a backend that captures nothing.
struct NoCaptured {
  static constexpr bool empty() noexcept { return true; }
};

// A command of a schedule, whose mutex guards it.
template <class R>
class Command {
 public:
  using KernelCommand = typename R::KernelCommand;
  using Transfer = typename R::Transfer;
  using Schedule = typename R::Schedule;
  using Captured = typename R::Captured;
  // Ref<Schedule>: a nested schedule.
  using Body = std::variant<KernelCommand, Transfer, Ref<Schedule>, RecordedCondition<R>, Captured>;

  // Constructs the body in place: g++ warns that a variant that is moved here may be uninitialized.
  template <class Kind>
  Command(nxs_id schedule, std::in_place_type_t<Kind> kind, Kind &&body)
      : schedule_(schedule), body_(kind, std::move(body)) {}

  nxs_id schedule() const noexcept { return schedule_; }
  // Each returns NULL for another kind of command.
  KernelCommand *kernel() noexcept { return std::get_if<KernelCommand>(&body_); }
  const KernelCommand *kernel() const noexcept { return std::get_if<KernelCommand>(&body_); }
  Transfer *transfer() noexcept { return std::get_if<Transfer>(&body_); }
  const Transfer *transfer() const noexcept { return std::get_if<Transfer>(&body_); }
  const Captured *captured() const noexcept { return std::get_if<Captured>(&body_); }
  Schedule *nested() const noexcept {
    const auto *nested = std::get_if<Ref<Schedule>>(&body_);
    return nested == nullptr ? nullptr : nested->get();
  }
  const RecordedCondition<R> *condition() const noexcept {
    return std::get_if<RecordedCondition<R>>(&body_);
  }

  bool finalized() const noexcept { return kernel() == nullptr || kernel()->finalized(); }
  // Returns whether a run skips the command. Does not look into other schedules.
  bool empty() const noexcept {
    if (const KernelCommand *launched = kernel()) return launched->launch().empty();
    if (const auto *decides = condition()) return decides->bodies.empty();
    if (captured() != nullptr) return captured()->empty();
    return transfer() != nullptr && transfer()->empty();
  }

  std::size_t index = 0;  // in the schedule
  // The indices of the commands that this one follows; without a value the one before it.
  std::optional<std::vector<std::size_t>> predecessors;

 private:
  nxs_id schedule_;
  Body body_;
};

// A command whose schedule is locked. Throws NXS_InvalidCommand, also after the schedule's release,
// and NXS_InvalidSchedule during it.
template <class R>
class LockedCommand {
 public:
  explicit LockedCommand(nxs_id id)
      : command_(Recorded<R>::commands.pin(id)),
        schedule_(Recorded<R>::schedules.pin(command_->schedule())),
        lock_(schedule_->mutex()) {}

  Command<R> &operator*() const noexcept { return *command_; }
  typename R::Schedule &schedule() const noexcept { return *schedule_; }
  typename R::KernelCommand &kernel() const {
    if (auto *kernel = command_->kernel()) return *kernel;
    throw Error(NXS_InvalidOperation,
                "the command runs no kernel; only kernel commands have arguments and sizes");
  }

 private:
  Ref<Command<R>> command_;
  Ref<typename R::Schedule> schedule_;
  std::unique_lock<std::mutex> lock_;
};

// ---- Properties -------------------------------------------------------

namespace detail {

template <class R>
Value command_name(const Command<R> &command) {
  return command.kernel() == nullptr ? Value() : Value(command.kernel()->kernel().name());
}

template <class R>
Value command_type(const Command<R> &command) {
  if (command.kernel() != nullptr) return "Dispatch";
  if (const auto *condition = command.condition()) {
    if (condition->loops()) return "While";
    return condition->type == NXS_CommandType_If ? "If" : "Switch";
  }
  if (command.captured() != nullptr) return "Captured";
  if (command.transfer() == nullptr) return "Schedule";
  return command.transfer()->is_copy() ? "Copy" : "Fill";
}

// Returns the ids of the buffers; 0 for an argument that is not a buffer.
template <class R>
Value command_arguments(const Command<R> &command) {
  std::vector<int64_t> ids;
  if (const auto *kernel = command.kernel()) {
    for (const auto &argument : kernel->arguments()) {
      ids.push_back(argument.buffer ? R::buffers.id(argument.buffer) : 0);
    }
  } else if (const auto *transfer = command.transfer()) {
    ids.push_back(R::buffers.id(transfer->to().buffer));
    if (transfer->is_copy()) ids.push_back(R::buffers.id(transfer->from().buffer));
  } else if (const auto *condition = command.condition()) {
    ids.push_back(R::buffers.id(condition->value.buffer));
  } else {
    return {};
  }
  return ids;
}

template <class R, Size3 Launch::*Member>
Value command_size(const Command<R> &command) {
  const auto *kernel = command.kernel();
  if (kernel == nullptr || !kernel->finalized()) return {};
  return kernel->launch().*Member;
}

template <class R>
inline constexpr auto command_properties = property_table<Command<R>>({
    {NP_Name, command_name<R>},
    {NP_Type, command_type<R>},
    {NP_Arguments, command_arguments<R>},
    {NP_GroupSize, command_size<R, &Launch::group_size>},
    {NP_GridSize, command_size<R, &Launch::grid_size>},
    {NP_GroupCount, command_size<R, &Launch::group_count>},
});

}  // namespace detail
}  // namespace nexus_plugin

#endif  // NEXUS_PLUGIN_COMMAND_HPP_
