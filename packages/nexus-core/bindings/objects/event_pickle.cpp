// SPDX-License-Identifier: Apache-2.0
//
// Pickling of events shared between processes: the pickle has the event's handle.
#include <nexus/device.hpp>
#include <nexus/event.hpp>
#include <string>

#include "objects/event_pickle.hpp"
#include "python/errors.hpp"
#include "python/gil.hpp"
#include "types/object.hpp"

namespace nexus::python {
namespace {

constexpr const char *kEventRefusal =
    "nexus.Event objects can't be pickled or copied: each stands for one object of this process. "
    "For another process make one with Device.create_event(nexus.event_type.Signal, "
    "shareable=True).";

PyObject *reduceEvent(PyObject *self, PyObject *) noexcept {
  try {
    const Event &event = valueOf<Event>(self);
    const std::string handle = withoutGil([&] { return event.exportEvent(); });
    const py::tuple parts =
        py::make_tuple(wrap(event.getDevice()).attr("selector"), py::bytes(handle));
    return py::make_tuple(py::module_::import("nexus._shared").attr("open_event"), parts)
        .release()
        .ptr();
  } catch (py::error_already_set &error) {
    error.restore();
  } catch (const Error &error) {
    if (error.status() == NXS_InvalidOperation) {
      PyErr_SetString(PyExc_TypeError, kEventRefusal);
    } else {
      setPythonError(error);
    }
  } catch (const std::exception &error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
  }
  return nullptr;
}

PyObject *refuseEventCopy(PyObject *, PyObject *) noexcept {
  PyErr_SetString(PyExc_TypeError, kEventRefusal);
  return nullptr;
}

PyMethodDef eventMethods[] = {
    {"__reduce_ex__", reduceEvent, METH_O,
     "__reduce_ex__(self, protocol: int, /) -> tuple[Any, ...]\n\nPickles an event that was made "
     "with shareable=True, for another process. Raises TypeError for others."},
    {"__copy__", refuseEventCopy, METH_NOARGS, "__copy__(self) -> Never\n\nRaises TypeError."},
    {"__deepcopy__", refuseEventCopy, METH_O,
     "__deepcopy__(self, memo: object, /) -> Never\n\nRaises TypeError."},
};

Event importEvent(py::handle deviceObject, py::handle handle) {
  const auto &device = argumentOf<nexus::Device>(deviceObject, "device");
  if (PyBytes_Check(handle.ptr()) == 0) {
    throwTypeError("handle", "bytes", handle);
  }
  const auto text = py::cast<std::string>(handle);
  return withoutGil([&] { return device.importEvent(text); });
}

}  // namespace

void setupEventPickling(PyHeapTypeObject *heapType) {
  PyTypeObject &type = heapType->ht_type;
  for (PyMethodDef &method : eventMethods) {
    const auto made = py::reinterpret_steal<py::object>(PyDescr_NewMethod(&type, &method));
    if (!made || PyDict_SetItemString(type.tp_dict, method.ml_name, made.ptr()) != 0) {
      throw py::error_already_set();
    }
  }
}

void registerEventImport(py::module_ &module) {
  function<&importEvent>(module,
                         "import_event(device: Device, handle: bytes) -> Event\n\nOpens an event "
                         "that another process shares.");
}

}  // namespace nexus::python
