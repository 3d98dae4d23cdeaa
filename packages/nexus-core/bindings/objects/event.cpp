// SPDX-License-Identifier: Apache-2.0
#include <pybind11/gil_safe_call_once.h>
#include <nexus/device.hpp>
#include <nexus/event.hpp>

#include "python/gil.hpp"
#include "types/object.hpp"
#include "values/parse.hpp"

namespace nexus::python {
namespace {

// Cached, since each signal and each wait returns it.
py::object success() {
  PYBIND11_CONSTINIT static py::gil_safe_call_once_and_store<py::object> member;
  return member
      .call_once_and_store_result(
          [] { return py::object(py::module_::import("nexus.status").attr("NXS_Success")); })
      .get_stored();
}

py::object eventType(const Event &self) {
  return py::module_::import("nexus.event_type").attr("EventType")(self.getType());
}

// "Shared, value 3", "Signal, value 0, pending", "Shared, value 0, failed"
std::string describeEvent(const Event &self) {
  std::string text = py::cast<std::string>(eventType(self).attr("name"));
  text += ", value " + std::to_string(withoutGil([&] { return self.getValue(); }));
  const auto status = withoutGil([&] { return self.getProperty<std::string>(NP_Status); });
  if (status == "Error" || status == "Canceled") {
    text += ", failed";
  } else if (self.getType() != NXS_EventType_Shared) {
    text += status == "Complete" ? ", done" : ", pending";
  }
  return text;
}

py::object signalEvent(const Event &self, py::handle value) {
  const auto number = parseCount(value, "value");
  withoutGil([&] { self.signal(number); });
  return success();
}

py::object waitForEvent(const Event &self, py::handle value, py::handle timeout) {
  const auto number = parseCount(value, "value");
  const Timeout limit = parseTimeout(timeout);
  withoutGil([&] { self.wait(number, limit); });
  return success();
}

double elapsedSince(const Event &self, py::handle start) {
  constexpr double millisecond = 1e6;  // in nanoseconds
  const Event &from = argumentOf<Event>(start, "start");
  return withoutGil([&] { return self.getElapsedTime(from); }) / millisecond;
}

constexpr const char *kEventRefusal =
    "nexus.Event objects can't be pickled or copied, since each belongs to this process. For "
    "another process create one with Device.create_event(nexus.event_type.Signal, "
    "shareable=True).";

// The pickle has the event's handle.
py::tuple reduceEvent(const Event &self, py::handle) {
  try {
    const std::string handle = withoutGil([&] { return self.exportEvent(); });
    return py::make_tuple(
        py::module_::import("nexus._shared").attr("open_event"),
        py::make_tuple(wrap(self.getDevice()).attr("selector"), py::bytes(handle)));
  } catch (const Error &error) {
    if (error.status() != NXS_InvalidOperation) throw;
    throw py::type_error(kEventRefusal);
  }
}

[[noreturn]] py::object refuseEventCopy(py::handle) {
  throw py::type_error(kEventRefusal);
}

[[noreturn]] py::object refuseDeepEventCopy(py::handle, py::handle) {
  throw py::type_error(kEventRefusal);
}

Event importEvent(py::handle deviceObject, py::handle handle) {
  const auto &device = argumentOf<nexus::Device>(deviceObject, "device");
  if (PyBytes_Check(handle.ptr()) == 0) {
    throwTypeError("handle", "bytes", handle);
  }
  const auto text = py::cast<std::string>(handle);
  return withoutGil([&] { return device.importEvent(text); });
}

// For events shared between processes; others raise the reason.
void bindEventPickling(py::class_<Held<Event>> &cls) {
  method<&reduceEvent>(
      cls,
      "__reduce_ex__(self, protocol: int, /) -> tuple[Any, ...]\n\nPickles an event that was made "
      "with shareable=True, for another process. Raises TypeError for others.");
  method<&refuseEventCopy>(cls, "__copy__(self) -> Never\n\nRaises TypeError.");
  method<&refuseDeepEventCopy>(cls,
                               "__deepcopy__(self, memo: object, /) -> Never\n\nRaises TypeError.");
}

}  // namespace

void registerEvent(py::module_ &module) {
  auto cls = makeClass<Event>(
      module, "Event",
      "By default, a 64-bit counter that only grows. Streams and the host signal "
      "values, and wait for values.\n\nMade by Device.create_event() and Stream.record().",
      madeBy("Device.create_event()"));
  bindObject<&describeEvent>(cls);
  bindNativeHandle(cls);
  bindClose<&closeWithoutGil<Event>>(cls,
                                     "close(self) -> None\n\nCloses the event. Work that waits for "
                                     "it fails with NXS_Cancelled. A second call does nothing.");
  property<[](const Event &self) { return self.getDevice(); }>(
      cls, "device: Device\n\nThe event's device.");
  property<[](const Event &self) { return withoutGil([&] { return self.getValue(); }); }>(
      cls, "value: int\n\nThe current value.");
  property<[](const Event &self) { return withoutGil([&] { return self.isDone(); }); }>(
      cls,
      "is_done: bool\n\nTrue if there was a signal, and all signals submitted so far have "
      "happened. Raises NexusError with the cause if one failed.");
  property<&eventType>(cls, "type: EventType\n\nA member of nexus.event_type.");
  method<&signalEvent>(cls,
                       "signal(self, value: int = 1) -> Status\n\nSets the value from the host. "
                       "Raises ValueError if it is below the current value. Returns NXS_Success.");
  method<&waitForEvent>(
      cls,
      "wait(self, value: int = 1, timeout: float | None = None) -> Status\n\nWaits until the event "
      "reaches value, at most timeout seconds; None waits forever. Returns NXS_Success. Raises "
      "TimeoutError (also a NexusError), or NexusError with the cause if the work before the "
      "signal failed.");
  method<&elapsedSince>(
      cls,
      "elapsed_ms(self, start: Event) -> float\n\nReturns the milliseconds on the device's clock "
      "from start's newest signal to this event's newest signal.\n\nBoth events must be of one "
      "device, timed (from Stream.record(), or made with timing=True), and signalled in streams. "
      "Raises NexusError with NXS_ProfilingInfoNotAvailable if one is not timed, or "
      "NXS_InvalidOperation if one was not signalled in a stream or its signal has not happened "
      "yet; the text tells which. Raises ValueError if start was signalled after this event.");
  bindEventPickling(cls);
  function<&importEvent>(module,
                         "import_event(device: Device, handle: bytes) -> Event\n\nOpens an event "
                         "that another process shares.");
}

}  // namespace nexus::python
