// SPDX-License-Identifier: Apache-2.0
//
// A class for Python whose call runs a kernel in the caller's stream.
#include <nexus.h>
#include <pybind11/pybind11.h>

#include <nexus/python.hpp>  // after pybind11

namespace py = pybind11;

const char *const kSource = R"(
NEXUS_KERNEL_BOUNDED(saxpy, (n), (NEXUS_GLOBAL const float *, x), (NEXUS_GLOBAL float *, y),
                     (float, a), (int, n)) {
  int i = nexus_global_id(0);
  y[i] = a * x[i] + y[i];
}
)";

class Saxpy {
 public:
  explicit Saxpy(const nexus::Device &device)
      : device_(device), kernel_(device.compile(kSource).getKernel("saxpy")) {}

  nexus::Device device() const { return device_; }

  // Sets y to a * x + y, and returns it.
  nexus::Buffer run(float a, const nexus::Buffer &x, const nexus::Buffer &y,
                    const nexus::Stream &stream) const {
    if (x.getShape() != y.getShape()) throw py::value_error("x and y have different shapes.");
    const auto n = static_cast<std::int32_t>(y.getSize() / sizeof(float));
    kernel_(stream ? stream : device_.getDefaultStream(), n, x, y, a, n);
    return y;
  }

 private:
  nexus::Device device_;
  nexus::Kernel kernel_;
};

PYBIND11_MODULE(_extension, module, py::mod_gil_not_used()) {
  nexus::python::registerErrors();
  py::class_<Saxpy>(module, "Saxpy")
      .def(py::init<const nexus::Device &>(), py::arg("device"))
      .def_property_readonly("device", &Saxpy::device)
      .def("__call__", &Saxpy::run, py::arg("a"), py::arg("x"), py::arg("y"),
           py::arg("stream") = nexus::Stream(), py::call_guard<py::gil_scoped_release>());
}
