// SPDX-License-Identifier: Apache-2.0
#include <nexus/event.hpp>

#include "gil.hpp"
#include "launch.hpp"
#include "object.hpp"

namespace nexus::python {
namespace {

py::object success() {
  return py::module_::import("nexus.status").attr("NXS_Success");
}

}  // namespace

void registerEvent(py::module_ &module) {
  auto cls = makeClass<Event>(
      module, "Event", "Device.create_event()",
      "A 64-bit counter that only grows: work and the host raise it, and wait for it to reach a\n"
      "value.\n\nMade by Device.create_event().");
  bindObject(cls, "Event",
             [](const Event &self) { return "of value " + std::to_string(self.getValue()); });
  bindClose(cls, "Ends the event; work that waits for it fails.");
  cls.def_property_readonly("value", &Event::getValue, "value: int\n\nThe value reached by now.");
  cls.def_property_readonly(
      "type",
      [](const Event &self) {
        return py::module_::import("nexus.event_type").attr("EventType")(self.getType());
      },
      "type: EventType\n\nA member of nexus.event_type.");
  cls.def(
      "signal",
      [](const Event &self, py::handle value) {
        const auto number = parseCount(value, "value");
        withoutGil([&] { self.signal(number); });
        return success();
      },
      py::arg("value") = 1,
      "signal(self, value: int = 1) -> Status\n\nSets the value from the host. Raises ValueError "
      "where it is below the event's. Returns NXS_Success.");
  cls.def(
      "wait",
      [](const Event &self, py::handle value, py::handle timeout) {
        const auto number = parseCount(value, "value");
        const Timeout limit = parseTimeout(timeout);
        withoutGil([&] { self.wait(number, limit); });
        return success();
      },
      py::arg("value") = 1, py::arg("timeout") = py::none(),
      "wait(self, value: int = 1, timeout: float | None = None) -> Status\n\nWaits until the event "
      "reaches value, timeout seconds at most. Returns NXS_Success; raises TimeoutError (also a "
      "NexusError), or NexusError with the cause where the work that would have signalled it "
      "failed.");
}

}  // namespace nexus::python
