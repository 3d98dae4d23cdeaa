// SPDX-License-Identifier: Apache-2.0
#include <nexus/properties.hpp>

#include "object.hpp"

namespace nexus::python {

void registerProperties(py::module_ &module) {
  auto cls = makeClass<Properties>(
      module, "Properties", "Device.get_info()",
      "A tree of properties, such as what a device says of itself laid over its device file.\n\n"
      "Made by Device.get_info().");
  bindProperties(cls, "");
  bindIdentity(cls);
  bindRepr(cls, "Properties", [](const Properties &self) {
    return "of " + std::to_string(self.getPropertyKeys().size()) + " keys";
  });
}

}  // namespace nexus::python
