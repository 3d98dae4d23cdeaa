// SPDX-License-Identifier: Apache-2.0
#include <nexus/command.hpp>

#include "arrays/buffer.hpp"
#include "arrays/host_array.hpp"
#include "objects/argument.hpp"
#include "objects/kernel.hpp"
#include "python/errors.hpp"
#include "python/gil.hpp"
#include "types/object.hpp"
#include "values/dtype.hpp"
#include "values/parse.hpp"
#include "values/scalar.hpp"

namespace nexus::python {
namespace {

// A kernel's arguments also have names.
std::uint32_t parseIndex(const Command &command, py::handle value) {
  const bool named =
      PyUnicode_Check(value.ptr()) != 0 && command.getType() == NXS_CommandType_Dispatch;
  return argumentIndex(named ? command.getKernel() : Kernel(), value, "index");
}

const char *typeText(nxs_command_type type) {
  switch (type) {
    case NXS_CommandType_Dispatch:
      return "kernel";
    case NXS_CommandType_Signal:
      return "signal";
    case NXS_CommandType_Wait:
      return "wait";
    case NXS_CommandType_Copy:
      return "copy";
    case NXS_CommandType_Fill:
      return "fill";
    case NXS_CommandType_Captured:
      return "captured work";
    case NXS_CommandType_Host:
      return "host function";
    case NXS_CommandType_If:
      return "if";
    case NXS_CommandType_While:
      return "while";
    case NXS_CommandType_Switch:
      return "switch";
    default:
      return "schedule";
  }
}

std::string describeCommand(const Command &self) {
  const nxs_command_type type = self.getType();
  std::string text = typeText(type);
  if (type == NXS_CommandType_Dispatch) {
    text += " '" + self.getKernel().getName() + "'";
  } else if (type == NXS_CommandType_Host) {
    text += " '" + findProperty<std::string>(self, NP_Name).value_or("") + "'";
  } else if (type == NXS_CommandType_Schedule) {
    text = findProperty<std::string>(self, NP_Name).value_or(text);  // "schedule 3"
  }
  return text;
}

void setBuffer(const Command &self, py::handle index, py::handle buffer) {
  const std::uint32_t number = parseIndex(self, index);
  const auto access = number == 0 ? HostArray::Access::Write : HostArray::Access::Read;
  const Buffer bound = self.getType() == NXS_CommandType_Copy
                           ? copyOperand(buffer, access, "buffer")
                           : argumentOf<Buffer>(buffer, "buffer");
  withoutGil([&] { self.setBuffer(number, bound); });
}

// Packs the pattern of a fill: an element of its buffer, or of dtype.
Scalar readPattern(const Command &self, py::handle value, py::handle dtype) {
  nxs_data_type type = NXS_DataType_U8;
  if (!dtype.is_none()) {
    type = parseDtype(dtype);
  } else if (const auto name = findProperty<std::string>(self, NP_DataType)) {
    const nxs_data_type known = dtypeFromName(*name).value_or(NXS_DataType_Undefined);
    if (known != NXS_DataType_Undefined) type = known;
  }
  return packScalar(value, type, "value");
}

void setArg(const Command &self, py::handle index, py::handle value, py::handle dtype) {
  const std::uint32_t number = parseIndex(self, index);
  const bool fill = self.getType() == NXS_CommandType_Fill && !isA<Buffer>(value);
  const ArgumentValue argument =
      fill ? ArgumentValue{number, {}, readPattern(self, value, dtype)}
           : readArgument(isA<Buffer>(value) ? Kernel() : self.getKernel(), number, value, dtype);
  withoutGil([&] { setArgument(self, argument); });
}

void setEnabled(const Command &self, py::handle enabled) {
  const bool on = parseBool(enabled, "enabled");
  withoutGil([&] { self.setEnabled(on); });
}

// Of a copy, 0 is the destination; a kernel's number of arguments is at most 64.
BufferObject bufferOf(const Command &self, py::handle index) {
  const std::uint32_t number = parseIndex(self, index);
  return BufferObject(withoutGil([&] { return self.getBuffer(number); }));
}

void setLocalMemory(const Command &self, py::handle index, py::handle size) {
  const std::uint32_t number = parseIndex(self, index);
  const std::uint64_t bytes = parseCount(size, "size", 1);
  withoutGil([&] { self.setLocalMemory(number, bytes); });
}

void setValue(const Command &self, py::handle value, py::handle step) {
  const std::uint64_t first = parseCount(value, "value");
  const std::uint64_t growth = step.is_none() ? 1 : parseCount(step, "step");
  withoutGil([&] { self.setValue(first, growth); });
}

void finalizeCommand(const Command &self, py::handle groupSize, py::handle gridSize,
                     py::handle localMemory, py::handle groupCount, py::handle clusterSize,
                     py::handle cooperative, py::handle programmatic) {
  const Launch launch = LaunchArguments{groupSize,   gridSize,    localMemory, groupCount,
                                        clusterSize, cooperative, programmatic}
                            .parse();
  withoutGil([&] { self.finalize(launch); });
}

py::object commandType(const Command &self) {
  return py::module_::import("nexus.command_type").attr("CommandType")(self.getType());
}

// Returns one of the launch's sizes; None before finalize() and for commands without a kernel.
template <nxs_property Number>
py::object launchSize(const Command &self) {
  const auto lengths = findProperty<std::vector<std::int64_t>>(self, Number);
  return lengths ? py::object(py::tuple(py::cast(*lengths))) : py::none();
}

void bindLaunch(py::class_<Held<Command>> &cls) {
  method<&finalizeCommand>(
      cls,
      "finalize(self, group_size: Size | None = None, grid_size: Size | None = None, local_memory: "
      "int = 0, *, group_count: Size | None = None, cluster_size: Size | None = None, "
      "cooperative_launch: bool = False, programmatic_launch: bool = False) -> None\n\nChecks the "
      "arguments and fixes the launch.\n\ngroup_size is the number of work items in a group; None "
      "leaves it to the backend. grid_size is the total number of work items; alternatively, "
      "group_count is the number of groups. Each is an int or up to three ints, x first. "
      "local_memory is the number of bytes for each group, in addition to local memory "
      "arguments.\n\ncluster_size is the number of groups in a cluster, which run at the same time "
      "and can access each other's local memory; only whole clusters are launched. None means no "
      "clusters, or the size that the kernel was compiled for. cooperative_launch runs all groups "
      "at the same time, so that they can wait for each other; Kernel.get_occupancy() returns how "
      "many can. programmatic_launch lets the kernel begin before the stream's previous kernel has "
      "ended; the kernel itself must wait for the previous one before it uses its results and "
      "before it ends (on CUDA: programmatic dependent launch, cudaGridDependencySynchronize()). "
      "See the device's properties ClusterLaunch, CooperativeLaunch and ProgrammaticLaunch.\n\nA "
      "grid of 0 work items is allowed: the command does nothing.\n\nRaises ValueError for a group "
      "size below 1, a grid size below 0 or sizes beyond the device's limits, NexusError or "
      "TypeError for arguments that are missing, surplus or of the wrong kind, and NexusError "
      "(NXS_NotSupported) if the backend or device does not support this kind of launch.");
  property<&launchSize<NP_GroupSize>>(
      cls,
      "group_size: tuple[int, int, int] | None\n\nThe number of work items in a group in x, y and "
      "z, as given or as chosen by the backend; None before finalize().");
  property<&launchSize<NP_GridSize>>(cls,
                                     "grid_size: tuple[int, int, int] | None\n\nThe requested "
                                     "number of work items in x, y and z; None before finalize().");
  property<&launchSize<NP_GroupCount>>(cls,
                                       "group_count: tuple[int, int, int] | None\n\nThe number of "
                                       "launched groups in x, y and z; None before finalize().");
}

void bindArguments(py::class_<Held<Command>> &cls) {
  method<&setBuffer>(
      cls,
      "set_buffer(self, index: int | str, buffer: Buffer | Array) -> None\n\nSets the kernel's "
      "argument with this index or name to a buffer. After the first run, the change applies to "
      "later runs. Raises ValueError if the buffer's dtype differs from the parameter's; see "
      "set_arg().\n\nFor a copy command, index 0 is the destination and 1 the source, each a "
      "buffer or an array in host memory; the size can't change. For a fill command, index 0 is "
      "the buffer.");
  method<&setArg>(
      cls,
      "set_arg(self, index: int | str, value: Buffer | Number, dtype: DTypeLike | None = None) -> "
      "None\n\nSets the kernel's argument with this index or name to a buffer or a value. After "
      "the first run, the change applies to later runs.\n\nIf the kernel describes its parameters, "
      "a buffer must have the parameter's dtype (Buffer.view() casts) or none. Numbers are "
      "converted to the parameter's type by value: a float is rounded to its precision, and a "
      "number out of range raises ValueError. For other kernels, dtype or a numpy or ctypes scalar "
      "gives the type.\n\nA vector is a tuple, list or array of its components: (1, 2, 3, 4) for "
      "nexus_float4. Vectors, structs and numbers can also be given as bytes of exactly their "
      "size: bytes, a ctypes structure, a structured numpy scalar.\n\nRaises TypeError if the type "
      "is unknown, if dtype or a ctypes scalar does not match the parameter, or for a value of the "
      "wrong kind, such as a float for an integer. Raises ValueError for a number out of range, a "
      "wrong size, or a buffer of another dtype.\n\nFor a fill command, index 0 is the buffer, and "
      "1 the value of each element.");
  method<&setLocalMemory>(
      cls,
      "set_local_memory(self, index: int | str, size: int) -> None\n\nSets the kernel's argument "
      "with this index or name to local memory of size bytes for each group.");
  method<&bufferOf>(
      cls,
      "get_buffer(self, index: int | str) -> Buffer\n\nReturns a buffer over the memory to which "
      "the kernel's argument with this index or name was last set. For a copy command, index 0 is "
      "dst and 1 is src; for a fill command or a condition, 0 is the buffer. Raises ValueError if "
      "there is no buffer at that index.");
}

}  // namespace

// Sets a scalar from the bytes in a description.
void setScalarBytes(py::handle commandObject, py::handle index, py::handle data, py::handle dtype) {
  const Command &command = argumentOf<Command>(commandObject, "command");
  const std::uint32_t number = parseIndex(command, index);
  const Scalar scalar = readValueBytes(data, Parameter(number, nullptr));
  const nxs_data_type type = dtype.is_none() ? NXS_DataType_Undefined : parseDtype(dtype);
  withoutGil([&] { command.setScalar(number, scalar.bytes.data(), scalar.bytes.size(), type); });
}

void registerCommand(py::module_ &module) {
  auto cls = makeClass<Command>(
      module, "Command",
      "One step of a schedule. A kernel command needs its arguments and finalize() before "
      "the\nschedule runs.\n\nMade by Schedule.create_command() and the other create_ methods.",
      madeBy("Schedule.create_command()"));
  bindObject<&describeCommand>(cls);
  bindArguments(cls);
  bindLaunch(cls);
  method<&setValue>(cls,
                    "set_value(self, value: int, step: int | None = None) -> None\n\nSets the "
                    "value of a signal or wait command: the schedule's next run uses value, the "
                    "run after that value + step, and so on. A step of None means 1. Runs in "
                    "flight keep their values. Raises NexusError for other commands.");
  method<[](const Command &self) { return self.getKernel(); }>(
      cls,
      "get_kernel(self) -> Kernel\n\nReturns the kernel of a kernel command. Raises NexusError for "
      "others.");
  method<[](const Command &self) { return self.getEvent(); }>(
      cls,
      "get_event(self) -> Event\n\nReturns the event of a signal or wait command. Raises "
      "NexusError for others.");
  method<[](const Command &self) { return self.getBodies(); }>(
      cls,
      "get_bodies(self) -> ObjectList[Schedule]\n\nReturns the schedules of an if command (then "
      "and, if given, otherwise), a while command (its body) or a switch command (its cases). "
      "Raises NexusError for others.");
  method<[](const Command &self) { return self.getSchedule(); }>(
      cls,
      "get_schedule(self) -> Schedule\n\nReturns the schedule that a schedule command runs. Raises "
      "NexusError for others.");
  property<[](const Command &self) { return withoutGil([&] { return self.isEnabled(); }); },
           &setEnabled>(
      cls,
      "enabled: bool\n\nWhether runs execute the command; True by default. A disabled command does "
      "nothing in later runs; the other commands keep their order. Runs in flight do not change. "
      "The first run after a change prepares the commands again.",
      "enabled(self, enabled: bool) -> None");
  method<[](const Command &self) { withoutGil([&] { self.remove(); }); }>(
      cls,
      "remove(self) -> None\n\nRemoves the command from its schedule, as if it had not been added. "
      "It can't be used afterwards. Raises NexusError (NXS_InvalidOperation) while a run of the "
      "schedule is in flight.");
  property<&commandType>(cls, "type: CommandType\n\nA member of nexus.command_type.");
  function<[](py::handle object) {
    const Command &command = argumentOf<Command>(object, "command");
    return withoutGil([&] { return command.describe(); });
  }>(module,
     "describe_command(command: Command) -> str\n\nReturns what a command has recorded, as JSON.");
  function<&setScalarBytes>(
      module,
      "set_scalar(command: Command, index: int, data: bytes, dtype: str | None) -> None\n\nSets a "
      "kernel's argument to a scalar of these bytes.");
}

}  // namespace nexus::python
