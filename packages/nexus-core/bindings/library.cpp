// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <nexus/library.hpp>
#include <string>
#include <vector>

#include "errors.hpp"
#include "gil.hpp"
#include "object.hpp"

namespace nexus::python {

void registerLibrary(py::module_ &module) {
  auto cls = makeClass<Library>(module, "Library", "Device.load_library()",
                                "A loaded library of kernels.\n\nMade by Device.load_library().");
  bindObject(cls, "Library", [](const Library &self) -> std::string {
    const std::vector<std::string> keys = self.getPropertyKeys();
    if (std::find(keys.begin(), keys.end(), "Name") == keys.end()) {
      return "from memory";
    }
    return "'" + self.getProperty<std::string>(NP_Name) + "'";
  });
  bindClose(cls, "Lets the library go; its kernels and the work that uses them live on.");
  cls.def(
      "get_kernel",
      [](const Library &self, py::handle name) {
        if (!PyUnicode_Check(name.ptr())) {
          throwTypeError("name", "a str", name);
        }
        const auto text = py::cast<std::string>(name);
        return withoutGil([&] { return self.getKernel(text); });
      },
      py::arg("name"),
      "get_kernel(self, name: str) -> Kernel\n\nThe kernel of that name. Raises NexusError where "
      "the library has none; the text names near ones.");
}

}  // namespace nexus::python
