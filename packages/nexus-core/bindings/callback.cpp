// SPDX-License-Identifier: Apache-2.0
//
// Callbacks of streams. libnexus calls them on its one thread for them, which is none of Python's.
#include "callback.hpp"

#include "errors.hpp"
#include "gil.hpp"

namespace nexus::python {
namespace {

// The exception of a failed stream, which libnexus tells on this thread; None for NXS_Success.
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

// context is the function's only reference. What it raises has nowhere to go but
// sys.unraisablehook.
void callBack(void *context, nxs_status status) {
  const PyGILState_STATE state = ensureGil();
  callUntilTheEnd(static_cast<PyObject *>(context), errorOf(status));
  PyGILState_Release(state);
}

}  // namespace

void addCallback(const Stream &stream, py::handle function) {
  if (PyCallable_Check(function.ptr()) == 0) {
    throwTypeError("function", "callable with one argument, the error or None", function);
  }
  Py_INCREF(function.ptr());  // the callback's
  const nxs_status status =
      withoutGil([&] { return nexus_stream_add_callback(stream.get(), callBack, function.ptr()); });
  if (status != NXS_Success) {
    Py_DECREF(function.ptr());
    nexus::detail::throwLastError(status);
  }
}

}  // namespace nexus::python
