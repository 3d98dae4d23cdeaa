// SPDX-License-Identifier: Apache-2.0
//
// nexus._core: the objects of libnexus as Python classes. nexus/__init__.py is the public face.
#include "bindings.hpp"
#include "errors.hpp"
#include "gil.hpp"
#include "interrupt.hpp"
#include "log.hpp"
#include "method.hpp"

namespace nexus::python {
namespace {

constexpr std::uint64_t kExitWait = 1'000'000'000;  // nanoseconds

// Work that nobody will let go on is failed, what runs is waited for, briefly; callbacks that have
// not begun are dropped. Threads of backends outlive the interpreter: from here on nothing may call
// into it.
void detach() {
  beginTheEnd();
  const nxs_status status = withoutGil([] { return nexus_shutdown(kExitWait); });
  writePendingLog();
  removeInterruptCheck();
  removeLog();
  if (status == NXS_Cancelled && PyErr_Occurred() != nullptr) {
    throw py::error_already_set();  // Ctrl-C in the wait
  }
}

void registerClasses(py::module_ &module) {
  // Classes are nexus.Buffer and so on, wherever they are shown or pickled by name.
  const py::object name = module.attr("__name__");
  module.attr("__name__") = "nexus";
  registerProperties(module);
  registerRuntime(module);
  registerDevice(module);
  registerBuffer(module);
  registerObjectCode(module);
  registerLibrary(module);
  registerKernel(module);
  registerStream(module);
  registerEvent(module);
  registerCommand(module);
  registerSchedule(module);
  module.attr("__name__") = name;
}

}  // namespace
}  // namespace nexus::python

// The module but for its name, which PyInit__core has.
PYBIND11_MODULE(_bound, module) {
  namespace python = nexus::python;
  pybind11::options options;
  options.disable_function_signatures();  // docstrings begin with the typed ones
  module.doc() = "The objects of libnexus as Python classes.";
  python::registerErrors();
  python::registerClasses(module);
  python::registerSystem(module);
  python::registerTrace(module);
  python::registerPlugin(module);
  python::registerProgram(module);
  python::registerObjectCodeFunctions(module);
  nexus_set_discovery(0);  // nexus._discovery finds what is installed, and names it
  python::installLog();
  python::installInterruptCheck();
  python::function<&python::detach>(
      module, "detach() -> None\n\nEnds what could call into the interpreter. Runs when it ends.");
  pybind11::module_::import("atexit").attr("register")(module.attr("detach"));
}

// Python itself refuses a sub-interpreter from 3.12 on. Before, pybind11 would wait for ever there.
PYBIND11_PLUGIN_IMPL(_core) {
  if (PyInterpreterState_Get() != PyInterpreterState_Main()) {
    PyErr_SetString(PyExc_ImportError,
                    "nexus does not support loading in subinterpreters; import it in the main "
                    "interpreter, or start another process.");
    return nullptr;
  }
  return PyInit__bound();
}
