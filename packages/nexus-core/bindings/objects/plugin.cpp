// SPDX-License-Identifier: Apache-2.0
//
// A plug-in without libnexus in between, for nexus.conformance.
#include <nexus/nexus_c.h>

#include <cstdint>
#include <nexus/runtime.hpp>
#include <string>

#include "python/bindings.hpp"
#include "types/method.hpp"
#include "types/object.hpp"
#include "values/launch.hpp"

namespace nexus::python {
namespace {

py::tuple pluginTable(py::handle value) {
  const Runtime &runtime = argumentOf<Runtime>(value, "runtime");
  nexus_plugin_info info{};
  info.struct_size = sizeof(info);
  nexus::detail::check(nexus_runtime_get_plugin(runtime.get(), &info));
  return py::make_tuple(reinterpret_cast<std::uintptr_t>(info.functions), info.runtime,
                        info.capabilities, info.thread_model, info.tag);
}

py::object pluginError(py::handle error) {
  nexus_error_info info{};
  info.struct_size = sizeof(info);
  if (nexus_get_plugin_error(parseCount(error, "error"), &info) != NXS_Success) {
    return py::none();
  }
  return py::make_tuple(std::string(nexus::detail::toView(info.text)), info.native_code,
                        std::string(nexus::detail::toView(info.backend)));
}

}  // namespace

void registerPlugin(py::module_ &module) {
  function<&pluginTable>(module,
                         "plugin_table(runtime: Runtime) -> tuple[int, int, int, int, "
                         "int]\n\nReturns a plug-in's table of functions: its address, the "
                         "runtime's id, the capability bits, the thread model and the tag.");
  function<&pluginError>(module,
                         "plugin_error(error: int) -> tuple[str, int, str] | None\n\nReturns the "
                         "text, the driver's error number and the backend of a plug-in's error "
                         "record. 0 takes this thread's latest one, and clears it.");
}

}  // namespace nexus::python
