// SPDX-License-Identifier: Apache-2.0
//
// Schedule.run: the one call that programs make again and again.
#include "run.hpp"

#include <exception>

#include "errors.hpp"
#include "fast_call.hpp"
#include "gil.hpp"
#include "launch.hpp"
#include "object.hpp"

namespace nexus::python {
namespace {

PyTypeObject *streamType = nullptr;  // borrowed from the module, which is never unloaded

struct RunArguments {
  nexus_stream *stream = nullptr;
  nxs_execution_settings settings = 0;
  std::uint64_t timeout = NEXUS_FOREVER;
};

RunArguments readArguments(const std::array<PyObject *, 3> &values) {
  RunArguments run;
  const auto [stream, blocking, timeout] = values;
  if (stream != Py_None) {
    if (Py_TYPE(stream) != streamType) {
      throwTypeError("stream", "a nexus.Stream or None", stream);
    }
    run.stream = valueOf<Stream>(stream).get();
  }
  const int wait = blocking == Py_True ? 1 : PyObject_IsTrue(blocking);
  if (wait < 0) {
    throw py::error_already_set();
  }
  run.settings = wait != 0 ? 0 : NXS_ExecutionSettings_NonBlocking;
  if (timeout != Py_None) {
    if (wait == 0) {
      throwValueError("timeout", timeout, "a run with blocking=False waits for nothing");
    }
    run.timeout = detail::toNanoseconds(parseTimeout(timeout));
  }
  return run;
}

// Also a submission releases the GIL: it may wait for a full queue or for another thread's lock.
PyObject *run(PyObject *self, PyObject *const *arguments, Py_ssize_t positional,
              PyObject *keywords) {
  std::array<PyObject *, 3> values{Py_None, Py_True, Py_None};
  if (!parseArguments("run", std::array{"stream", "blocking", "timeout"}, arguments, positional,
                      keywords, values)) {
    return nullptr;
  }
  try {
    const RunArguments call = readArguments(values);
    nexus_schedule *const schedule = valueOf<Schedule>(self).get();
    const nxs_status status = withoutGil(
        [&] { return nexus_schedule_run(schedule, call.stream, call.settings, call.timeout); });
    detail::check(status);
    Py_RETURN_NONE;
  } catch (py::error_already_set &error) {
    error.restore();
  } catch (const py::builtin_exception &error) {
    error.set_error();
  } catch (const Error &error) {
    setPythonError(error);
  } catch (const std::exception &error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
  }
  return nullptr;
}

}  // namespace

void registerRun(py::module_ &module) {
  streamType = reinterpret_cast<PyTypeObject *>(module.attr("Stream").ptr());
  static PyMethodDef method = {
      "run",
      reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(run)),
      METH_FASTCALL | METH_KEYWORDS,
      "run(self, stream: Stream | None = None, blocking: bool = True, timeout: float | None = "
      "None) "
      "-> None\n\n"
      "Submits a run of the commands in order; stream None is the device's default stream.\n\n"
      "A blocking run waits for its end, timeout seconds at most; blocking=False returns at once.\n"
      "Raises TimeoutError (also a NexusError), which leaves it running, or NexusError with the "
      "cause\nof a failure.",
  };
  addMethod(module.attr("Schedule"), &method);
}

}  // namespace nexus::python
