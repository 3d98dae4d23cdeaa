// SPDX-License-Identifier: Apache-2.0
#include "command.hpp"

#include "buffer.hpp"
#include "dtype.hpp"
#include "errors.hpp"
#include "gil.hpp"
#include "launch.hpp"
#include "object.hpp"
#include "scalar.hpp"

namespace nexus::python {
namespace {

constexpr std::uint64_t kMostArguments = 64;

std::uint32_t parseIndex(py::handle value) {
  const std::uint64_t index = parseCount(value, "index");
  if (index >= kMostArguments) {
    throwValueError("index", value, "a kernel has at most 64 arguments, so it is from 0 to 63");
  }
  return static_cast<std::uint32_t>(index);
}

// What the kernel says of an argument; nothing where it does not describe itself.
std::optional<Argument> describedArgument(const Kernel &kernel, std::uint32_t index) {
  const std::optional<std::uint32_t> count = kernel.getArgumentCount();
  if (!count) {
    return std::nullopt;
  }
  if (index >= *count) {
    throw py::value_error("index is " + std::to_string(index) + ": the kernel '" +
                          kernel.getName() + "' has " + std::to_string(*count) +
                          " arguments, counted from 0.");
  }
  return kernel.getArgument(index);
}

std::string describe(std::uint32_t index, const std::optional<Argument> &argument) {
  std::string text = "argument " + std::to_string(index);
  if (argument && !argument->name.empty()) {
    text += " ('" + argument->name + "')";
  }
  return text;
}

// In the kernel's width.
Scalar describedScalar(const Argument &argument, const std::string &parameter, py::handle value,
                       py::handle dtype) {
  if (argument.kind != NXS_ArgumentKind_Scalar) {
    throwTypeError(parameter,
                   argument.kind == NXS_ArgumentKind_Buffer ? "a nexus.Buffer"
                                                            : "local memory (set_local_memory)",
                   value);
  }
  if (!dtype.is_none() && parseDtype(dtype) != argument.dataType) {
    throwTypeError("dtype of " + parameter,
                   std::string("the kernel's, ") + dtypeName(argument.dataType), dtype);
  }
  return packScalar(value, argument.dataType, parameter);
}

// Of a kernel that does not tell its widths.
Scalar typedScalar(const std::string &parameter, py::handle value, py::handle dtype) {
  if (!dtype.is_none()) {
    return packScalar(value, parseDtype(dtype), parameter);
  }
  if (!isTypedScalar(value)) {
    throw py::type_error(
        parameter + " is " + shortRepr(value) + " (" + typeName(value) +
        "), and the kernel does not say how wide its arguments are: pass a numpy or ctypes scalar "
        "such as numpy.float32(...), or dtype='float32'.");
  }
  return readTypedScalar(value, parameter);
}

Scalar readScalar(const Kernel &kernel, std::uint32_t index, py::handle value, py::handle dtype) {
  const auto argument = describedArgument(kernel, index);
  const std::string parameter = describe(index, argument);
  return argument ? describedScalar(*argument, parameter, value, dtype)
                  : typedScalar(parameter, value, dtype);
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
    default:
      return "schedule";
  }
}

void bindArguments(py::class_<Command> &cls) {
  cls.def(
      "set_buffer",
      [](const Command &self, py::handle index, py::handle buffer) {
        const std::uint32_t number = parseIndex(index);
        self.setBuffer(number, argumentOf<BufferObject>(buffer, "buffer"));
      },
      py::arg("index"), py::arg("buffer"),
      "set_buffer(self, index: int, buffer: Buffer) -> None\n\nBinds a buffer to the kernel's "
      "argument of that index; after the first run, for later runs.");
  cls.def(
      "set_arg",
      [](const Command &self, py::handle index, py::handle value, py::handle dtype) {
        setArgument(self, readArgument(self.getKernel(), parseIndex(index), value, dtype));
      },
      py::arg("index"), py::arg("value"), py::arg("dtype") = py::none(),
      "set_arg(self, index: int, value: Buffer | Number, dtype: DTypeLike | None = None) -> "
      "None\n\n"
      "Binds a buffer, or passes a number by value; after the first run, for later runs.\n\n"
      "A kernel that describes itself takes Python numbers, in its own width; for others the "
      "width\n"
      "has to be told by a numpy or ctypes scalar or by dtype. Raises TypeError where it is not,\n"
      "ValueError where the number does not fit.");
  cls.def(
      "set_local_memory",
      [](const Command &self, py::handle index, py::handle size) {
        self.setLocalMemory(parseIndex(index), parseCount(size, "size", 1));
      },
      py::arg("index"), py::arg("size"),
      "set_local_memory(self, index: int, size: int) -> None\n\nGives each group size bytes of "
      "local memory as the argument.");
}

}  // namespace

ArgumentValue readArgument(const Kernel &kernel, std::uint32_t index, py::handle value,
                           py::handle dtype) {
  if (!py::isinstance<BufferObject>(value)) {
    return {index, {}, readScalar(kernel, index, value, dtype)};
  }
  if (!dtype.is_none()) {
    throwTypeError("dtype", "None for a buffer, which has a dtype of its own", dtype);
  }
  return {index, value.cast<const BufferObject &>(), {}};
}

void setArgument(const Command &command, const ArgumentValue &argument) {
  if (argument.buffer) {
    command.setBuffer(argument.index, argument.buffer);
  } else {
    command.setScalar(argument.index, argument.scalar.bytes.data(), argument.scalar.size,
                      argument.scalar.type);
  }
}

void registerCommand(py::module_ &module) {
  auto cls = makeClass<Command>(
      module, "Command", "Schedule.create_command()",
      "One step of a schedule. A kernel command needs its arguments and finalize() before the\n"
      "schedule runs.\n\nMade by Schedule.create_command() and its kin.");
  bindObject(cls, "Command", [](const Command &self) {
    const nxs_command_type type = self.getType();
    std::string text = typeText(type);
    if (type == NXS_CommandType_Dispatch) {
      text += " '" + self.getKernel().getName() + "'";
    }
    return text;
  });
  bindArguments(cls);
  cls.def(
      "finalize",
      [](const Command &self, py::handle groupSize, py::handle gridSize, py::handle groupCount,
         py::handle localMemory) {
        const Launch launch = parseLaunch(groupSize, gridSize, groupCount, localMemory);
        withoutGil([&] { self.finalize(launch); });
      },
      py::arg("group_size") = py::none(), py::arg("grid_size") = py::none(), py::kw_only(),
      py::arg("group_count") = py::none(), py::arg("local_memory") = 0,
      "finalize(self, group_size: Size | None = None, grid_size: Size | None = None, *, "
      "group_count: Size | None = None, local_memory: int = 0) -> None\n\n"
      "Checks the arguments and fixes the launch.\n\n"
      "group_size is the work items of a group, None leaving it to the backend; grid_size is the "
      "work\nitems in all, or group_count the groups. Each is an int or up to three. local_memory "
      "is the\nbytes of a group's memory beyond the arguments'.");
  cls.def("get_kernel", &Command::getKernel,
          "get_kernel(self) -> Kernel\n\nThe kernel of a kernel command; NexusError for others.");
  cls.def("get_event", &Command::getEvent,
          "get_event(self) -> Event\n\nThe event of a signal or wait command; NexusError for "
          "others.");
  cls.def_property_readonly(
      "type",
      [](const Command &self) {
        return py::module_::import("nexus.command_type").attr("CommandType")(self.getType());
      },
      "type: CommandType\n\nA member of nexus.command_type.");
}

}  // namespace nexus::python
