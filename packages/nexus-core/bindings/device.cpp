// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <filesystem>
#include <fstream>
#include <nexus/runtime.hpp>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>

#include "buffer.hpp"
#include "gil.hpp"
#include "host_array.hpp"
#include "in_flight.hpp"
#include "launch.hpp"
#include "object.hpp"
#include "program.hpp"
#include "text.hpp"

namespace nexus::python {
namespace {

constexpr const char *kSource =
    "a path (str or os.PathLike), the bytes of a library or a nexus.ObjectCode";

// What ObjectCode.save writes begins so.
constexpr std::string_view kObjectCodeStart = "NEXUSOBJ";

bool beginsAsObjectCode(const std::string &path) {
  std::error_code failure;
  if (!std::filesystem::is_regular_file(path, failure)) {
    return false;  // to open a pipe may wait for ever
  }
  std::array<char, kObjectCodeStart.size()> start{};
  std::ifstream file(path, std::ios::binary);
  file.read(start.data(), start.size());
  return file && std::string_view(start.data(), start.size()) == kObjectCodeStart;
}

Library loadFile(const Device &device, const std::string &path) {
  try {
    return withoutGil([&] { return device.loadLibrary(path); });
  } catch (const Error &error) {
    if (error.status() == NXS_InvalidBinary && beginsAsObjectCode(path)) {
      return withoutGil([&] { return device.loadLibrary(ObjectCode::load(path)); });
    }
    // The core has one status for a path that can't be read; the operating system tells more.
    py::module_::import("nexus._errors")
        .attr("raise_for_file")(path, error.status(), error.what(), error.nativeCode(),
                                error.backend());
    throw;
  }
}

Library loadLibrary(const Device &device, py::handle source) {
  if (isA<ObjectCode>(source)) {
    const ObjectCode &code = valueOf<ObjectCode>(source.ptr());
    return withoutGil([&] { return device.loadLibrary(code); });
  }
  if (PyUnicode_Check(source.ptr()) != 0 || hasAttribute(source, "__fspath__")) {
    return loadFile(device, parsePath(source, "source", kSource));
  }
  if (PyObject_CheckBuffer(source.ptr()) == 0) {
    throwTypeError("source", kSource, source);
  }
  const HostArray bytes(source, HostArray::Access::Read, "source");
  const std::span view(static_cast<const std::byte *>(bytes.data()),
                       static_cast<std::size_t>(bytes.size()));
  const std::string_view text(reinterpret_cast<const char *>(view.data()), view.size());
  if (text.starts_with(kObjectCodeStart)) {
    return withoutGil([&] { return device.loadLibrary(ObjectCode::read(text)); });
  }
  return withoutGil([&] { return device.loadLibrary(view); });
}

nxs_event_type parseEventType(py::handle value) {
  if (PyBool_Check(value.ptr()) || PyIndex_Check(value.ptr()) == 0) {
    throwTypeError("event_type", "a member of nexus.event_type", value);
  }
  const std::uint64_t number = parseCount(value, "event_type");
  if (number > NXS_EventType_Fence) {
    throwValueError("event_type", value, "it has to be a member of nexus.event_type");
  }
  return static_cast<nxs_event_type>(number);
}

std::int32_t parsePriority(py::handle value) {
  if (!PyLong_Check(value.ptr()) || PyBool_Check(value.ptr())) {
    throwTypeError("priority", "an int", value);
  }
  const long number = PyLong_AsLong(value.ptr());
  if (PyErr_Occurred() != nullptr || !std::in_range<std::int32_t>(number)) {
    PyErr_Clear();
    throwValueError("priority", value, "it has to fit into 32 bits");
  }
  return static_cast<std::int32_t>(number);
}

Stream createStream(const Device &self, py::handle priority) {
  const std::int32_t number = parsePriority(priority);
  return withoutGil([&] { return self.createStream(number); });
}

Event createEvent(const Device &self, py::handle type, py::handle timing) {
  const nxs_event_type wanted = parseEventType(type);
  const bool timed = parseBool(timing, "timing");
  return withoutGil([&] { return self.createEvent(wanted, timed); });
}

void synchronizeDevice(const Device &self, py::handle timeout) {
  const Timeout limit = parseTimeout(timeout);
  withoutGil([&] { self.synchronize(limit); });
  releaseFinishedCopies();
}

std::string describeDevice(const Device &self) {
  return self.getSelector() + " '" + self.getProperty<std::string>(NP_Name) + "'";
}

void bindFactories(py::class_<Held<Device>> &cls) {
  method<&createBuffer>(
      cls,
      "create_buffer(self, data: BufferSource, dtype: DTypeLike | None = None, memory: Memory | "
      "None = None) -> Buffer\n\n"
      "Makes a buffer.\n\n"
      "data is a number of bytes, a shape (a tuple; float32 unless dtype says otherwise), or an "
      "array\nwhose elements are copied with their shape and dtype (numpy, the buffer protocol, "
      "an array\ninterface). memory is 'device', 'host' or 'managed'; None takes the device's "
      "own.\n\nRaises TypeError for a list or a bool, ValueError for sizes below 1 or that are "
      "no multiple of\nthe dtype, NexusError where the memory can't be had.");
  method<&copyBuffer>(
      cls,
      "copy_buffer(self, buffer: Buffer) -> Buffer\n\nA buffer on this device with a copy of "
      "another's contents, shape and dtype. The other may be on any device.");
  method<&loadLibrary>(
      cls,
      "load_library(self, source: ObjectCode | str | os.PathLike[str] | bytes | bytearray | "
      "memoryview) -> Library\n\nLoads a library of kernels: a compiled program, a file, or the "
      "bytes of one. What ObjectCode.save wrote is such a file too. Raises FileNotFoundError (also "
      "a NexusError) for a missing file, NexusError for what is no library for the device.");
  method<&compileLibrary>(
      cls,
      "compile(self, source: str | os.PathLike[str] | Program, language: str | None = None, name: "
      "str | None = None, options: ProgramOptions | None = None, *, defines: Mapping[str, Define] "
      "| None = None, include_paths: Sequence[Path] | None = None, optimization: int | None = "
      "None, fast_math: bool | None = None, debug: bool | None = None, line_info: bool | None = "
      "None, standard: str | None = None, extra: Mapping[str, Sequence[str]] | None = None) -> "
      "Library\n\nCompiles a program for the device and loads it, in one step.\n\nsource, language "
      "and name are those of nexus.Program, or source is one; how it is compiled is told by "
      "options, or by its fields: device.compile(source, fast_math=True). A program that was "
      "compiled before is taken from the caches.\n\nRaises CompileError where the program is "
      "refused, and what else Program and Program.compile raise.");
  method<[](const Device &self) { return withoutGil([&] { return self.createSchedule(); }); }>(
      cls, "create_schedule(self) -> Schedule\n\nMakes an empty schedule.");
  method<&createStream>(
      cls,
      "create_stream(self, priority: int = 0) -> Stream\n\nMakes a stream. Lower priorities go "
      "first; 0 is normal. Raises ValueError for others where the backend has none "
      "(nexus.capability.StreamPriority).");
  method<&createEvent>(
      cls,
      "create_event(self, event_type: int = 0, timing: bool = False) -> Event\n\nMakes an event of "
      "a type of nexus.event_type; Shared unless given.\n\nWith timing its signals in streams are "
      "timed, for Event.elapsed_ms(); NexusError with status NXS_NotSupported where the backend "
      "has no timing.");
}

// What is made on the device, while it lives and is not closed.
void bindContents(py::class_<Held<Device>> &cls) {
  method<[](const Device &self) { return withoutGil([&] { return self.getBuffers(); }); }>(
      cls,
      "get_buffers(self) -> ObjectList[Buffer]\n\nThe buffers that were made on the device, live, "
      "and are not closed, in the order of their making.");
  method<[](const Device &self) { return withoutGil([&] { return self.getLibraries(); }); }>(
      cls,
      "get_libraries(self) -> ObjectList[Library]\n\nThe libraries that were loaded on the device, "
      "live, and are not closed, in the order of their loading.");
  method<[](const Device &self) { return withoutGil([&] { return self.getStreams(); }); }>(
      cls,
      "get_streams(self) -> ObjectList[Stream]\n\nThe streams that were made on the device, live, "
      "and are not closed, in the order of their making; not the default one.");
  method<[](const Device &self) { return withoutGil([&] { return self.getEvents(); }); }>(
      cls,
      "get_events(self) -> ObjectList[Event]\n\nThe events that were made on the device, live, "
      "and are not closed, in the order of their making.");
  method<[](const Device &self) { return withoutGil([&] { return self.getSchedules(); }); }>(
      cls,
      "get_schedules(self) -> ObjectList[Schedule]\n\nThe schedules that were made on the device, "
      "live, and are not closed, in the order of their making.");
}

}  // namespace

void registerDevice(py::module_ &module) {
  auto cls = makeClass<Device>(module, "Device",
                               "A device, and what makes everything on it.\n\nMade by "
                               "nexus.get_device(selector) and Runtime.get_devices().",
                               madeBy("nexus.get_device()"));
  bindObject<&describeDevice>(cls);
  bindHtml(cls);
  property<[](const Device &self) { return self.getSelector(); }>(
      cls, "selector: str\n\nWhat names the device everywhere, such as 'cpu:0'.");
  property<[](const Device &self) { return self.getRuntime(); }>(
      cls, "runtime: Runtime\n\nThe device's runtime.");
  property<[](const Device &self) { return self.getDefaultStream(); }>(
      cls, "default_stream: Stream\n\nThe stream that functions without one use.");
  method<[](const Device &self) { return withoutGil([&] { return self.getInfo(); }); }>(
      cls,
      "get_info(self) -> Properties\n\nWhat the device says of itself, laid over its device file.");
  method<&synchronizeDevice>(
      cls,
      "synchronize(self, timeout: float | None = None) -> None\n\nWaits for all work submitted to "
      "the device, timeout seconds at most, None being forever. Raises TimeoutError (also a "
      "NexusError), or, when all streams are done, NexusError with the first failure.");
  bindFactories(cls);
  bindContents(cls);
}

}  // namespace nexus::python
