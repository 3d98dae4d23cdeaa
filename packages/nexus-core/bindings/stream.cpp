// SPDX-License-Identifier: Apache-2.0
#include <nexus/device.hpp>
#include <nexus/stream.hpp>

#include "gil.hpp"
#include "in_flight.hpp"
#include "launch.hpp"
#include "object.hpp"

namespace nexus::python {

void registerStream(py::module_ &module) {
  auto cls = makeClass<Stream>(
      module, "Stream", "Device.create_stream()",
      "An ordered queue of a device's work. Work in one stream runs in order; across streams it\n"
      "does not, unless events order it.\n\nMade by Device.create_stream(); Device.default_stream "
      "is what functions without one use.");
  bindObject(cls, "Stream",
             [](const Stream &self) { return "on " + self.getDevice().getSelector(); });
  bindClose(cls, "Ends the stream; its work finishes.");
  cls.def_property_readonly("device", &Stream::getDevice, "device: Device\n\nThe stream's device.");
  cls.def_property_readonly("is_idle", &Stream::isIdle,
                            "is_idle: bool\n\nWhether all work submitted so far is done.");
  cls.def(
      "synchronize",
      [](const Stream &self, py::handle timeout) {
        const Timeout limit = parseTimeout(timeout);
        withoutGil([&] { self.synchronize(limit); });
        releaseFinishedCopies();
      },
      py::arg("timeout") = py::none(),
      "synchronize(self, timeout: float | None = None) -> None\n\nWaits for all work submitted so "
      "far, timeout seconds at most. Raises TimeoutError (also a NexusError), or NexusError with "
      "the cause where the stream's work failed.");
  cls.def(
      "signal",
      [](const Stream &self, py::handle event, py::handle value) {
        const auto &target = argumentOf<Event>(event, "event");
        const auto number = parseCount(value, "value");
        withoutGil([&] { self.signal(target, number); });
      },
      py::arg("event"), py::arg("value") = 1,
      "signal(self, event: Event, value: int = 1) -> None\n\nSets the event to value once the "
      "stream's earlier work is done. Returns at once.");
  cls.def(
      "wait",
      [](const Stream &self, py::handle event, py::handle value) {
        const auto &target = argumentOf<Event>(event, "event");
        const auto number = parseCount(value, "value");
        withoutGil([&] { self.wait(target, number); });
      },
      py::arg("event"), py::arg("value") = 1,
      "wait(self, event: Event, value: int = 1) -> None\n\nHolds the stream's later work until the "
      "event reaches value. Returns at once.");
}

}  // namespace nexus::python
