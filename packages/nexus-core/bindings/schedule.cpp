// SPDX-License-Identifier: Apache-2.0
#include <nexus/device.hpp>
#include <nexus/schedule.hpp>

#include "buffer.hpp"
#include "command.hpp"
#include "dtype.hpp"
#include "gil.hpp"
#include "launch.hpp"
#include "object.hpp"
#include "run.hpp"
#include "scalar.hpp"

namespace nexus::python {
namespace {

// Reads everything before it adds the command, so that a mistake leaves the schedule as it was.
Command createCommand(const Schedule &self, py::handle kernelObject, const py::iterable &args,
                      py::handle groupSize, py::handle gridSize) {
  const auto &kernel = argumentOf<Kernel>(kernelObject, "kernel");
  std::vector<ArgumentValue> arguments;
  for (const py::handle value : args) {
    const auto index = static_cast<std::uint32_t>(arguments.size());
    arguments.push_back(readArgument(kernel, index, value, py::none()));
  }
  std::optional<Launch> launch;
  if (!groupSize.is_none() || !gridSize.is_none()) {
    launch = parseLaunch(groupSize, gridSize, py::none(), py::int_(0));
  }
  const Command command = self.createCommand(kernel);
  for (const ArgumentValue &argument : arguments) {
    setArgument(command, argument);
  }
  if (launch) {
    withoutGil([&] { command.finalize(*launch); });
  }
  return command;
}

Command createFillCommand(const Schedule &self, py::handle object, py::handle value) {
  const auto &buffer = argumentOf<BufferObject>(object, "buffer");
  const nxs_data_type type = buffer.getDataType();
  const Scalar pattern =
      packScalar(value, type == NXS_DataType_Undefined ? NXS_DataType_U8 : type, "value");
  nexus_command *command = nullptr;
  detail::check(nexus_schedule_create_fill_command(self.get(), buffer.get(), pattern.bytes.data(),
                                                   pattern.size, &command));
  return Command(command);
}

void bindCommands(py::class_<Schedule> &cls) {
  cls.def("create_command", &createCommand, py::arg("kernel"), py::arg("args") = py::tuple(),
          py::arg("group_size") = py::none(), py::arg("grid_size") = py::none(),
          "create_command(self, kernel: Kernel, args: Iterable[Buffer | Number] = (), group_size: "
          "Size | None = None, grid_size: Size | None = None) -> Command\n\n"
          "Adds a command that runs the kernel.\n\n"
          "args are set as Command.set_arg does; with a size the command is finalized too.");
  cls.def(
      "create_copy_command",
      [](const Schedule &self, py::handle destination, py::handle source) {
        return self.createCopyCommand(argumentOf<BufferObject>(destination, "destination"),
                                      argumentOf<BufferObject>(source, "source"));
      },
      py::arg("destination"), py::arg("source"),
      "create_copy_command(self, destination: Buffer, source: Buffer) -> Command\n\nAdds a copy "
      "between buffers of one size.");
  cls.def("create_fill_command", &createFillCommand, py::arg("buffer"), py::arg("value"),
          "create_fill_command(self, buffer: Buffer, value: Number) -> Command\n\nAdds a command "
          "that sets every element of the buffer to value.");
  cls.def(
      "create_signal_command",
      [](const Schedule &self, py::handle event, py::handle value, py::handle step) {
        return self.createSignalCommand(argumentOf<Event>(event, "event"),
                                        parseCount(value, "value"), parseCount(step, "step"));
      },
      py::arg("event"), py::arg("value") = 1, py::arg("step") = 1,
      "create_signal_command(self, event: Event, value: int = 1, step: int = 1) -> Command\n\nAdds "
      "a command that signals the event: run n sets value + (n - 1) * step.");
  cls.def(
      "create_wait_command",
      [](const Schedule &self, py::handle event, py::handle value, py::handle step) {
        return self.createWaitCommand(argumentOf<Event>(event, "event"), parseCount(value, "value"),
                                      parseCount(step, "step"));
      },
      py::arg("event"), py::arg("value") = 1, py::arg("step") = 1,
      "create_wait_command(self, event: Event, value: int = 1, step: int = 1) -> Command\n\nAdds a "
      "command that waits for the event: run n waits for value + (n - 1) * step.");
}

}  // namespace

void registerSchedule(py::module_ &module) {
  auto cls = makeClass<Schedule>(
      module, "Schedule", "Device.create_schedule()",
      "Commands that run in order, recorded once and run many times; keeps all that they use.\n\n"
      "Made by Device.create_schedule(). One thread at a time records it, any may run it.");
  bindObject(cls, "Schedule", [](const Schedule &self) {
    const auto count = self.getCommands().size();
    return "of " + std::to_string(count) + (count == 1 ? " command on " : " commands on ") +
           self.getDevice().getSelector();
  });
  bindClose(cls, "Ends the schedule; runs in flight finish.");
  cls.def_property_readonly("device", &Schedule::getDevice,
                            "device: Device\n\nThe schedule's device.");
  cls.def(
      "get_commands", [](const Schedule &self) { return objectList(self.getCommands()); },
      "get_commands(self) -> ObjectList[Command]\n\nThe commands in the order in which they run.");
  bindCommands(cls);
  registerRun(module);
}

}  // namespace nexus::python
