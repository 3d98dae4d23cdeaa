// SPDX-License-Identifier: Apache-2.0
#include <nexus/device.hpp>
#include <nexus/stream.hpp>

#include "arrays/in_flight.hpp"
#include "interop/foreign_stream.hpp"
#include "objects/callback.hpp"
#include "python/gil.hpp"
#include "types/object.hpp"
#include "values/launch.hpp"

namespace nexus::python {
namespace {

// "on cpu:0, idle"
std::string describeStream(const Stream &self) {
  const auto status = withoutGil([&] { return self.getProperty<std::string>(NP_Status); });
  const char *state = status == "Complete" ? "idle" : status == "Error" ? "failed" : "busy";
  return "on " + self.getDevice().getSelector() + ", " + state;
}

void synchronizeStream(const Stream &self, py::handle timeout) {
  const Timeout limit = parseTimeout(timeout);
  withoutGil([&] { self.synchronize(limit); });
  releaseFinishedCopies();
}

void signalInStream(const Stream &self, py::handle event, py::handle value) {
  const Event &target = argumentOf<Event>(event, "event");
  const auto number = parseCount(value, "value");
  withoutGil([&] { self.signal(target, number); });
}

void waitInStream(const Stream &self, py::handle eventOrStream, py::handle value) {
  const auto number = parseCount(value, "value");
  if (isA<Stream>(eventOrStream)) {
    if (number != 1) {
      throwValueError("value", value, "it is for events; a wait for a stream has none");
    }
    const Stream &other = valueOf<Stream>(eventOrStream.ptr());
    withoutGil([&] { self.wait(other); });
    return;
  }
  if (!isA<Event>(eventOrStream)) {
    throwTypeError("event_or_stream", "a nexus.Event or a nexus.Stream", eventOrStream);
  }
  const Event &event = valueOf<Event>(eventOrStream.ptr());
  withoutGil([&] { self.wait(event, number); });
}

void bindOrder(py::class_<Held<Stream>> &cls) {
  method<&signalInStream>(
      cls,
      "signal(self, event: Event, value: int = 1) -> None\n\nSets the event to value once the "
      "stream's earlier work is done. Returns at once. Raises ValueError where value is below "
      "the event's; where the event grows beyond it before that, nothing changes.");
  method<&waitInStream>(
      cls,
      "wait(self, event_or_stream: Event | Stream, value: int = 1) -> None\n\nHolds the stream's "
      "later work until the event reaches value, or until all work submitted to the other stream "
      "so far is done. Returns at once. Where what is waited for fails, so does this stream.");
  method<[](const Stream &self) { return withoutGil([&] { return self.record(); }); }>(
      cls,
      "record(self) -> Event\n\nA new Signal event that is signalled once the stream's earlier "
      "work is done; timed where the backend can, for Event.elapsed_ms().");
  method<&addCallback>(
      cls,
      "add_callback(self, function: Callable[[NexusError | None], object]) -> None\n\nCalls "
      "function(error) once the stream's earlier work is done.\n\nerror is None, or the "
      "NexusError of the work that failed. The calls come in order, on one thread of Nexus' own, "
      "and the stream's later work does not wait for them; what function raises goes to "
      "sys.unraisablehook. Callbacks that have not begun when the interpreter ends are dropped.");
}

}  // namespace

void registerStream(py::module_ &module) {
  auto cls = makeClass<Stream>(
      module, "Stream",
      "An ordered queue of a device's work. Work in one stream runs in order; across streams it\n"
      "does not, unless events order it.\n\nMade by Device.create_stream(); Device.default_stream "
      "is what functions without one use.",
      madeBy("Device.create_stream()"));
  bindObject<&describeStream>(cls);
  bindClose<&closeWithoutGil<Stream>>(
      cls,
      "close(self) -> None\n\nEnds the stream; its work finishes. Twice does nothing. Raises "
      "NexusError for a device's default stream.");
  property<[](const Stream &self) { return self.getDevice(); }>(
      cls, "device: Device\n\nThe stream's device.");
  property<[](const Stream &self) { return withoutGil([&] { return self.isIdle(); }); }>(
      cls, "is_idle: bool\n\nWhether all work submitted so far is done.");
  method<&synchronizeStream>(
      cls,
      "synchronize(self, timeout: float | None = None) -> None\n\nWaits for all work submitted so "
      "far, timeout seconds at most, None being forever. Raises TimeoutError (also a NexusError), "
      "or NexusError with the cause where the stream's work failed.");
  bindOrder(cls);
  bindNativeHandle(cls);
  method<&cudaStreamOf>(
      cls,
      "__cuda_stream__(self) -> tuple[int, int]\n\nThe version of the protocol, 0, and the native "
      "handle, for libraries of CUDA. Raises TypeError on devices of another kind.");
}

}  // namespace nexus::python
