// SPDX-License-Identifier: Apache-2.0
#include "object.hpp"

namespace nexus::python {
namespace {

// The attribute that tells what makes objects of a class; set on the type in madeBy.
constexpr const char *factoryKey = "_factory";

PyObject *refuseConstruction(PyTypeObject *type, PyObject *, PyObject *) {
  const py::handle cls(reinterpret_cast<PyObject *>(type));
  PyErr_Format(PyExc_TypeError, "nexus.%S objects are not made by calling the class: use %S.",
               py::object(cls.attr("__name__")).ptr(), py::object(cls.attr(factoryKey)).ptr());
  return nullptr;
}

}  // namespace

py::custom_type_setup madeBy(const char *factory) {
  return py::custom_type_setup([factory](PyHeapTypeObject *heapType) {
    PyTypeObject &type = heapType->ht_type;
    type.tp_new = refuseConstruction;
    if (type.tp_dict == nullptr) {
      type.tp_dict = PyDict_New();
    }
    const py::str value(factory);
    if (type.tp_dict == nullptr ||
        PyDict_SetItemString(type.tp_dict, factoryKey, value.ptr()) != 0) {
      throw py::error_already_set();
    }
  });
}

}  // namespace nexus::python
