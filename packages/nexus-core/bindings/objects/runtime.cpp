// SPDX-License-Identifier: Apache-2.0
#include <nexus/runtime.hpp>

#include "types/object.hpp"
#include "values/parse.hpp"

namespace nexus::python {
namespace {

std::string describeRuntime(const Runtime &self) {
  const auto count = self.getDeviceCount();
  return self.getName() + ", " + counted(count, "device");
}

}  // namespace

void registerRuntime(py::module_ &module) {
  auto cls = makeClass<Runtime>(module, "Runtime",
                                "A backend that was loaded and has a device.\n\n"
                                "Made by nexus.get_runtimes() and nexus.get_runtime(name).",
                                madeBy("nexus.get_runtimes()"));
  bindObject<&describeRuntime>(cls);
  property<[](const Runtime &self) { return self.getName(); }>(
      cls, "name: str\n\nThe backend's name, such as 'cpu'.");
  method<[](const Runtime &self) { return self.getDevices(); }>(
      cls, "get_devices(self) -> ObjectList[Device]\n\nReturns the backend's devices.");
  method<[](const Runtime &self, py::handle id) { return self.getDevice(parseCount(id, "id")); }>(
      cls,
      "get_device(self, id: int = 0) -> Device\n\nReturns the device at an index, from 0 on. "
      "Raises NexusError if there is none.");
}

}  // namespace nexus::python
