// SPDX-License-Identifier: Apache-2.0
#include <pybind11/gil_safe_call_once.h>
#include <nexus/device.hpp>
#include <nexus/schedule.hpp>

#include "arrays/buffer.hpp"
#include "arrays/give_back.hpp"
#include "arrays/host_array.hpp"
#include "objects/argument.hpp"
#include "objects/kernel.hpp"
#include "python/gil.hpp"
#include "types/object.hpp"
#include "values/dtype.hpp"
#include "values/parse.hpp"
#include "values/scalar.hpp"

namespace nexus::python {
namespace {

// Reads the values of a mapping from names or indices.
std::vector<ArgumentValue> readNamedArguments(const Kernel &kernel, py::handle args) {
  // A copy, so that no other thread changes it while its values are borrowed.
  const auto values =
      owned<py::dict>(PyObject_CallOneArg(reinterpret_cast<PyObject *>(&PyDict_Type), args.ptr()));
  std::vector<ArgumentValue> arguments;
  for (const auto &[key, value] : values) {
    const std::uint32_t index = argumentIndex(kernel, key, "a key of args");
    for (const ArgumentValue &other : arguments) {
      if (other.index == index)
        throwValueError("a key of args", key, "the argument is given twice");
    }
    arguments.push_back(readArgument(kernel, index, value, py::none()));
  }
  return arguments;
}

std::vector<ArgumentValue> readArguments(const Kernel &kernel, py::handle args) {
  const auto iterator =
      py::reinterpret_steal<py::object>(isA<Buffer>(args) ? nullptr : PyObject_GetIter(args.ptr()));
  if (!iterator) {
    PyErr_Clear();
    throwTypeError("args", "a tuple or list of the kernel's arguments", args);
  }
  const bool known = PyTuple_CheckExact(args.ptr()) || PyList_CheckExact(args.ptr());
  if (!known && hasAttribute(args, "keys")) return readNamedArguments(kernel, args);
  const auto values = owned<py::tuple>(
      PySequence_Tuple(known ? args.ptr() : iterator.ptr()));  // faster than by an iterator
  std::vector<ArgumentValue> arguments;
  arguments.reserve(values.size());
  for (const py::handle value : values) {
    const auto index = static_cast<std::uint32_t>(arguments.size());
    arguments.push_back(readArgument(kernel, index, value, py::none()));
  }
  return arguments;
}

// wanted: what the parameter has to be, for the error if it can't be iterated.
py::tuple tupleOf(py::handle given, const char *parameter, const char *wanted) {
  const auto iterator = py::reinterpret_steal<py::object>(PyObject_GetIter(given.ptr()));
  if (!iterator) {
    PyErr_Clear();
    throwTypeError(parameter, wanted, given);
  }
  return owned<py::tuple>(PySequence_Tuple(iterator.ptr()));
}

py::tuple tupleOfAfter(py::handle after) {
  return tupleOf(after, "after", "a list of nexus.Command or None");
}

std::vector<Command> commandsIn(py::handle after) {
  std::vector<Command> commands;
  for (const py::handle each : tupleOfAfter(after)) {
    const std::string entry = "after[" + std::to_string(commands.size()) + "]";
    commands.push_back(argumentOf<Command>(each, entry.c_str()));
  }
  return commands;
}

// Calls create(), which adds a command that follows those in `after`; None is the default.
template <class Create>
Command follow(const Schedule &self, py::handle after, Create &&create) {
  if (after.is_none()) return withoutGil(create);
  const std::vector<Command> commands = commandsIn(after);
  return withoutGil([&] {
    self.after(commands);
    try {
      return create();
    } catch (...) {
      static_cast<void>(nexus_schedule_set_after(self.get(), nullptr, 0));
      throw;
    }
  });
}

// Reads all arguments before adding the command, so that an error leaves the schedule unchanged.
Command createCommand(const Schedule &self, py::handle kernelObject, py::handle args,
                      py::handle groupSize, py::handle gridSize, py::handle localMemory,
                      py::handle groupCount, py::handle clusterSize, py::handle cooperative,
                      py::handle programmatic, py::handle after) {
  const Kernel &kernel = argumentOf<Kernel>(kernelObject, "kernel");
  const std::vector<ArgumentValue> arguments = readArguments(kernel, args);
  const LaunchArguments size{groupSize,   gridSize,    localMemory, groupCount,
                             clusterSize, cooperative, programmatic};
  std::optional<Launch> launch;
  if (size.present()) launch = size.parse();
  return follow(self, after, [&] {
    Command command = self.createCommand(kernel);
    try {
      for (const ArgumentValue &argument : arguments) setArgument(command, argument);
      if (launch) command.finalize(*launch);
    } catch (...) {
      // Its own failure, as for a lost device, says less than the present exception.
      static_cast<void>(nexus_command_remove(command.get()));
      throw;
    }
    return command;
  });
}

// Returns nexus._errors.call_function, borrowed.
PyObject *functionCaller() {
  PYBIND11_CONSTINIT static py::gil_safe_call_once_and_store<py::object> caller;
  return caller
      .call_once_and_store_result(
          [] { return py::object(py::module_::import("nexus._errors").attr("call_function")); })
      .get_stored()
      .ptr();
}

Command createCopyCommand(const Schedule &self, py::handle destination, py::handle source,
                          py::handle after) {
  const Buffer to = copyOperand(destination, HostArray::Access::Write, "dst");
  const Buffer from = copyOperand(source, HostArray::Access::Read, "src");
  if (!isA<Buffer>(destination) && !isA<Buffer>(source)) {
    throwTypeError("src", "a nexus.Buffer where dst is an array", source);
  }
  return follow(self, after, [&] { return self.createCopyCommand(to, from); });
}

Command createFillCommand(const Schedule &self, py::handle object, py::handle value,
                          py::handle after) {
  const Buffer &buffer = argumentOf<Buffer>(object, "buffer");
  const nxs_data_type type = buffer.getDataType();
  const Scalar pattern =
      packScalar(value, type == NXS_DataType_Undefined ? NXS_DataType_U8 : type, "value");
  return follow(self, after, [&] {
    return nexus::detail::result<Command>(nexus_schedule_create_fill_command, self.get(),
                                          buffer.get(), pattern.bytes.data(), pattern.bytes.size());
  });
}

Command createSignalCommand(const Schedule &self, py::handle event, py::handle value,
                            py::handle step, py::handle after) {
  const Event &signalled = argumentOf<Event>(event, "event");
  const std::uint64_t first = parseCount(value, "value");
  const std::uint64_t growth = parseCount(step, "step");
  return follow(self, after, [&] { return self.createSignalCommand(signalled, first, growth); });
}

Command createWaitCommand(const Schedule &self, py::handle event, py::handle value, py::handle step,
                          py::handle after) {
  const Event &awaited = argumentOf<Event>(event, "event");
  const std::uint64_t first = parseCount(value, "value");
  const std::uint64_t growth = parseCount(step, "step");
  return follow(self, after, [&] { return self.createWaitCommand(awaited, first, growth); });
}

Command createScheduleCommand(const Schedule &self, py::handle schedule, py::handle after) {
  const Schedule &nested = argumentOf<Schedule>(schedule, "nested");
  return follow(self, after, [&] { return self.createScheduleCommand(nested); });
}

Command createIfCommand(const Schedule &self, py::handle condition, py::handle then,
                        py::handle otherwise, py::handle after) {
  const Buffer &value = argumentOf<Buffer>(condition, "condition");
  const Schedule &first = argumentOf<Schedule>(then, "then");
  nexus_schedule *other =
      otherwise.is_none() ? nullptr : argumentOf<Schedule>(otherwise, "otherwise").get();
  return follow(self, after, [&] {
    return nexus::detail::result<Command>(nexus_schedule_create_if_command, self.get(), value.get(),
                                          first.get(), other);
  });
}

Command createWhileCommand(const Schedule &self, py::handle condition, py::handle body,
                           py::handle maxCount, py::handle after) {
  const Buffer &value = argumentOf<Buffer>(condition, "condition");
  const Schedule &turn = argumentOf<Schedule>(body, "body");
  const std::uint64_t most = maxCount.is_none() ? UINT64_MAX : parseCount(maxCount, "max_count");
  return follow(self, after, [&] { return self.createWhileCommand(value, turn, most); });
}

Command createSwitchCommand(const Schedule &self, py::handle selector, py::handle cases,
                            py::handle after) {
  const Buffer &value = argumentOf<Buffer>(selector, "selector");
  std::vector<Schedule> schedules;
  for (const py::handle each : tupleOf(cases, "cases", "a list of nexus.Schedule")) {
    const std::string entry = "cases[" + std::to_string(schedules.size()) + "]";
    schedules.push_back(argumentOf<Schedule>(each, entry.c_str()));
  }
  return follow(self, after, [&] { return self.createSwitchCommand(value, schedules); });
}

// context is a Kept with the function and its arguments.
nxs_status callFunction(void *context, const nxs_sink *text, const nxs_sink *log) {
  const auto &kept = *static_cast<KeptObject *>(static_cast<Kept *>(context));
  const PyGILState_STATE state = ensureGil();
  PyObject *const result =
      callUntilTheEnd(Py_NewRef(functionCaller()), Py_NewRef(kept.get().ptr()));
  const nxs_status status = result == Py_None ? NXS_Success : NXS_InvalidOperation;
  if (result != nullptr && PyTuple_CheckExact(result)) {
    const nxs_sink *sink = text;
    for (Py_ssize_t at = 0; at < PyTuple_GET_SIZE(result); ++at) {
      Py_ssize_t size = 0;
      const char *bytes = PyUnicode_AsUTF8AndSize(PyTuple_GET_ITEM(result, at), &size);
      if (bytes == nullptr) PyErr_Clear();
      if (bytes != nullptr) sink->write(sink->context, bytes, static_cast<std::uint64_t>(size));
      sink = log;
    }
  }
  Py_XDECREF(result);
  PyGILState_Release(state);
  return status;
}

Command createHostCommand(const Schedule &self, py::handle function, py::handle args,
                          py::handle after) {
  if (PyCallable_Check(function.ptr()) == 0) {
    throwTypeError("function", "a callable", function);
  }
  functionCaller();  // imported now, since an import in the call would wait for other imports
  const py::object name = py::getattr(function, "__qualname__", py::str(typeName(function)));
  const std::string shown =
      py::isinstance<py::str>(name) ? parseText(name, "the function's name") : typeName(function);
  auto kept = std::make_unique<KeptObject>(py::make_tuple(function, args));
  auto info = nexus::detail::sized<nexus_host_function>();
  info.name = nexus::detail::toString(shown);
  info.call = &callFunction;
  info.context = static_cast<Kept *>(kept.get());
  info.release = &giveBackKept;
  std::vector<nexus_buffer *> buffers;
  std::size_t index = 0;
  for (const py::handle each : args) {
    const std::size_t i = index++;
    if (!isA<Buffer>(each)) continue;
    const Buffer &buffer = valueOf<Buffer>(each.ptr());
    try {
      static_cast<void>(buffer.getSize());
    } catch (const nexus::Error &closed) {
      throw nexus::Error(closed.status(), "args[" + std::to_string(i) + "]: " + closed.what());
    }
    buffers.push_back(buffer.get());
  }
  info.buffers = buffers.data();
  info.buffer_count = buffers.size();
  giveBackPending();
  Command command = follow(self, after, [&] {
    return nexus::detail::result<Command>(nexus_schedule_create_host_command, self.get(), &info);
  });
  static_cast<void>(kept.release());  // owned by the schedule
  return command;
}

py::object capture(py::handle self, py::handle stream, py::handle after) {
  static_cast<void>(optionalStream(stream));
  py::object follows = py::none();
  if (!after.is_none()) {
    follows = tupleOfAfter(after);
    static_cast<void>(commandsIn(follows));
  }
  return py::module_::import("nexus._schedule._capture").attr("captured")(self, stream, follows);
}

void prepareSchedule(const Schedule &self, py::handle streamObject) {
  const Stream stream = optionalStream(streamObject);
  withoutGil([&] { self.prepare(stream); });
}

double elapsedMilliseconds(const Schedule &self) {
  constexpr double millisecond = 1e6;  // in nanoseconds
  return withoutGil([&] { return self.getElapsedTime(); }) / millisecond;
}

std::string describeSchedule(const Schedule &self) {
  const auto count = withoutGil([&] { return self.getCommands(); }).size();
  return "of " + counted(count, "command") + " on " + self.getDevice().getSelector();
}

void bindCommands(py::class_<Held<Schedule>> &cls) {
  method<&createScratchBuffer>(
      cls,
      "create_buffer(self, shape: SupportsIndex | tuple[SupportsIndex, ...], dtype: DTypeLike | "
      "None = None) -> Buffer\n\nCreates a scratch buffer: device memory for intermediate results "
      "that commands of this schedule pass to each other.\n\nTwo scratch buffers may share memory "
      "if all uses of one come before all uses of the other, so the contents are undefined when a "
      "run begins. The first run, or prepare(), allocates the memory; the property ScratchSize is "
      "its size. Only commands of this schedule can use the buffer; a host function can copy and "
      "fill it if it is one of the args of create_host_command(). Any other use raises NexusError "
      "(NXS_InvalidOperation). shape and dtype are as in Device.create_buffer().");
  method<[](const Schedule &self) { withoutGil([&] { self.clear(); }); }>(
      cls, "clear(self) -> None\n\nRemoves all commands; see Command.remove().");
  method<&createCommand>(
      cls,
      "create_command(self, kernel: Kernel, args: Iterable[Buffer | Number] | ByArgument = (), "
      "group_size: Size | None = None, grid_size: Size | None = None, *, local_memory: int = 0, "
      "group_count: Size | None = None, cluster_size: Size | None = None, cooperative_launch: bool "
      "= False, programmatic_launch: bool = False, after: Iterable[Command] | None = None) -> "
      "Command\n\nAdds a command that runs the kernel.\n\nargs are set as by Command.set_arg(), in "
      "order or as a mapping from their names: {'x': x, 'a': 2.0}. If a size is given, the command "
      "is finalized too; see Command.finalize() for the options. If that fails, no command is "
      "added. Raises TypeError for an option without a size.\n\nafter, in all create_ methods, "
      "lists earlier commands of this schedule. In each run the new command sees the effects of "
      "these commands and of those that they follow, and may run at the same time as all others. "
      "None means the previous command or, after parallel(), all commands of its block; [] means "
      "none.");
  method<&createCopyCommand>(
      cls,
      "create_copy_command(self, dst: Buffer | WritableArray, src: Buffer | Array, *, after: "
      "Iterable[Command] | None = None) -> Command\n\nAdds a command that copies src to dst, of "
      "the same size in bytes. One may be a buffer of another device or an array in host memory: "
      "numpy, or anything with the buffer protocol, __array_interface__ or DLPack.\n\nThe schedule "
      "keeps the array, and each run reads or writes it when the run reaches the command; with "
      "blocking=False it is in use until the run is done. Raises ValueError for an array that is "
      "not C-contiguous, or read-only as dst.");
  method<&createFillCommand>(
      cls,
      "create_fill_command(self, buffer: Buffer, value: Number, *, after: Iterable[Command] | None "
      "= None) -> Command\n\nAdds a command that "
      "sets every element of the buffer to value; every byte if it has no dtype.");
  method<&createSignalCommand>(
      cls,
      "create_signal_command(self, event: Event, value: int = 1, step: int = 1, *, after: "
      "Iterable[Command] | None = None) -> Command\n\nAdds "
      "a command that signals the event: run n signals value + (n - 1) * step.");
  method<&createWaitCommand>(
      cls,
      "create_wait_command(self, event: Event, value: int = 1, step: int = 1, *, after: "
      "Iterable[Command] | None = None) -> Command\n\nAdds a "
      "command that waits for the event: run n waits for value + (n - 1) * step.");
  method<&createScheduleCommand>(
      cls,
      "create_schedule_command(self, nested: Schedule, *, after: Iterable[Command] | None = None) "
      "-> Command\n\nAdds a command that runs another schedule of the device, with the commands "
      "and arguments that it has when this schedule runs.\n\nA schedule may be in several others, "
      "and several times in one. Each time counts as a run of the nested schedule: its runs never "
      "overlap, its signal and wait commands use the values of that run, and no command can be "
      "added to it while a run is in flight. After nested.close(), this schedule still runs it. "
      "Raises NexusError (NXS_InvalidOperation) with the path if nested is this schedule or "
      "contains it.");
  method<&createHostCommand>(
      cls,
      "create_host_command(self, function: Callable[..., object], *args: object, after: "
      "Iterable[Command] | None = None) -> Command\n\nAdds a command that calls function(*args) "
      "after the commands before it; those after it begin when it has returned.\n\nThe function "
      "runs on a thread of Nexus. It may use Nexus and wait, but not for work that comes after it "
      "in the stream of the run: that raises NexusError (NXS_InvalidOperation). Its result is "
      "ignored. If it raises an exception, the rest of the run is skipped and the stream fails: "
      "waiting raises NexusError with the exception's text, and its traceback as __cause__. The "
      "schedule keeps function and args until it is closed; if they refer to the schedule, only "
      "close() frees them.");
  method<&createIfCommand>(
      cls,
      "create_if_command(self, condition: Buffer, then: Schedule, otherwise: Schedule | None = "
      "None, *, after: Iterable[Command] | None = None) -> Command\n\nAdds a command that runs the "
      "schedule then if condition[0] is not 0. If it is 0, the command runs the schedule "
      "otherwise; if that is None, it does nothing.\n\ncondition is a buffer of int32 or uint32, "
      "which is read when the run reaches the command. The schedules are nested as by "
      "create_schedule_command(), and each counts one run for each run of this schedule. They may "
      "contain no signal and no wait command: raises NexusError (NXS_InvalidOperation), as run() "
      "does if one is added later.");
  method<&createWhileCommand>(
      cls,
      "create_while_command(self, condition: Buffer, body: Schedule, *, max_count: int | None = "
      "None, after: Iterable[Command] | None = None) -> Command\n\nAdds a command that runs body "
      "repeatedly while condition[0] is not 0, at most max_count times. condition[0] is read "
      "before each iteration.\n\ncondition and body are as in create_if_command(), but condition "
      "can't be scratch memory, since body could not change it. A timeout of run(), or Ctrl-C, "
      "ends the wait, not the loop. The loop ends between two iterations when the stream is closed "
      "or the process ends.");
  method<&createSwitchCommand>(
      cls,
      "create_switch_command(self, selector: Buffer, cases: Iterable[Schedule], *, after: "
      "Iterable[Command] | None = None) -> Command\n\nAdds a command that runs cases[selector[0]]. "
      "If there is no such case, it does nothing.\n\nselector and cases are as in "
      "create_if_command().");
  method<[](py::handle self) -> py::object {
    return py::module_::import("nexus._schedule._parallel").attr("block")(self);
  }>(cls,
     "parallel(self) -> AbstractContextManager[None]\n\nReturns a context manager. Commands "
     "created in its block do not follow each other.\n\nEach command in the block follows the "
     "commands before the block, and the next command after the block follows all commands of the "
     "block. after=[...] of a command overrides this. Blocks can't be nested: inside a block, use "
     "after or a nested schedule.");
  method<&capture>(
      cls,
      "capture(self, stream: Stream | None = None, *, after: Iterable[Command] | None = None) -> "
      "AbstractContextManager[Stream]\n\nReturns a context manager that captures the work of other "
      "libraries. What they submit to the stream in the block does not run then; it becomes one "
      "command, the newest of get_commands().\n\nThe with statement gives the stream. Pass its "
      "native_handle, or the stream itself if the other library accepts __cuda_stream__, to that "
      "library. None creates a stream for the block. Until the block ends, the stream accepts no "
      "work of Nexus. An exception ends the capture without a command. The memory that the work "
      "uses belongs to the other library: keep it alive, at its address, as long as the command "
      "can run.\n\nSupported on CUDA and HIP. Raises NexusError: NXS_NotSupported on other "
      "backends, and for work that allocates memory in the stream; NXS_InvalidOperation if a call, "
      "such as a wait for the stream, invalidated the capture.");
  method<[](const Schedule &self) { return withoutGil([&] { return self.getCommands(); }); }>(
      cls,
      "get_commands(self) -> ObjectList[Command]\n\nReturns the commands in the order in which "
      "they were created.");
}

// Returns whether a flag is set; checks the two usual objects first.
bool isTrue(py::handle flag, const char *parameter) {
  return flag.ptr() == Py_True || (flag.ptr() != Py_False && parseBool(flag, parameter));
}

// Releases the GIL also without waiting for the run: a submission may wait for a full queue or for
// another thread's lock.
void run(const Schedule &self, py::handle stream, py::handle blocking, py::handle timeout,
         py::handle timing, py::handle times) {
  nexus_stream *in = nullptr;
  if (!stream.is_none()) {
    if (!isA<Stream>(stream)) {
      throwTypeError("stream", "a nexus.Stream or None", stream);
    }
    in = valueOf<Stream>(stream.ptr()).get();
  }
  const bool waits = isTrue(blocking, "blocking");
  const nxs_execution_settings settings =
      (waits ? 0 : NXS_ExecutionSettings_NonBlocking) |
      (isTrue(timing, "timing") ? NXS_ExecutionSettings_Timing : 0);
  std::uint64_t limit = NEXUS_FOREVER;
  if (!timeout.is_none()) {
    if (!waits) {
      throwValueError("timeout", timeout,
                      "leave it out with blocking=False, which waits for nothing");
    }
    limit = nexus::detail::toNanoseconds(parseTimeout(timeout));
  }
  const std::uint64_t runs = times.is_none() ? 1 : parseCount(times, "times");
  nexus::detail::check(
      withoutGil([&] { return nexus_schedule_run(self.get(), in, settings, limit, runs); }));
}

void bindRun(py::class_<Held<Schedule>> &cls) {
  method<&run>(
      cls,
      "run(self, stream: Stream | None = None, blocking: bool = True, timeout: float | None = "
      "None, timing: bool = False, *, times: int | None = None) -> None\n\nSubmits a run of the "
      "commands to a stream; None means the device's default stream.\n\nA blocking run waits until "
      "the work is done, at most timeout seconds; None waits forever. blocking=False returns at "
      "once. timing measures the run's time on the device, for elapsed_ms. times submits that many "
      "runs, one after the other, faster than separate calls; the values of signal and wait "
      "commands step with each run, and timing measures all of them together. Raises TimeoutError "
      "(also a NexusError), while the run goes on, or NexusError with the cause of a failure.");
}

}  // namespace

// Sets a fill's pattern from the bytes in a description.
Command createFill(py::handle schedule, py::handle object, py::handle pattern) {
  const Schedule &to = argumentOf<Schedule>(schedule, "schedule");
  const Buffer &buffer = argumentOf<Buffer>(object, "buffer");
  const Scalar bytes = readValueBytes(pattern, Parameter("pattern"));
  nexus_command *command = nullptr;
  nexus::detail::check(withoutGil([&] {
    return nexus_schedule_create_fill_command(to.get(), buffer.get(), bytes.bytes.data(),
                                              bytes.bytes.size(), &command);
  }));
  return Command(command);
}

py::object looks(const char *function, py::handle schedule) {
  return py::module_::import("nexus._schedule._look").attr(function)(schedule);
}

void bindLook(py::class_<Held<Schedule>> &cls) {
  method<[](py::handle self) { return looks("text", self); }>(
      cls,
      "__str__(self) -> str\n\nReturns the commands in order, one per line, with the commands of "
      "nested schedules indented, and the buffers.");
  method<[](py::handle self) {
    return looks("dot", self);
  }>(cls,
     "to_dot(self) -> str\n\nReturns the schedule as a graph in Graphviz' language DOT: a node for "
     "each command, an edge from each to the next, a box around each nested schedule.");
  method<[](py::handle self) { return looks("svg", self); }>(
      cls,
      "_repr_svg_(self) -> str\n\nReturns the graph as a picture for notebooks: drawn by Graphviz' "
      "program dot if it is installed, else as a column of boxes.");
  method<[](py::handle self) {
    return py::module_::import("nexus._schedule._description").attr("describe")(self);
  }>(cls,
     "describe(self) -> dict[str, Any]\n\nReturns what was recorded as plain data: dicts, lists, "
     "str, bytes and numbers, which can be pickled. It has the code of the kernels, the commands "
     "with their arguments, and the sizes of the buffers, but not their contents; nested schedules "
     "too. Raises NexusError if one of them was closed, or if the file of a library can't be read "
     "any more.");
  staticMethod<[](py::handle device, py::handle description) {
    return py::module_::import("nexus._schedule._description")
        .attr("from_description")(device, description);
  }>(cls,
     "from_description(device: Device, description: Mapping[str, Any]) -> Schedule\n\nCreates a "
     "schedule from the result of describe(), also from another process: on a device of the same "
     "backend and architecture, with new buffers, which are filled with zeros, and new events. "
     "Command.get_buffer() and get_event() return them.\n\nThe code in a description is run as it "
     "is, so use only descriptions from sources that you trust. Raises ValueError with the place "
     "if the description is malformed or does not fit the device.");
}

void registerSchedule(py::module_ &module) {
  function<[](py::handle schedule) {
    nexus_schedule *of = argumentOf<Schedule>(schedule, "schedule").get();
    nexus::detail::check(withoutGil([&] { return nexus_schedule_begin_parallel(of); }));
  }>(module, "begin_parallel(schedule: Schedule) -> None\n\nBegins the block of parallel().");
  function<[](py::handle schedule) {
    nexus_schedule *of = argumentOf<Schedule>(schedule, "schedule").get();
    // Fails if the schedule was closed, which ended the block.
    static_cast<void>(withoutGil([&] { return nexus_schedule_end_parallel(of); }));
  }>(module, "end_parallel(schedule: Schedule) -> None\n\nEnds the block of parallel().");
  function<[](py::handle schedule, py::handle stream) {
    const Schedule &of = argumentOf<Schedule>(schedule, "schedule");
    const Stream &on = argumentOf<Stream>(stream, "stream");
    nexus::detail::check(
        withoutGil([&] { return nexus_schedule_begin_capture(of.get(), on.get()); }));
  }>(module,
     "begin_capture(schedule: Schedule, stream: Stream) -> "
     "None\n\nBegins capture().");
  function<[](py::handle schedule, py::handle stream, py::handle after) {
    const Schedule &of = argumentOf<Schedule>(schedule, "schedule");
    const Stream &on = argumentOf<Stream>(stream, "stream");
    return follow(of, after, [&] {
      return nexus::detail::result<Command>(nexus_schedule_end_capture, of.get(), on.get());
    });
  }>(module,
     "end_capture(schedule: Schedule, stream: Stream, after: Iterable[Command] | None) -> "
     "Command\n\nEnds capture(), with a command.");
  function<[](py::handle stream) {
    const Stream &on = argumentOf<Stream>(stream, "stream");
    // Fails if the stream was closed, which ended the capture.
    static_cast<void>(
        withoutGil([&] { return nexus_schedule_end_capture(nullptr, on.get(), nullptr); }));
  }>(module, "drop_capture(stream: Stream) -> None\n\nEnds capture(), without a command.");
  function<[](py::handle schedule, py::handle after) {
    const Schedule &of = argumentOf<Schedule>(schedule, "schedule");
    const std::vector<Command> commands = commandsIn(after);
    withoutGil([&] { of.after(commands); });
  }>(module,
     "set_after(schedule: Schedule, after: Iterable[Command]) -> None\n\nSets the commands that "
     "the next command follows.");
  auto cls = makeClass<Schedule>(
      module, "Schedule",
      "Commands that run in order, or in branches, recorded once and "
      "run many times. Keeps alive what they use.\n\nMade by Device.create_schedule(). "
      "Only one thread may record at a time; any thread may run it.",
      madeBy("Device.create_schedule()"));
  bindObject<&describeSchedule>(cls);
  bindNativeHandle(cls);
  bindLook(cls);
  bindClose<&closeWithoutGil<Schedule>>(cls,
                                        "close(self) -> None\n\nCloses the schedule; runs in "
                                        "flight go on, and schedules that contain it still run "
                                        "it. A second call does nothing.");
  property<[](const Schedule &self) { return self.getDevice(); }>(
      cls, "device: Device\n\nThe schedule's device.");
  bindCommands(cls);
  method<&prepareSchedule>(
      cls,
      "prepare(self, stream: Stream | None = None) -> None\n\nPrepares the schedule for its first "
      "run in the stream, so that the first run is as fast as later ones. None means the device's "
      "default stream. Raises NexusError if a command is not finalized.");
  bindRun(cls);
  property<&elapsedMilliseconds>(
      cls,
      "elapsed_ms: float\n\nThe milliseconds that the newest run with timing=True took on the "
      "device's clock. Raises NexusError if there was none (NXS_ProfilingInfoNotAvailable), if it "
      "has not finished (NXS_InvalidOperation), or with the cause if it failed.");
  function<&createFill>(
      module,
      "create_fill(schedule: Schedule, buffer: Buffer, pattern: bytes) -> Command\n\nAdds a fill "
      "with a pattern of bytes.");
}

}  // namespace nexus::python
