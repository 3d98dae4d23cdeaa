// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_CPU_COMMAND_HPP_
#define NEXUS_CPU_COMMAND_HPP_

#include "dispatch.hpp"
#include "transfer.hpp"

#include <memory>
#include <mutex>
#include <nexus-plugin/arguments.hpp>
#include <nexus-plugin/handle_table.hpp>
#include <nexus-plugin/launch.hpp>
#include <optional>
#include <variant>

namespace nexus_cpu NXS_HIDDEN {

class Schedule;

// A kernel, its arguments, and, once finalized, its size.
class KernelCommand {
 public:
  explicit KernelCommand(nexus_plugin::Ref<Kernel> kernel);

  // As nxsSetCommandArgument and nxsFinalizeCommand.
  void set(uint32_t index, const nxs_argument *argument);
  void finalize(const nxs_launch *launch);

  bool finalized() const noexcept { return launch_.has_value(); }
  const Kernel &kernel() const noexcept { return *kernel_; }
  const nexus_plugin::Launch *launch() const noexcept { return launch_ ? &*launch_ : nullptr; }
  const ArgumentList &arguments() const noexcept { return arguments_.list(); }

  // Packed as it is now.
  std::shared_ptr<Dispatch> dispatch();

 private:
  nexus_plugin::Ref<Kernel> kernel_;
  nexus_plugin::Arguments<Buffer> arguments_;
  std::optional<nexus_plugin::Launch> launch_;
  std::shared_ptr<RunTime> run_time_ = std::make_shared<RunTime>();
  std::shared_ptr<Dispatch> dispatch_;  // empty after a change
};

// A run of another schedule. Shared with the plans that hold it.
struct NestedCommand {
  std::shared_ptr<nexus_plugin::Ref<Schedule>> schedule;
};

using CommandBody =
    std::variant<std::unique_ptr<KernelCommand>, std::shared_ptr<Transfer>, NestedCommand>;

// A command of a schedule. What kind of command it is never changes; a kernel
// command is guarded by mutex().
class Command {
 public:
  Command(nxs_id schedule, CommandBody body);

  nxs_id schedule() const noexcept { return schedule_; }
  std::mutex &mutex() const noexcept { return mutex_; }
  CommandBody &body() noexcept { return body_; }
  const CommandBody &body() const noexcept { return body_; }

  // Throws Error(NXS_InvalidOperation) where it is no kernel command.
  KernelCommand &kernel();

 private:
  nxs_id schedule_;
  mutable std::mutex mutex_;
  CommandBody body_;
};

extern constinit nexus_plugin::HandleTable<Command, NXS_ObjectType_Command> commands;

}  // namespace nexus_cpu

#endif  // NEXUS_CPU_COMMAND_HPP_
