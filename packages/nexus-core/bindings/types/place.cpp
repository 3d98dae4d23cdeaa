// SPDX-License-Identifier: Apache-2.0
#include "types/place.hpp"

#include <nexus/nexus_c.h>
#include <pybind11/pybind11.h>

#include <cstdlib>
#include <string>
#include <string_view>
#include <unordered_set>

namespace py = pybind11;

namespace nexus::python {
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
  static const std::string &folder = *new std::string([] {
    const py::object file = py::module_::import("nexus._core").attr("__file__");
    const auto path = py::cast<std::string>(file);
    return path.substr(0, path.rfind('/') + 1);
  }());
  return folder;
}

// Returns whether it is a file of the package itself, not of one within it.
bool isOwn(std::string_view file) {
  const std::string &folder = packageFolder();
  return file.substr(0, folder.size()) == folder &&
         file.find('/', folder.size()) == std::string_view::npos;
}

// Returns a copy that lives as long as the process. Needs the GIL.
const char *interned(std::string_view file) {
  static auto &files = *new std::unordered_set<std::string>;
  return files.emplace(file).first->c_str();
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

}  // namespace nexus::python
