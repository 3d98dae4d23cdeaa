// SPDX-License-Identifier: Apache-2.0
#include <nexus/runtime.hpp>

#include "buffer.hpp"
#include "errors.hpp"
#include "gil.hpp"
#include "host_array.hpp"
#include "in_flight.hpp"
#include "launch.hpp"
#include "object.hpp"

namespace nexus::python {
namespace {

Library loadFile(const Device &device, const std::string &path) {
  try {
    return withoutGil([&] { return device.loadLibrary(path); });
  } catch (const Error &error) {
    // The core has one status for a path that can't be read; the operating system tells more.
    py::module_::import("nexus._errors")
        .attr("raise_for_file")(path, error.status(), error.what(), error.nativeCode(),
                                error.backend());
    throw;
  }
}

Library loadLibrary(const Device &device, py::handle source) {
  if (PyUnicode_Check(source.ptr()) || py::hasattr(source, "__fspath__")) {
    return loadFile(device,
                    py::cast<std::string>(py::module_::import("os").attr("fsdecode")(source)));
  }
  if (PyObject_CheckBuffer(source.ptr()) == 0) {
    throwTypeError("source", "a path (str or os.PathLike) or the bytes of a library", source);
  }
  const HostArray bytes(source, HostArray::Access::Read, "source");
  const std::span view(static_cast<const std::byte *>(bytes.data()),
                       static_cast<std::size_t>(bytes.size()));
  return withoutGil([&] { return device.loadLibrary(view); });
}

nxs_event_type parseEventType(py::handle value) {
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

void bindFactories(py::class_<Device> &cls) {
  cls.def(
      "create_buffer", &createBuffer, py::arg("data"), py::arg("dtype") = py::none(),
      py::arg("memory") = py::none(),
      "create_buffer(self, data: BufferSource, dtype: DTypeLike | None = None, memory: Memory | "
      "None = None) -> Buffer\n\n"
      "Makes a buffer.\n\n"
      "data is a number of bytes, a shape (a tuple; float32 unless dtype says otherwise), or an "
      "array\nwhose elements are copied with their shape and dtype (numpy, the buffer protocol, "
      "an array\ninterface). memory is 'device', 'host' or 'managed'; None takes the device's "
      "own.\n\nRaises TypeError for a list or a bool, ValueError for sizes below 1 or that are "
      "no multiple of\nthe dtype, NexusError where the memory can't be had.");
  cls.def("copy_buffer", &copyBuffer, py::arg("buffer"),
          "copy_buffer(self, buffer: Buffer) -> Buffer\n\nA buffer on this device with a copy of "
          "another's contents, shape and dtype. The other may be on any device.");
  cls.def(
      "load_library", &loadLibrary, py::arg("source"),
      "load_library(self, source: str | os.PathLike[str] | bytes) -> Library\n\nLoads a library "
      "of kernels from its file or from the bytes of one. Raises FileNotFoundError (also a "
      "NexusError) for a missing file, NexusError for one that is no library for the device.");
  cls.def(
      "create_schedule", [](const Device &self) { return self.createSchedule(); },
      "create_schedule(self) -> Schedule\n\nMakes an empty schedule.");
  cls.def(
      "create_stream",
      [](const Device &self, py::handle priority) {
        const std::int32_t number = parsePriority(priority);
        return withoutGil([&] { return self.createStream(number); });
      },
      py::arg("priority") = 0,
      "create_stream(self, priority: int = 0) -> Stream\n\nMakes a stream. Lower priorities go "
      "first where the backend has them; 0 is normal.");
  cls.def(
      "create_event",
      [](const Device &self, py::handle type) { return self.createEvent(parseEventType(type)); },
      py::arg("event_type") = 0,
      "create_event(self, event_type: int = 0) -> Event\n\nMakes an event of a type of "
      "nexus.event_type; Shared unless given.");
}

}  // namespace

void registerDevice(py::module_ &module) {
  auto cls = makeClass<Device>(module, "Device", "nexus.get_device()",
                               "A device, and what makes everything on it.\n\nMade by "
                               "nexus.get_device(selector) and Runtime.get_devices().");
  bindObject(cls, "Device", [](const Device &self) {
    return self.getSelector() + " '" + self.getProperty<std::string>(NP_Name) + "'";
  });
  cls.def_property_readonly("selector", &Device::getSelector,
                            "selector: str\n\nWhat names the device everywhere, such as 'cpu:0'.");
  cls.def_property_readonly("runtime", &Device::getRuntime,
                            "runtime: Runtime\n\nThe device's runtime.");
  cls.def_property_readonly("default_stream", &Device::getDefaultStream,
                            "default_stream: Stream\n\nThe stream that functions without one use.");
  cls.def(
      "get_info", [](const Device &self) { return withoutGil([&] { return self.getInfo(); }); },
      "get_info(self) -> Properties\n\nWhat the device says of itself, laid over its device file.");
  cls.def(
      "synchronize",
      [](const Device &self, py::handle timeout) {
        const Timeout limit = parseTimeout(timeout);
        withoutGil([&] { self.synchronize(limit); });
        releaseFinishedCopies();
      },
      py::arg("timeout") = py::none(),
      "synchronize(self, timeout: float | None = None) -> None\n\nWaits for all work submitted to "
      "the device, timeout seconds at most. Raises TimeoutError (also a NexusError), or NexusError "
      "with the first failure.");
  bindFactories(cls);
}

}  // namespace nexus::python
