// SPDX-License-Identifier: Apache-2.0
#include "values/parse.hpp"

#include <cmath>
#include <utility>

#include "python/errors.hpp"

namespace nexus::python {
namespace {

bool isSequence(py::handle value) {
  return py::isinstance<py::list>(value) || py::isinstance<py::tuple>(value);
}

}  // namespace

std::string parseText(py::handle value, const std::string &parameter) {
  if (PyUnicode_Check(value.ptr()) == 0) {
    throwTypeError(parameter, "a str", value);
  }
  Py_ssize_t size = 0;
  const char *const text = PyUnicode_AsUTF8AndSize(value.ptr(), &size);
  if (text == nullptr) {
    PyErr_Clear();
    throwValueError(parameter, value, "it has a lone surrogate; give text that encodes as UTF-8");
  }
  return std::string(text, static_cast<std::size_t>(size));
}

std::string parsePath(py::handle value, const std::string &parameter, const std::string &wanted) {
  const auto path = py::reinterpret_steal<py::object>(PyOS_FSPath(value.ptr()));
  if (!path) {
    if (PyErr_ExceptionMatches(PyExc_TypeError) == 0) {
      throw py::error_already_set();  // raised by its __fspath__
    }
    PyErr_Clear();
    throwTypeError(parameter, wanted, value);
  }
  std::string text = parseText(py::module_::import("os").attr("fsdecode")(path), parameter);
  if (text.empty()) {
    throwValueError(parameter, value, "it is empty; give the path of a file");
  }
  if (text.find('\0') != std::string::npos) {
    throwValueError(parameter, value, "it has a NUL character; leave it out");
  }
  return text;
}

std::uint64_t parseCount(py::handle value, const Parameter &parameter, std::uint64_t lowest) {
  if (PyBool_Check(value.ptr()) || PyIndex_Check(value.ptr()) == 0) {
    throwTypeError(parameter, "an int", value);
  }
  const auto number = py::reinterpret_steal<py::object>(PyNumber_Index(value.ptr()));
  if (!number) {
    PyErr_Clear();  // an array of integers has __index__, but is not an int
    throwTypeError(parameter, "an int", value);
  }
  const long long count = PyLong_AsLongLong(number.ptr());
  if (count == -1 && PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    throwValueError(parameter, value,
                    "it has to be from " + std::to_string(lowest) + " to 2**63 - 1");
  }
  if (count < 0 || static_cast<std::uint64_t>(count) < lowest) {
    throwValueError(parameter, value, "it has to be at least " + std::to_string(lowest));
  }
  return static_cast<std::uint64_t>(count);
}

Extent parseExtent(py::handle value, const Parameter &parameter, std::uint64_t lowest) {
  if (value.is_none()) {
    return {};
  }
  if (!isSequence(value)) {
    if (PyBool_Check(value.ptr()) || PyIndex_Check(value.ptr()) == 0) {
      throwTypeError(parameter, "an int, or a list or tuple of up to three", value);
    }
    return Extent(parseCount(value, parameter, lowest));
  }
  const py::tuple lengths = py::tuple(py::reinterpret_borrow<py::object>(value));
  if (lengths.empty() || lengths.size() > 3) {
    throwValueError(parameter, value, "it needs one to three lengths");
  }
  std::uint64_t extent[3] = {1, 1, 1};
  for (std::size_t index = 0; index < lengths.size(); ++index) {
    extent[index] = parseCount(lengths[index], Parameter(parameter, index), lowest);
  }
  return Extent(extent[0], extent[1], extent[2]);
}

bool parseBool(py::handle value, const Parameter &parameter) {
  if (PyBool_Check(value.ptr())) {
    return value.ptr() == Py_True;
  }
  const std::string type = typeName(value);
  if (type != "numpy.bool" && type != "numpy.bool_") {
    throwTypeError(parameter, "a bool", value);
  }
  return PyObject_IsTrue(value.ptr()) == 1;
}

Timeout parseTimeout(py::handle value) {
  if (value.is_none()) {
    return forever;
  }
  if (PyBool_Check(value.ptr()) || (!PyFloat_Check(value.ptr()) && !PyLong_Check(value.ptr()))) {
    throwTypeError("timeout", "seconds as a float or int, or None", value);
  }
  const double seconds = PyFloat_AsDouble(value.ptr());
  if (PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    throwValueError("timeout", value, "it is too large; use None to wait forever");
  }
  if (std::isnan(seconds) || seconds < 0) {
    throwValueError("timeout", value, "it has to be at least 0 seconds");
  }
  constexpr double longest = 9.2e9;  // seconds in 2^63 nanoseconds, about 290 years
  if (seconds >= longest) {
    return forever;
  }
  return Timeout(static_cast<Timeout::rep>(seconds * 1e9));
}

std::vector<std::uint64_t> parseShape(py::handle value, const Parameter &parameter) {
  const auto lengths = py::reinterpret_borrow<py::tuple>(value);
  std::vector<std::uint64_t> shape;
  shape.reserve(lengths.size());
  for (std::size_t index = 0; index < lengths.size(); ++index) {
    shape.push_back(parseCount(lengths[index], Parameter(parameter, index)));
  }
  return shape;
}

bool LaunchArguments::present() const {
  if (!groupSize.is_none() || !gridSize.is_none() || !groupCount.is_none()) return true;
  const std::pair<bool, const char *> options[] = {
      {parseCount(localMemory, "local_memory") != 0, "local_memory"},
      {!parseExtent(clusterSize, "cluster_size").empty(), "cluster_size"},
      {parseBool(cooperative, "cooperative_launch"), "cooperative_launch"},
      {parseBool(programmatic, "programmatic_launch"), "programmatic_launch"}};
  for (const auto &[asked, parameter] : options) {
    if (!asked) continue;
    throw py::type_error(std::string(parameter) +
                         " is given without a size: give grid_size or group_count too, or pass all "
                         "of them to Command.finalize().");
  }
  return false;
}

Launch LaunchArguments::parse() const {
  if (gridSize.is_none() && groupCount.is_none()) {
    throw py::type_error(
        "grid_size is missing: give the number of work items, or the number of groups as "
        "group_count.");
  }
  if (!gridSize.is_none() && !groupCount.is_none()) {
    throw py::type_error("grid_size and group_count were given: give one of them, not both.");
  }
  Launch launch;
  launch.groupSize = parseExtent(groupSize, "group_size");
  launch.gridSize = parseExtent(gridSize, "grid_size", 0);
  launch.groupCount = parseExtent(groupCount, "group_count", 0);
  launch.localMemory = parseCount(localMemory, "local_memory");
  launch.clusterSize = parseExtent(clusterSize, "cluster_size");
  launch.cooperative = parseBool(cooperative, "cooperative_launch");
  launch.programmatic = parseBool(programmatic, "programmatic_launch");
  return launch;
}

}  // namespace nexus::python
