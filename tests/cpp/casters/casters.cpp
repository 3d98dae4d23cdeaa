// SPDX-License-Identifier: Apache-2.0
//
// An extension whose functions take and return objects of Nexus, by pybind11 or by nanobind.
#ifdef NANOBIND
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
namespace py = nanobind;
#define MODULE NB_MODULE
#else
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
namespace py = pybind11;
#define MODULE PYBIND11_MODULE
#endif

#include <nexus/python.hpp>
#include <optional>

namespace {

template <class T>
void defineSame(py::module_ &module, const char *name) {
  module.def(name, [](const T &value) { return value; }, py::arg("value"));
}

nexus::Buffer kept;

}  // namespace

MODULE(casters, module) {
  nexus::python::registerErrors();
  defineSame<nexus::Buffer>(module, "buffer");
  defineSame<nexus::Command>(module, "command");
  defineSame<nexus::Device>(module, "device");
  defineSame<nexus::Event>(module, "event");
  defineSame<nexus::Kernel>(module, "kernel");
  defineSame<nexus::Library>(module, "library");
  defineSame<nexus::ObjectCode>(module, "object_code");
  defineSame<nexus::Runtime>(module, "runtime");
  defineSame<nexus::Schedule>(module, "schedule");
  defineSame<nexus::Stream>(module, "stream");
  module.def(
      "is_there", [](std::optional<nexus::Buffer> buffer) { return buffer.has_value(); },
      py::arg("buffer") = py::none());
  module.def(
      "fill",
      [](const nexus::Buffer &buffer, float value, const nexus::Stream &stream) {
        buffer.fill(value, stream);
      },
      py::arg("buffer"), py::arg("value"), py::arg("stream") = nexus::Stream(),
      py::call_guard<py::gil_scoped_release>());
  module.def(
      "wait", [](const nexus::Event &event) { event.wait(1); },
      py::call_guard<py::gil_scoped_release>());
  module.def("keep", [](const nexus::Buffer &buffer) { kept = buffer; });
  module.def("give_back", [] { return std::exchange(kept, {}); });
}
