// SPDX-License-Identifier: Apache-2.0
#include "types/object.hpp"

namespace nexus::python {
namespace {

// An attribute of the type, set in madeBy: the function that makes its objects.
constexpr const char *factoryKey = "_factory";

PyObject *refuseConstruction(PyTypeObject *type, PyObject *, PyObject *) {
  const py::handle cls(reinterpret_cast<PyObject *>(type));
  PyErr_Format(PyExc_TypeError, "nexus.%S objects can't be created by calling the class: use %S.",
               py::object(cls.attr("__name__")).ptr(), py::object(cls.attr(factoryKey)).ptr());
  return nullptr;
}

// __reduce_ex__, called by pickle and copy.
PyObject *refuseReduction(PyObject *self, PyObject *) {
  const py::handle cls = py::type::handle_of(self);
  PyErr_Format(PyExc_TypeError,
               "nexus.%S objects can't be pickled or copied, since each belongs to this process: "
               "create another with %S.",
               py::object(cls.attr("__name__")).ptr(), py::object(cls.attr(factoryKey)).ptr());
  return nullptr;
}

PyMethodDef reduction = {"__reduce_ex__", refuseReduction, METH_O,
                         "__reduce_ex__(self, protocol: int, /) -> Never\n\nRaises TypeError: "
                         "objects can't be pickled or copied."};

const char *kindOf(const Object &object) {
  switch (nexus_object_get_type(object.get())) {
#define NEXUS_PYTHON_KIND(name, number) \
  case number:                          \
    return #name;
    NXS_FOR_EACH_ObjectType(NEXUS_PYTHON_KIND)
#undef NEXUS_PYTHON_KIND
  }
  return "nexus object";
}

void setAttribute(PyTypeObject &type, const char *name, py::object value) {
  if (!value || PyDict_SetItemString(type.tp_dict, name, value.ptr()) != 0) {
    throw py::error_already_set();
  }
}

}  // namespace

void setVectorcall(PyTypeObject &type) {
  type.tp_vectorcall_offset = type.tp_basicsize;
  type.tp_basicsize += static_cast<Py_ssize_t>(sizeof(vectorcallfunc));
  type.tp_call = PyVectorcall_Call;
  type.tp_flags |= Py_TPFLAGS_HAVE_VECTORCALL;
}

py::custom_type_setup madeBy(const char *factory, void (*setup)(PyTypeObject &)) {
  return py::custom_type_setup([factory, setup](PyHeapTypeObject *heapType) {
    PyTypeObject &type = heapType->ht_type;
    type.tp_new = refuseConstruction;
    if (setup != nullptr) setup(type);
    if (type.tp_dict == nullptr) {
      type.tp_dict = PyDict_New();
    }
    if (type.tp_dict == nullptr) {
      throw py::error_already_set();
    }
    setAttribute(type, factoryKey, py::str(factory));
    setAttribute(type, reduction.ml_name,
                 py::reinterpret_steal<py::object>(PyDescr_NewMethod(&type, &reduction)));
  });
}

std::int64_t requireNativeHandle(const Object &object) {
  const auto handle = findProperty<std::int64_t>(object, NP_NativeHandle);
  if (!handle) {
    throw Error(NXS_NotSupported, std::string("The backend has no native handle of this ") +
                                      kindOf(object) + ", or none yet: only Nexus can use it.");
  }
  return *handle;
}

py::object capsuleOf(const Object &object) {
  auto capsule = owned(PyCapsule_New(object.get(), kCapsule, [](PyObject *self) {
    nexus_release(static_cast<nexus_object *>(PyCapsule_GetPointer(self, kCapsule)));
  }));
  nexus_retain(object.get());
  return capsule;
}

std::string whyNoRepr(const Error &error) {
  // NXS_InvalidBuffer and so on; those of events and kernels are outside the range.
  const nxs_status status = error.status();
  const bool closed = (status <= NXS_InvalidObject && status >= NXS_InvalidSystem) ||
                      status == NXS_InvalidEvent || status == NXS_InvalidKernel;
  return closed ? "closed" : std::string("that can't tell more: ") + error.statusName();
}

py::object reprOf(py::handle self, const std::string &text) {
  const py::object name = py::type::handle_of(self).attr("__name__");
  return owned(PyUnicode_FromFormat("<nexus.%U %U>", name.ptr(), decoded(text).ptr()));
}

}  // namespace nexus::python
