// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_CUDA_COMMAND_HPP_
#define NEXUS_CUDA_COMMAND_HPP_

#include "kernel_command.hpp"
#include "transfer.hpp"

#include <nexus-plugin/handle_table.hpp>
#include <variant>

namespace nexus_cuda NXS_HIDDEN {

class Schedule;

// A run of another schedule.
struct NestedCommand {
  nexus_plugin::Ref<Schedule> schedule;
};

// A command of a schedule, whose mutex guards it.
class Command {
 public:
  using Body = std::variant<KernelCommand, Transfer, NestedCommand>;

  Command(nxs_id schedule, Body body);
  ~Command();

  nxs_id schedule() const noexcept { return schedule_; }
  const Body &body() const noexcept { return body_; }
  // NULL where it is no kernel command.
  KernelCommand *kernel() noexcept { return std::get_if<KernelCommand>(&body_); }
  const KernelCommand *kernel() const noexcept { return std::get_if<KernelCommand>(&body_); }
  const Transfer *transfer() const noexcept { return std::get_if<Transfer>(&body_); }
  // NULL where it is no run of another schedule.
  Schedule *nested() const noexcept;

  bool finalized() const noexcept { return kernel() == nullptr || kernel()->finalized(); }

 private:
  nxs_id schedule_;
  Body body_;
};

extern constinit nexus_plugin::HandleTable<Command, NXS_ObjectType_Command> commands;

}  // namespace nexus_cuda

#endif  // NEXUS_CUDA_COMMAND_HPP_
