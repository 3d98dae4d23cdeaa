// SPDX-License-Identifier: Apache-2.0
//
// What nexus/__init__.py and nexus/_discovery.py build the module's functions from.
#include <nexus/system.hpp>

#include "gil.hpp"
#include "log.hpp"
#include "object.hpp"

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

// Wraps a C function that takes texts.
template <class Function, class... Text>
void callWithTexts(Function function, const Text &...texts) {
  detail::check(withoutGil([&] { return function(detail::toString(texts)...); }));
}

void bindDiscovery(py::module_ &module) {
  module.def(
      "add_manifest",
      [](const std::string &path, const std::string &distribution) {
        callWithTexts(nexus_add_manifest, path, distribution);
      },
      py::arg("path"), py::arg("distribution"),
      "add_manifest(path: str, distribution: str) -> None\n\nAdds a backend by its manifest, "
      "without loading it.");
  module.def(
      "add_failure",
      [](const std::string &name, const std::string &distribution, const std::string &reason) {
        callWithTexts(nexus_add_failure, name, distribution, reason);
      },
      py::arg("name"), py::arg("distribution"), py::arg("reason"),
      "add_failure(name: str, distribution: str, reason: str) -> None\n\nAdds the record of a "
      "backend that could not name a manifest.");
  module.def(
      "discover", [] { detail::check(withoutGil([] { return nexus_discover(); })); },
      "discover() -> None\n\nAdds what NEXUS_PLUGIN_PATH names and what lies beside libnexus.");
  module.def(
      "set_config",
      [](const std::string &key, const std::string &value) {
        callWithTexts(nexus_set_config, key, value);
      },
      py::arg("key"), py::arg("value"),
      "set_config(key: str, value: str) -> None\n\nSets what plug-ins read as configuration.");
}

}  // namespace

void registerSystem(py::module_ &module) {
  bindDiscovery(module);
  module.def(
      "runtimes", [] { return objectList(withoutGil([] { return getSystem().getRuntimes(); })); },
      "runtimes() -> ObjectList[Runtime]\n\nThe runtimes of the backends that work.");
  module.def(
      "runtime",
      [](const std::string &name) {
        return withoutGil([&] { return getSystem().getRuntime(name); });
      },
      py::arg("name"), "runtime(name: str) -> Runtime\n\nThe runtime of that name.");
  module.def(
      "device",
      [](const std::string &selector) {
        return withoutGil([&] { return getSystem().getDevice(selector); });
      },
      py::arg("selector"),
      "device(selector: str) -> Device\n\nThe device of a selector; empty: the default.");
  module.def("backends", &backends,
             "backends() -> list[Backend]\n\nThe record of each backend that was found.");
  module.def(
      "version", [] { return std::string(nexus_version()); },
      "version() -> str\n\nThe version of libnexus.");
  module.def("write_pending_log", &writePendingLog,
             "write_pending_log() -> None\n\nWrites the log lines that other threads left.");
}

}  // namespace nexus::python
