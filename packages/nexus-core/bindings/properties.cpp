// SPDX-License-Identifier: Apache-2.0
#include <nexus/properties.hpp>

#include "object.hpp"

namespace nexus::python {
namespace {

std::string describeProperties(const Properties &self) {
  const std::size_t count = self.getPropertyKeys().size();
  return "of " + std::to_string(count) + (count == 1 ? " key" : " keys");
}

}  // namespace

void registerProperties(py::module_ &module) {
  auto cls = makeClass<Properties>(
      module, "Properties",
      "A tree of properties, such as what a device says of itself laid over its device file. It\n"
      "never changes.\n\nMade by Device.get_info(), nexus.get_device_info() and\n"
      "nexus.lookup_device_info(name).",
      madeBy("Device.get_info() or nexus.get_device_info()"));
  bindProperties(cls, "get");
  bindIdentity(cls);
  bindRepr<&describeProperties>(cls);
  bindHtml(cls);
}

}  // namespace nexus::python
