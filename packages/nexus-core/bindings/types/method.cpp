// SPDX-License-Identifier: Apache-2.0
#include "types/method.hpp"

#include <nexus/nexus_c.h>
#include <pybind11/gil_safe_call_once.h>
#include <cstdlib>
#include <exception>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_set>

#include "python/errors.hpp"
#include "python/shared_state.hpp"

namespace nexus::python::calls {
namespace {

using Frame = py::object;

Frame frameOf(PyFrameObject *frame) {
  return py::reinterpret_steal<py::object>(reinterpret_cast<PyObject *>(frame));
}

PyFrameObject *pointerOf(const Frame &frame) {
  return reinterpret_cast<PyFrameObject *>(frame.ptr());
}

std::string_view fileOf(const Frame &frame) {
  const auto code = py::reinterpret_steal<py::object>(
      reinterpret_cast<PyObject *>(PyFrame_GetCode(pointerOf(frame))));
  const py::object file = code.attr("co_filename");
  Py_ssize_t size = 0;
  const char *text = PyUnicode_AsUTF8AndSize(file.ptr(), &size);
  if (text == nullptr) {
    PyErr_Clear();
    return {};
  }
  return {text, static_cast<std::size_t>(size)};  // owned by the code object
}

// Returns the folder of the package nexus, with a slash.
const std::string &packageFolder() {
  PYBIND11_CONSTINIT static py::gil_safe_call_once_and_store<std::string> folder;
  return folder
      .call_once_and_store_result([] {
        const py::object file = py::module_::import("nexus._core").attr("__file__");
        const auto path = py::cast<std::string>(file);
        return path.substr(0, path.rfind('/') + 1);
      })
      .get_stored();
}

// Returns whether it is a file of the package. The command line and conformance count as users.
bool isOwn(std::string_view file) {
  const std::string &folder = packageFolder();
  if (!file.starts_with(folder)) return false;
  file.remove_prefix(folder.size());
  return !file.starts_with("cli/") && !file.starts_with("conformance/");
}

// Returns a copy that lives as long as the process.
const char *interned(std::string_view file) {
  static auto &files = *new std::unordered_set<std::string>;
  static StateMutex mutex;
  const StateLock lock(mutex);
  return files.emplace(file).first->c_str();
}

py::object descriptorOf(py::handle cls, PyMethodDef *definition) {
  return owned(PyDescr_NewMethod(reinterpret_cast<PyTypeObject *>(cls.ptr()), definition));
}

py::object functionOf(PyMethodDef *definition, py::handle module) {
  return owned(PyCFunction_NewEx(definition, nullptr, module.ptr()));
}

}  // namespace

bool notesPlaces() {
  static const bool wanted = [] {
    const char *layers = std::getenv("NEXUS_LAYERS");
    return layers != nullptr && std::string_view(layers).find("validate") != std::string_view::npos;
  }();
  return wanted;
}

void notePlace() noexcept {
  const py::error_scope keep;
  try {
    Frame frame = frameOf(PyThreadState_GetFrame(PyThreadState_Get()));
    while (frame && isOwn(fileOf(frame))) {
      frame = frameOf(PyFrame_GetBack(pointerOf(frame)));
    }
    if (frame) nexus_set_place(interned(fileOf(frame)), PyFrame_GetLineNumber(pointerOf(frame)));
  } catch (py::error_already_set &) {
    return;  // better a message without a place than a failing call
  } catch (const std::exception &) {
    return;
  }
}

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

// Setting the attribute would replace the slot.
void addCall(py::handle cls, PyMethodDef *definition) {
  auto *const type = reinterpret_cast<PyTypeObject *>(cls.ptr());
  const py::object descriptor = descriptorOf(cls, definition);
  if (PyDict_SetItemString(type->tp_dict, definition->ml_name, descriptor.ptr()) != 0) {
    throw py::error_already_set();
  }
  PyType_Modified(type);
}

void addStaticMethod(py::handle cls, PyMethodDef *definition) {
  const py::handle wrap(reinterpret_cast<PyObject *>(&PyStaticMethod_Type));
  py::setattr(cls, definition->ml_name, wrap(functionOf(definition, {})));
}

void addProperty(py::handle cls, PyMethodDef *definition, PyMethodDef *setter) {
  const py::handle make(reinterpret_cast<PyObject *>(&PyProperty_Type));
  const py::object set = setter == nullptr ? py::none() : py::object(descriptorOf(cls, setter));
  py::setattr(cls, definition->ml_name,
              make(descriptorOf(cls, definition), set, py::none(), definition->ml_doc));
}

void addFunction(const py::module_ &module, PyMethodDef *definition) {
  py::setattr(module, definition->ml_name, functionOf(definition, module.attr("__name__")));
}

}  // namespace nexus::python::calls
