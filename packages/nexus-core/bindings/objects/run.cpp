// SPDX-License-Identifier: Apache-2.0
//
// Schedule.run, which programs call most often.
#include "objects/run.hpp"

#include "python/gil.hpp"
#include "types/object.hpp"
#include "values/launch.hpp"

namespace nexus::python {
namespace {

// Returns whether a flag is set; checks the two usual objects first.
bool isTrue(py::handle flag, const char *parameter) {
  return flag.ptr() == Py_True || (flag.ptr() != Py_False && parseBool(flag, parameter));
}

// Releases the GIL also without waiting for the run: a submission may wait for a full queue or for
// another thread's lock.
void run(const Schedule &self, py::handle stream, py::handle blocking, py::handle timeout,
         py::handle timing) {
  nexus_stream *in = nullptr;
  if (!stream.is_none()) {
    if (!isA<Stream>(stream)) {
      throwTypeError("stream", "a nexus.Stream or None", stream);
    }
    in = valueOf<Stream>(stream.ptr()).get();
  }
  const bool waits = isTrue(blocking, "blocking");
  const nxs_execution_settings settings =
      (waits ? 0 : NXS_ExecutionSettings_NonBlocking) |
      (isTrue(timing, "timing") ? NXS_ExecutionSettings_Timing : 0);
  std::uint64_t limit = NEXUS_FOREVER;
  if (!timeout.is_none()) {
    if (!waits) {
      throwValueError("timeout", timeout, "a run with blocking=False waits for nothing");
    }
    limit = nexus::detail::toNanoseconds(parseTimeout(timeout));
  }
  nexus::detail::check(
      withoutGil([&] { return nexus_schedule_run(self.get(), in, settings, limit); }));
}

}  // namespace

void bindRun(py::class_<Held<Schedule>> &cls) {
  method<&run>(
      cls,
      "run(self, stream: Stream | None = None, blocking: bool = True, timeout: float | None = "
      "None, timing: bool = False) -> None\n\nSubmits a run of the commands to a stream; None is "
      "the device's default stream.\n\nA blocking run waits until the work is done, at most "
      "timeout seconds; None waits forever. blocking=False returns at once. timing measures the "
      "run's time on the device, for elapsed_ms. Raises TimeoutError (also a NexusError) while the "
      "run goes on, or NexusError with the cause of a failure.");
}

}  // namespace nexus::python
