// SPDX-License-Identifier: Apache-2.0
#include <nexus/device.hpp>
#include <nexus/stream.hpp>

#include "arrays/in_flight.hpp"
#include "interop/foreign.hpp"
#include "python/errors.hpp"
#include "python/gil.hpp"
#include "types/object.hpp"
#include "values/parse.hpp"

namespace nexus::python {
namespace {

// Returns the exception of a failed stream, this thread's latest error; None for NXS_Success.
PyObject *errorOf(nxs_status status) {
  if (status == NXS_Success) {
    return Py_NewRef(Py_None);
  }
  try {
    nexus::detail::throwLastError(status);
  } catch (const Error &error) {
    return exceptionOf(error);
  }
}

// context is the only reference to the function. Its exceptions go to sys.unraisablehook.
void callBack(void *context, nxs_status status) {
  const PyGILState_STATE state = ensureGil();
  Py_XDECREF(callUntilTheEnd(static_cast<PyObject *>(context), errorOf(status)));
  PyGILState_Release(state);
}

void addCallback(const Stream &stream, py::handle function) {
  if (PyCallable_Check(function.ptr()) == 0) {
    throwTypeError("function", "callable with one argument, the error or None", function);
  }
  Py_INCREF(function.ptr());  // owned by the callback
  const nxs_status status =
      withoutGil([&] { return nexus_stream_add_callback(stream.get(), callBack, function.ptr()); });
  if (status != NXS_Success) {
    Py_DECREF(function.ptr());
    nexus::detail::throwLastError(status);
  }
}

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
      throwValueError("value", value, "it is for events; leave it out for a stream");
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
      "signal(self, event: Event, value: int = 1) -> None\n\nSets the event to value when the "
      "stream's earlier work is done. Returns at once. Raises ValueError if value is below the "
      "event's current value. If the event has passed value by then, nothing changes.");
  method<&waitInStream>(
      cls,
      "wait(self, event_or_stream: Event | Stream, value: int = 1) -> None\n\nMakes the stream's "
      "later work wait until the event reaches value, or until all work submitted to the other "
      "stream so far is done. Returns at once. If that work fails, this stream fails too.");
  method<[](const Stream &self) { return withoutGil([&] { return self.record(); }); }>(
      cls,
      "record(self) -> Event\n\nReturns a new Signal event that is signalled when the stream's "
      "earlier work is done. It has a time for Event.elapsed_ms(), if the backend has timing.");
  method<&addCallback>(
      cls,
      "add_callback(self, function: Callable[[NexusError | None], object]) -> None\n\nCalls "
      "function(error) when the stream's earlier work is done.\n\nerror is None, or the NexusError "
      "of the work that failed. Callbacks run in order on one thread of Nexus; the stream's later "
      "work does not wait for them. Exceptions go to sys.unraisablehook. Callbacks that have not "
      "begun when the interpreter exits are dropped.");
}

}  // namespace

void registerStream(py::module_ &module) {
  auto cls = makeClass<Stream>(
      module, "Stream",
      "An ordered queue of a device's work. Work in one stream runs in order; across streams "
      "it\ndoes not, unless events order it.\n\nMade by Device.create_stream(); functions without "
      "a stream use Device.default_stream.",
      madeBy("Device.create_stream()"));
  bindObject<&describeStream>(cls);
  bindClose<&closeWithoutGil<Stream>>(
      cls,
      "close(self) -> None\n\nCloses the stream; submitted work goes on. A second call does "
      "nothing. Raises NexusError for a device's default stream.");
  property<[](const Stream &self) { return self.getDevice(); }>(
      cls, "device: Device\n\nThe stream's device.");
  property<[](const Stream &self) { return withoutGil([&] { return self.isIdle(); }); }>(
      cls, "is_idle: bool\n\nTrue if all work submitted so far is done.");
  method<&synchronizeStream>(
      cls,
      "synchronize(self, timeout: float | None = None) -> None\n\nWaits for all work submitted so "
      "far, at most timeout seconds; None waits forever. Raises TimeoutError (also a NexusError), "
      "or NexusError with the cause if work in the stream failed.");
  bindOrder(cls);
  bindNativeHandle(cls);
  method<&cudaStreamOf>(
      cls,
      "__cuda_stream__(self) -> tuple[int, int]\n\nReturns the protocol's version, 0, and the "
      "native handle, for CUDA libraries. Raises TypeError on other devices.");
}

}  // namespace nexus::python
