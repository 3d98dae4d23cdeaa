// SPDX-License-Identifier: Apache-2.0
#include <nexus/runtime.hpp>

#include "launch.hpp"
#include "object.hpp"

namespace nexus::python {

void registerRuntime(py::module_ &module) {
  auto cls = makeClass<Runtime>(module, "Runtime", "nexus.get_runtimes()",
                                "A backend that was loaded and has a device.\n\n"
                                "Made by nexus.get_runtimes() and nexus.get_runtime(name).");
  bindObject(cls, "Runtime", [](const Runtime &self) {
    const auto count = self.getDeviceCount();
    return self.getName() + ", " + std::to_string(count) + (count == 1 ? " device" : " devices");
  });
  cls.def_property_readonly("name", &Runtime::getName,
                            "name: str\n\nThe backend's name, such as 'cpu'.");
  cls.def(
      "get_devices", [](const Runtime &self) { return objectList(self.getDevices()); },
      "get_devices(self) -> ObjectList[Device]\n\nThe backend's devices.");
  cls.def(
      "get_device",
      [](const Runtime &self, py::handle id) { return self.getDevice(parseCount(id, "id")); },
      py::arg("id") = 0,
      "get_device(self, id: int = 0) -> Device\n\nThe device of an index, from 0 on. Raises "
      "NexusError where there is no such device.");
}

}  // namespace nexus::python
