// SPDX-License-Identifier: Apache-2.0
//
// Functions on which nexus/__init__.py and nexus/_discovery build the module's functions.
#include <nexus/runtime.hpp>
#include <nexus/system.hpp>
#include <nexus/trace.hpp>
#include <string>

#include "python/gil.hpp"
#include "python/log.hpp"
#include "types/object.hpp"
#include "values/parse.hpp"

namespace nexus::python {
namespace {

const char *stateName(nexus_backend_state state) {
  switch (state) {
    case NEXUS_BACKEND_PASS:
      return "PASS";
    case NEXUS_BACKEND_ABSENT:
      return "ABSENT";
    case NEXUS_BACKEND_OFF:
      return "OFF";
    default:
      return "FAIL";
  }
}

py::list backends() {
  const py::object make = py::module_::import("nexus._collections").attr("Backend");
  py::list list;
  for (const Backend &backend : withoutGil([] { return getSystem().getBackends(); })) {
    list.append(make(backend.name, stateName(backend.state), backend.distribution, backend.version,
                     backend.manifest, backend.library, backend.reason));
  }
  return list;
}

// Calls a C function with texts as arguments.
template <class Function, class... Text>
void callWithTexts(Function function, const Text &...texts) {
  nexus::detail::check(withoutGil([&] { return function(nexus::detail::toString(texts)...); }));
}

void addManifest(py::handle path, py::handle distribution) {
  callWithTexts(nexus_add_manifest, parseText(path, "path"),
                parseText(distribution, "distribution"));
}

void addFailure(py::handle name, py::handle distribution, py::handle reason) {
  callWithTexts(nexus_add_failure, parseText(name, "name"), parseText(distribution, "distribution"),
                parseText(reason, "reason"));
}

void setConfig(py::handle key, py::handle value) {
  callWithTexts(nexus_set_config, parseText(key, "key"), parseText(value, "value"));
}

void checkBackendName(py::handle name, py::handle parameter) {
  callWithTexts(nexus_check_backend_name, parseText(name, "name"),
                parseText(parameter, "parameter"));
}

Runtime findRuntime(py::handle name) {
  const std::string text = parseText(name, "name");
  return withoutGil([&] { return getSystem().getRuntime(text); });
}

Device selectDevice(py::handle selector) {
  const std::string text = parseText(selector, "selector");
  return withoutGil([&] { return getSystem().getDevice(text); });
}

Properties lookupDeviceInfo(py::handle name) {
  if (isA<Device>(name)) {
    const Device &device = valueOf<Device>(name.ptr());
    return withoutGil([&] { return getSystem().lookupDeviceInfo(device); });
  }
  if (PyUnicode_Check(name.ptr()) == 0) {
    throwTypeError("name", "a str or a nexus.Device", name);
  }
  const std::string text = parseText(name, "name");
  return withoutGil([&] { return getSystem().lookupDeviceInfo(text); });
}

void bindDiscovery(py::module_ &module) {
  function<&addManifest>(module,
                         "add_manifest(path: str, distribution: str) -> None\n\nAdds a backend by "
                         "its manifest, without loading it.");
  function<&addFailure>(module,
                        "add_failure(name: str, distribution: str, reason: str) -> None\n\nAdds "
                        "the record of a backend that could not name a manifest.");
  function<[] { nexus::detail::check(withoutGil([] { return nexus_discover(); })); }>(
      module,
      "discover() -> None\n\nAdds the backends in NEXUS_PLUGIN_PATH and those beside libnexus.");
  function<[] { return nexus_plugin_timeout(); }>(
      module,
      "plugin_timeout() -> float\n\nReturns the seconds that a backend may take to start: "
      "NEXUS_PLUGIN_TIMEOUT, else 5.");
  function<&checkBackendName>(module,
                              "check_backend_name(name: str, parameter: str) -> None\n\nRaises "
                              "ValueError if no backend, found or built in, has the name.");
  function<&setConfig>(module,
                       "set_config(key: str, value: str) -> None\n\nSets a plug-in's setting.");
}

// Functions of nexus.trace.

// With the GIL, since neither waits.
void traceRange(py::handle name, py::handle begin) {
  const std::string text = parseText(name, "name");
  const std::int64_t since = PyLong_AsLongLong(begin.ptr());
  if (since == -1 && PyErr_Occurred() != nullptr) {
    throw py::error_already_set();
  }
  nexus::detail::check(nexus_trace_range(nexus::detail::toString(text), since));
}

void markTrace(py::handle name) {
  traceMark(parseText(name, "name"));
}

void bindTrace(py::module_ &module) {
  function<[] { return nexus_trace_is_on() != 0; }>(
      module, "trace_is_on() -> bool\n\nReturns whether this process is traced.");
  function<[] { return nexus_trace_time(); }>(
      module, "trace_time() -> int\n\nReturns the time of the trace's clock in nanoseconds.");
  function<&traceRange>(module,
                        "trace_range(name: str, begin: int) -> None\n\nAdds a range of this "
                        "thread, from begin until now.");
  function<&markTrace>(module, "trace_mark(name: str) -> None\n\nAdds a mark of this thread.");
}

// A plug-in without libnexus in between, for nexus.conformance.

py::tuple pluginTable(py::handle value) {
  const Runtime &runtime = argumentOf<Runtime>(value, "runtime");
  auto info = nexus::detail::sized<nexus_plugin_info>();
  nexus::detail::check(nexus_runtime_get_plugin(runtime.get(), &info));
  return py::make_tuple(reinterpret_cast<std::uintptr_t>(info.functions), info.runtime,
                        info.capabilities, info.thread_model, info.tag);
}

py::object pluginError(py::handle error) {
  auto info = nexus::detail::sized<nexus_error_info>();
  if (nexus_get_plugin_error(parseCount(error, "error"), &info) != NXS_Success) {
    return py::none();
  }
  return py::make_tuple(std::string(nexus::detail::toView(info.text)), info.native_code,
                        std::string(nexus::detail::toView(info.backend)));
}

void bindPlugin(py::module_ &module) {
  function<&pluginTable>(module,
                         "plugin_table(runtime: Runtime) -> tuple[int, int, int, int, "
                         "int]\n\nReturns a plug-in's table of functions: its address, the "
                         "runtime's id, the capability bits, the thread model and the tag.");
  function<&pluginError>(module,
                         "plugin_error(error: int) -> tuple[str, int, str] | None\n\nReturns the "
                         "text, the driver's error number and the backend of a plug-in's error "
                         "record. 0 takes this thread's latest one, and clears it.");
}

}  // namespace

void registerSystem(py::module_ &module) {
  bindDiscovery(module);
  function<[] { return objectList(withoutGil([] { return getSystem().getRuntimes(); })); }>(
      module, "runtimes() -> ObjectList[Runtime]\n\nReturns the runtimes of all working backends.");
  function<&findRuntime>(module,
                         "runtime(name: str) -> Runtime\n\nReturns the runtime of that name.");
  function<&selectDevice>(module,
                          "device(selector: str) -> Device\n\nReturns the device of a selector; "
                          "the default if it is empty.");
  function<&backends>(module,
                      "backends() -> list[Backend]\n\nReturns the record of each backend found.");
  function<[] { return withoutGil([] { return getSystem().getDeviceInfo(); }); }>(
      module, "device_info() -> Properties\n\nReturns the database of devices.");
  function<&lookupDeviceInfo>(module,
                              "lookup_device_info(name: str | Device) -> Properties\n\nReturns an "
                              "entry of the database of devices.");
  function<[] { return withoutGil([] { return getSystem().getDeviceInfoProblemsJson(); }); }>(
      module,
      "device_info_problems() -> str\n\nReturns the device files that can't be used, as JSON.");
  function<[] { return std::string(nexus_version()); }>(
      module, "version() -> str\n\nReturns the version of libnexus.");
  function<[] { writePendingLog(); }>(
      module, "write_pending_log() -> None\n\nWrites pending log lines of other threads.");
  bindTrace(module);
  bindPlugin(module);
}

}  // namespace nexus::python
