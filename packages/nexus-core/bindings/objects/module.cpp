// SPDX-License-Identifier: Apache-2.0
//
// nexus._core: the objects of libnexus as Python classes. nexus/__init__.py is the public module.
#include "arrays/buffer.hpp"
#include "objects/kernel.hpp"
#include "python/bindings.hpp"
#include "python/errors.hpp"
#include "python/gil.hpp"
#include "python/log.hpp"
#include "types/method.hpp"
#include "types/object.hpp"

namespace nexus::python {
namespace {

// Called on the waiting thread, which has released the GIL. Python runs signal handlers on its main
// thread only; on others PyErr_CheckSignals does nothing.
std::int32_t checkSignals(void *) {
  const PyGILState_STATE state = ensureGil();
  writePendingLog();
  const int raised = PyErr_CheckSignals();  // the error stays set for the waiting call
  PyGILState_Release(state);
  return raised;
}

constexpr std::uint64_t kExitWait = 1'000'000'000;  // nanoseconds

// Cancels work that waits for a signal, waits briefly for running work, and drops callbacks that
// have not begun. Backends' threads outlive the interpreter and must not call it after this.
void detach() {
  beginTheEnd();
  const nxs_status status = withoutGil([] { return nexus_shutdown(kExitWait); });
  writePendingLog();
  nexus_set_interrupt_check(nullptr, nullptr);
  removeLog();
  if (status == NXS_Cancelled && PyErr_Occurred() != nullptr) {
    throw py::error_already_set();  // Ctrl-C during the wait
  }
}

template <class Value>
py::object share(nexus_object *object) {
  nexus_retain(object);
  return wrap(Value(object));
}

// The contract is in <nexus/python.hpp>.
py::object fromCapsule(py::handle capsule) {
  if (PyCapsule_IsValid(capsule.ptr(), kCapsule) == 0) {
    throwTypeError("capsule", "the result of __nexus_object__()", capsule);
  }
  auto *const object = static_cast<nexus_object *>(PyCapsule_GetPointer(capsule.ptr(), kCapsule));
  switch (nexus_object_get_type(object)) {
    case NXS_ObjectType_Runtime:
      return share<Runtime>(object);
    case NXS_ObjectType_Device:
      return share<Device>(object);
    case NXS_ObjectType_Buffer:
      return share<Buffer>(object);
    case NXS_ObjectType_Library:
      return share<Library>(object);
    case NXS_ObjectType_Kernel:
      return share<Kernel>(object);
    case NXS_ObjectType_Stream:
      return share<Stream>(object);
    case NXS_ObjectType_Event:
      return share<Event>(object);
    case NXS_ObjectType_Schedule:
      return share<Schedule>(object);
    case NXS_ObjectType_Command:
      return share<Command>(object);
    case NXS_ObjectType_ObjectCode:
      return share<ObjectCode>(object);
    default:
      throw py::type_error("capsule has an object without a class in nexus.");
  }
}

void registerClasses(py::module_ &module) {
  // The classes are named nexus.Buffer and so on, in texts and pickles.
  const py::object name = module.attr("__name__");
  module.attr("__name__") = "nexus";
  registerProperties(module);
  registerRuntime(module);
  registerDevice(module);
  registerBuffer(module);
  registerMemoryResource(module);
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

// The module; PyInit__core gives it its name.
PYBIND11_MODULE(_bound, module, pybind11::mod_gil_not_used()) {
  namespace python = nexus::python;
  pybind11::options options;
  options.disable_function_signatures();  // docstrings begin with the typed ones
  module.doc() = "The objects of libnexus as Python classes.";
  python::registerErrors();
  python::registerClasses(module);
  python::registerSystem(module);
  python::registerProgram(module);
  python::registerObjectCodeFunctions(module);
  python::function<&python::fromCapsule>(
      module,
      "from_capsule(capsule: object) -> Any\n\nReturns the object of a capsule, for extensions "
      "that use <nexus/python.hpp>.");
  nexus_set_discovery(0);  // nexus._discovery finds the installed backends and adds them
  python::installLog();
  nexus_set_interrupt_check(python::checkSignals, nullptr);  // for Ctrl-C
  python::function<&python::detach>(
      module,
      "detach() -> None\n\nStops all calls into the interpreter. Runs when the interpreter exits.");
  pybind11::module_::import("atexit").attr("register")(module.attr("detach"));
}

// From 3.12 on, Python itself refuses a sub-interpreter. Before, pybind11 would wait there forever.
PYBIND11_PLUGIN_IMPL(_core) {
  if (PyInterpreterState_Get() != PyInterpreterState_Main()) {
    PyErr_SetString(PyExc_ImportError,
                    "nexus does not support loading in subinterpreters; import it in the main "
                    "interpreter, or start another process.");
    return nullptr;
  }
  return PyInit__bound();
}
