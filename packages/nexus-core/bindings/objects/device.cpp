// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <filesystem>
#include <fstream>
#include <nexus/runtime.hpp>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>

#include "arrays/buffer.hpp"
#include "arrays/host_array.hpp"
#include "arrays/in_flight.hpp"
#include "interop/foreign.hpp"
#include "objects/memory_resource.hpp"
#include "python/gil.hpp"
#include "types/object.hpp"
#include "values/parse.hpp"

namespace nexus::python {
namespace {

constexpr const char *kSource =
    "a path (str or os.PathLike), the bytes of a library, a nexus.ObjectCode or a nexus.Catalog";

// The first bytes of a file of ObjectCode.save.
constexpr std::string_view kObjectCodeStart = "NEXUSOBJ";

bool beginsAsObjectCode(const std::string &path) {
  std::error_code failure;
  if (!std::filesystem::is_regular_file(path, failure)) {
    return false;  // opening a pipe might wait forever
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
    throwForFile("source", path, "a library", error);
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

// With a name, source is a kernel catalog.
py::object loadNamed(py::handle self, py::handle source, py::handle name, py::handle version) {
  const bool catalog = !name.is_none() || !version.is_none() || hasAttribute(source, "libraries");
  return catalog ? py::module_::import("nexus._catalog._load")
                       .attr("load_library")(self, source, name, version)
                 : py::cast(loadLibrary(valueOf<Device>(self.ptr()), source));
}

Library compileLibrary(py::handle self, py::handle source, py::handle language, py::handle name,
                       py::handle options, py::handle defines, py::handle includePaths,
                       py::handle optimization, py::handle fastMath, py::handle debug,
                       py::handle lineInfo, py::handle standard, py::handle extra,
                       py::handle relocatable, py::handle nameExpressions) {
  const py::tuple fields = py::make_tuple(defines, includePaths, optimization, fastMath, debug,
                                          lineInfo, standard, extra, relocatable, nameExpressions);
  const py::object library =
      py::module_::import("nexus._compile._program")
          .attr("compile_library")(self, source, language, name, options, fields);
  return valueOf<Library>(library.ptr());
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

Stream createStream(const Device &self, py::handle priority, py::handle foreign) {
  const std::int32_t number = parsePriority(priority);
  if (!foreign.is_none()) {
    if (number != 0) {
      throwValueError("priority", priority,
                      "leave it out with foreign, since a foreign stream keeps its priority");
    }
    return adoptStream(self, foreign);
  }
  return withoutGil([&] { return self.createStream(number); });
}

Event createEvent(const Device &self, py::handle type, py::handle timing, py::handle shareable) {
  const nxs_event_type wanted = parseEventType(type);
  const bool timed = parseBool(timing, "timing");
  if (parseBool(shareable, "shareable")) {
    if (timed) {
      throw py::value_error(
          "shareable and timing are both True, and a shareable event has no timing; give one of "
          "them.");
    }
    if (wanted == NXS_EventType_Shared) {
      throw py::value_error(
          "event_type is Shared, which can't be shared with other processes; with shareable=True "
          "give nexus.event_type.Signal or Fence.");
    }
    return withoutGil([&] { return self.createShareableEvent(wanted); });
  }
  return withoutGil([&] { return self.createEvent(wanted, timed); });
}

void synchronizeDevice(const Device &self, py::handle timeout) {
  const Timeout limit = parseTimeout(timeout);
  const std::uint64_t copies = countCopies();
  withoutGil([&] { self.synchronize(limit); });
  releaseFinishedCopies(self, copies);
}

std::string describeDevice(const Device &self) {
  return self.getSelector() + " '" + self.getProperty<std::string>(NP_Name) + "'";
}

void bindFactories(py::class_<Held<Device>> &cls) {
  method<&createBuffer>(
      cls,
      "create_buffer(self, data: BufferSource, dtype: DTypeLike | None = None, memory: Memory | "
      "None = None, *, shareable: bool = False) -> Buffer\n\nCreates a buffer.\n\ndata is a number "
      "of bytes (of elements if dtype is given), a shape (a tuple; float32 if dtype is None), or "
      "an array, whose elements, shape and dtype are copied (numpy, the buffer protocol, an array "
      "interface, DLPack; also from another device). memory is 'device', 'host' or 'managed'; None "
      "means the device's default. shareable=True creates a buffer that can be pickled to other "
      "processes, which then use the same memory (nexus.capability.ShareableMemory).\n\nRaises "
      "TypeError for a list or a bool, ValueError for a size below 0, NexusError if there is not "
      "enough memory.");
  method<&createBufferFromHandle>(
      cls,
      "create_buffer_from_handle(self, handle: int, data: SupportsIndex | tuple[SupportsIndex, "
      "...], dtype: DTypeLike | None = None, *, offset: int = 0, owner: object = None) -> "
      "Buffer\n\nCreates a buffer that uses another library's memory on this device in "
      "place.\n\nhandle is the driver's handle: an address, or an object of the driver. data is a "
      "number of bytes or a shape, as in create_buffer; offset is in bytes. owner is kept alive "
      "while the memory is in use. The caller must order other libraries' work on the memory. "
      "Raises NexusError if the backend does not support it (nexus.capability.ForeignMemory) or "
      "the driver does not know the memory.");
  method<&copyBuffer>(
      cls,
      "copy_buffer(self, buffer: Buffer) -> Buffer\n\nCreates a buffer on this device with the "
      "contents, shape and dtype of another, which may be on any device.");
  method<&loadNamed>(
      cls,
      "load_library(self, source: Catalog | ObjectCode | str | os.PathLike[str] | bytes | "
      "bytearray | memoryview, name: str | None = None, version: str | None = None) -> "
      "Library\n\nLoads a library of kernels: object code, the path of a file (also "
      "one that ObjectCode.save wrote), or a file's bytes. Raises FileNotFoundError (also a "
      "NexusError) for a missing file, NexusError if it is not a library for the device.\n\nWith "
      "name, source is a kernel catalog or its path, and the best build of that library for the "
      "device is loaded: one for its architecture, else another that it can load, else the source, "
      "which is compiled. version chooses a version; None takes the newest. library.get_info() "
      "describes the choice. Raises ValueError if the catalog has no such library, NexusError if "
      "none of its builds fits the device, or a file was changed.\n\nThe "
      "library's tables are checked before the system loads it, but not its code: load untrusted "
      "libraries in a separate process, as `nexus run --isolate` does. Object code has a "
      "checksum.");
  method<&compileLibrary>(
      cls,
      "compile(self, source: str | os.PathLike[str] | Program, language: str | None = None, name: "
      "str | None = None, options: ProgramOptions | None = None, *, defines: Mapping[str, Define] "
      "| None = None, include_paths: Sequence[Path] | None = None, optimization: int | None = "
      "None, fast_math: bool | None = None, debug: bool | None = None, line_info: bool | None = "
      "None, standard: str | None = None, extra: Mapping[str, Sequence[str]] | None = None, "
      "relocatable: bool | None = None, name_expressions: Sequence[str] | None = None) -> "
      "Library\n\nCompiles a program for the device and loads it, in one step.\n\nsource, language "
      "and name are as in nexus.Program, or source is a Program. Pass options as a ProgramOptions "
      "or as keywords: device.compile(source, fast_math=True). Uses cached code if there is "
      "any.\n\nRaises CompileError if the program can't be compiled, and the errors of Program and "
      "Program.compile.");
  method<[](const Device &self) { return withoutGil([&] { return self.createSchedule(); }); }>(
      cls, "create_schedule(self) -> Schedule\n\nCreates an empty schedule.");
  method<&createStream>(
      cls,
      "create_stream(self, priority: int = 0, *, foreign: CudaStream | int | None = None) -> "
      "Stream\n\nCreates a stream. Lower priority numbers run first; 0 is normal.\n\nforeign wraps "
      "another library's stream and keeps it alive: an object with __cuda_stream__ (CuPy, numba, "
      "torch, cuda.core), or a native handle. Work of both libraries runs in the order of "
      "submission. Raises ValueError for a priority if the backend has none "
      "(nexus.capability.StreamPriority), NexusError if it can't wrap streams "
      "(nexus.capability.ForeignStream).");
  method<&createEvent>(
      cls,
      "create_event(self, event_type: int = 0, timing: bool = False, *, shareable: bool = False) "
      "-> Event\n\nCreates an event. event_type is a member of nexus.event_type; the default is "
      "Shared.\n\ntiming records the times of signals in streams, for Event.elapsed_ms(). "
      "shareable creates a Signal or Fence event that can be pickled to other processes, which can "
      "wait for its signals in this process's streams (nexus.capability.ShareableEvents). Raises "
      "NexusError (NXS_NotSupported) if the backend does not support the requested option.");
}

std::int64_t bytesOf(const Device &self, nxs_property number) {
  return withoutGil([&] { return self.getProperty<std::int64_t>(number); });
}

// Returns nothing without a threshold: all memory is kept.
std::optional<std::int64_t> releaseThreshold(const Device &self) {
  return findProperty<std::int64_t>(self, NP_ReleaseThreshold);
}

void setReleaseThreshold(const Device &self, py::handle bytes) {
  const std::uint64_t most = bytes.is_none() ? UINT64_MAX : parseCount(bytes, "bytes");
  withoutGil([&] { self.setReleaseThreshold(most); });
}

void bindMemory(py::class_<Held<Device>> &cls) {
  property<[](const Device &self) { return py::int_(bytesOf(self, NP_MemoryUsed)); }>(
      cls, "memory_used: int\n\nThe total size in bytes of this process's buffers on the device.");
  property<[](const Device &self) { return py::int_(bytesOf(self, NP_MemoryPeak)); }>(
      cls,
      "memory_peak: int\n\nThe largest memory_used since the process began, or since "
      "reset_memory_peak().");
  property<[](const Device &self) { return py::int_(bytesOf(self, NP_MemoryReserved)); }>(
      cls,
      "memory_reserved: int\n\nThe bytes that the backend holds for buffers, including free memory "
      "kept for new ones.");
  method<[](const Device &self, py::handle keep) {
    const std::uint64_t bytes = parseCount(keep, "keep");
    withoutGil([&] { self.trimMemory(bytes); });
  }>(cls,
     "trim_memory(self, keep: int = 0) -> None\n\nReturns free memory to the driver until the "
     "backend keeps at most this many bytes.");
  property<&releaseThreshold>(cls,
                              "release_threshold: int | None\n\nThe bytes given to "
                              "set_release_threshold(); None, the default, keeps all memory.");
  method<&setReleaseThreshold>(
      cls,
      "set_release_threshold(self, bytes: int | None) -> None\n\nLimits the memory that the "
      "backend holds for buffers. While it holds more than this many bytes (memory in use "
      "included), it returns free memory to the driver at each wait for work and each release of "
      "an idle buffer.\n\n0 keeps nothing; None, the default, keeps all until trim_memory().");
  method<[](const Device &self) { self.resetMemoryPeak(); }>(
      cls, "reset_memory_peak(self) -> None\n\nSets memory_peak to the current memory_used.");
  property<&memoryResourceOf, &setMemoryResource>(
      cls,
      "memory_resource: MemoryResource\n\nThe allocator of new buffers with memory None or "
      "'device', including those of zeros(), copy_buffer() and similar functions: any object with "
      "allocate(size) and deallocate(address, size), such as a pool or a resource of RMM.\n\nThe "
      "default is a DeviceMemoryResource, the backend's own allocator; None restores it. The "
      "backend always allocates shareable buffers and the scratch memory of schedules itself. "
      "Raises NexusError (NXS_NotSupported) if the backend does not refer to memory by its "
      "address.",
      "memory_resource(self, resource: MemoryResource | None) -> None");
  method<&createMemoryPool>(
      cls,
      "create_memory_pool(self, resource: MemoryResource | None = None, *, max_size: int | None = "
      "None, release_threshold: int | None = None) -> MemoryPool\n\nCreates a pool that reuses "
      "freed memory for new buffers. To use it, set it as the memory_resource.\n\nresource is the "
      "allocator from which the pool gets memory; None means the backend's own. max_size limits "
      "the bytes that the pool holds. While it holds more than release_threshold bytes, it returns "
      "freed memory to resource. None means no limit.");
}

// Reads a constant property, once.
template <nxs_property Number, class Value>
py::object shortProperty(Held<Device> &self) {
  return readSingle<Held<Device>, Value>(self, py::int_(static_cast<int>(Number)));
}

void bindShortProperties(py::class_<Held<Device>> &cls) {
  property<&shortProperty<NP_Name, std::string>>(
      cls,
      "name: str\n\nThe device's name for people, such as 'NVIDIA H200'. Raises "
      "PropertyNotFoundError if the device does not have it, as do vendor, architecture, "
      "memory_size and compute_units. `properties` has all properties.");
  property<&shortProperty<NP_Vendor, std::string>>(
      cls, "vendor: str\n\nThe company that makes the device: 'AMD', 'NVIDIA'.");
  property<&shortProperty<NP_Architecture, std::string>>(
      cls,
      "architecture: str\n\nThe architecture, as the compiler names it: 'znver4', 'sm_90', "
      "'gfx1100'.");
  property<&shortProperty<NP_GlobalMemorySize, std::int64_t>>(
      cls, "memory_size: int\n\nThe size of the device's main memory in bytes.");
  property<&shortProperty<NP_CoreCount, std::int64_t>>(
      cls,
      "compute_units: int\n\nThe number of cores that run work items independently: a GPU's "
      "multiprocessors, a CPU's cores.");
  property<[](const Device &self) { return self.getBackend(); }>(
      cls, "backend: str\n\nThe name of the device's backend: 'cpu', 'cuda'.");
}

// Adds the lists of the device's live objects.
void bindContents(py::class_<Held<Device>> &cls) {
  method<[](const Device &self) { return withoutGil([&] { return self.getBuffers(); }); }>(
      cls,
      "get_buffers(self) -> ObjectList[Buffer]\n\nReturns the device's live buffers that are not "
      "closed, oldest first.");
  method<[](const Device &self) { return withoutGil([&] { return self.getLibraries(); }); }>(
      cls,
      "get_libraries(self) -> ObjectList[Library]\n\nReturns the device's live libraries that are "
      "not closed, oldest first.");
  method<[](const Device &self) { return withoutGil([&] { return self.getStreams(); }); }>(
      cls,
      "get_streams(self) -> ObjectList[Stream]\n\nReturns the device's live streams that are not "
      "closed, oldest first, without the default stream.");
  method<[](const Device &self) { return withoutGil([&] { return self.getEvents(); }); }>(
      cls,
      "get_events(self) -> ObjectList[Event]\n\nReturns the device's live events that are not "
      "closed, oldest first.");
  method<[](const Device &self) { return withoutGil([&] { return self.getSchedules(); }); }>(
      cls,
      "get_schedules(self) -> ObjectList[Schedule]\n\nReturns the device's live schedules that are "
      "not closed, oldest first.");
}

}  // namespace

void registerDevice(py::module_ &module) {
  auto cls = makeClass<Device>(module, "Device",
                               "A device. Its methods create all objects on it.\n\nMade by "
                               "nexus.get_device(selector) and Runtime.get_devices().",
                               madeBy("nexus.get_device()"));
  bindObject<&describeDevice>(cls);
  property<[](const Device &self) { return self.getSelector(); }>(
      cls, "selector: str\n\nThe device's name in Nexus, such as 'cpu:0'.");
  property<[](const Device &self) { return self.getRuntime(); }>(
      cls, "runtime: Runtime\n\nThe device's runtime.");
  property<[](const Device &self) { return self.getDefaultStream(); }>(
      cls, "default_stream: Stream\n\nThe stream that functions use if none is given.");
  method<[](const Device &self) { return withoutGil([&] { return self.getInfo(); }); }>(
      cls,
      "get_info(self) -> Properties\n\nReturns the device file's values, overridden by those of "
      "the driver.");
  method<&synchronizeDevice>(
      cls,
      "synchronize(self, timeout: float | None = None) -> None\n\nWaits for all work submitted to "
      "the device, at most timeout seconds; None waits forever. Raises TimeoutError (also a "
      "NexusError), or, when all streams are done, NexusError with the first failure.");
  bindShortProperties(cls);
  bindFactories(cls);
  bindContents(cls);
  bindMemory(cls);
  bindNativeHandle(cls);
}

}  // namespace nexus::python
