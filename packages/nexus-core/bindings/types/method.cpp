// SPDX-License-Identifier: Apache-2.0
#include "types/method.hpp"

#include <exception>
#include <new>
#include <stdexcept>
#include <string>

#include "python/errors.hpp"

namespace nexus::python::calls {
namespace {

py::object descriptorOf(py::handle cls, PyMethodDef *definition) {
  auto *const type = reinterpret_cast<PyTypeObject *>(cls.ptr());
  auto descriptor = py::reinterpret_steal<py::object>(PyDescr_NewMethod(type, definition));
  if (!descriptor) throw py::error_already_set();
  return descriptor;
}

py::object functionOf(PyMethodDef *definition, py::handle module) {
  auto made =
      py::reinterpret_steal<py::object>(PyCFunction_NewEx(definition, nullptr, module.ptr()));
  if (!made) throw py::error_already_set();
  return made;
}

}  // namespace

void setErrorOfException() {
  try {
    throw;
  } catch (py::error_already_set &error) {
    error.restore();
  } catch (const py::builtin_exception &error) {
    error.set_error();
  } catch (const Error &error) {
    setPythonError(error);
  } catch (const std::bad_alloc &) {
    PyErr_NoMemory();
  } catch (const std::exception &error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
  }
}

void define(Definition &definition, std::size_t parameters, PyCFunction fromPlace, const char *doc,
            py::handle owner) {
  const auto *const signature = new Signature(
      doc, owner.is_none() ? std::string() : py::cast<std::string>(owner.attr("__name__")));
  if (signature->size() != parameters || definition.signature != nullptr) {
    throw std::logic_error("A signature that is not the function's: " + signature->name());
  }
  definition.signature = signature;
  if (notesPlaces()) definition.method.ml_meth = fromPlace;
  definition.method.ml_name = signature->name().c_str();
  definition.method.ml_doc = doc;
}

void addMethod(py::handle cls, PyMethodDef *definition) {
  py::setattr(cls, definition->ml_name, descriptorOf(cls, definition));
}

void addStaticMethod(py::handle cls, PyMethodDef *definition) {
  const py::handle wrap(reinterpret_cast<PyObject *>(&PyStaticMethod_Type));
  py::setattr(cls, definition->ml_name, wrap(functionOf(definition, {})));
}

void addProperty(py::handle cls, PyMethodDef *definition) {
  const py::handle make(reinterpret_cast<PyObject *>(&PyProperty_Type));
  py::setattr(cls, definition->ml_name,
              make(descriptorOf(cls, definition), py::none(), py::none(), definition->ml_doc));
}

void addFunction(const py::module_ &module, PyMethodDef *definition) {
  py::setattr(module, definition->ml_name, functionOf(definition, module.attr("__name__")));
}

}  // namespace nexus::python::calls
